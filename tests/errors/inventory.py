"""Every error of ours, found by reading our sources: the words of its message, and its hint.

>>> import ast
>>> [found] = errors_in(ast.parse('raise trace.refuse(f"`{name}` is lost", "keep it", name)'))
>>> found.message, found.hint
('`…` is lost', 'keep it')
"""

import ast
import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from runtime import messages

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("autograph", "runtime")

#: functions that make an error of ours -> the positions of message and hint
MAKERS = {
    "refuse": (0, 1),
    "no_operation": (0, 1),
    "wrong_argument": (0, 1),
    "error_at_frame": (1, None),
    "error_at_node": (1, None),
    "StagingError": (0, None),
    "ConversionError": (0, None),
    "ArgumentError": (0, None),
    "UsageError": (0, None),
    "LoadError": (0, None),
    "Refusal": (0, 1),
    "Unsaveable": (0, None),
    "NotExportable": (0, 1),
    "AutographError": (0, None),
    "GradientError": (0, None),
    "SourceNotFoundError": (0, None),
    "SourceChangedError": (0, None),
    "SourceSyntaxError": (0, None),
    "Unsupported": (None, None),
}


@dataclass(frozen=True, order=True)
class Message:
    """One error of ours: the words of its message, `…` for what differs, and those of its hint."""

    message: str
    hint: str | None

    def matches(self, text: str) -> bool:
        """Is `text`, what somebody saw, this message?"""
        parts = self.message.split("…")
        if not all(part in text for part in parts):  # nearly always so, and found out quickly
            return False
        return re.search(".+".join(map(re.escape, parts)), text, re.DOTALL) is not None


@functools.cache
def inventory() -> tuple[Message, ...]:
    """All messages of our packages, each once, in the order of their words."""
    found: set[Message] = set()
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            found.update(errors_in(ast.parse(path.read_text(encoding="utf-8"))))
    return tuple(sorted(found, key=lambda m: (re.sub(r"\W+", "", m.message).lower(), m.hint or "")))


def errors_in(tree: ast.AST) -> list[Message]:
    """The messages of the errors that a module makes."""
    found = []
    for function in _scopes(tree):
        nodes = list(_nodes(function))
        variables = _strings_by_name(nodes)
        for call in nodes:
            if not isinstance(call, ast.Call):
                continue
            name = getattr(call.func, "attr", getattr(call.func, "id", ""))
            where, hint_at = MAKERS.get(name, (None, None))
            if where is None or len(call.args) <= where:
                continue
            hint_node = next((k.value for k in call.keywords if k.arg == "hint"), None)
            if hint_node is None and hint_at is not None and len(call.args) > hint_at:
                hint_node = call.args[hint_at]
            hints = words(hint_node, variables) if hint_node is not None else []
            messages = words(call.args[where], variables)
            for index, message in enumerate(messages):
                if re.search(r"\w", message):
                    own = (
                        [hints[index if len(hints) > index else 0]] if len(messages) > 1 and hints else hints
                    )
                    hint = "; or: ".join(dict.fromkeys(own))
                    found.append(Message(message, hint if hint and re.search(r"\w", hint) else None))
    return found


def words(node: ast.expr, variables: dict[str, list[str]]) -> list[str]:
    """The texts that an expression may give, `…` for what is not known."""
    if isinstance(node, ast.Constant):
        return [str(node.value)] if isinstance(node.value, str) else []
    if isinstance(node, ast.JoinedStr):
        return ["".join(str(v.value) if isinstance(v, ast.Constant) else "…" for v in node.values)]
    if isinstance(node, ast.IfExp):
        return [*words(node.body, variables), *words(node.orelse, variables)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = words(node.left, variables) or ["…"], words(node.right, variables) or ["…"]
        return [a + b for a in left for b in right]
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        table = getattr(messages, node.value.id, None)  # ASSIGNMENTS["shape"]
        return [table[ast.literal_eval(node.slice)]] if isinstance(table, dict) else []
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "hint_of_dtype":
        return [messages.DTYPE_HINT, *messages.DTYPE_HINTS.values()]
    if isinstance(node, ast.Name):
        return variables.get(node.id, [])
    return []


def _scopes(tree: ast.AST) -> Iterator[ast.AST]:
    yield tree
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope, without those of functions inside; lambdas belong to it."""
    pending = [*ast.iter_child_nodes(scope)][::-1]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            pending += [*ast.iter_child_nodes(node)][::-1]


def _strings_by_name(nodes: list[ast.AST]) -> dict[str, list[str]]:
    """What the variables of a function may hold: texts, in the order of the assignments."""
    found: dict[str, list[str]] = {}
    for node in nodes:
        if not isinstance(node, ast.Assign):
            continue
        target = node.targets[0]
        pairs = [(target, node.value)]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = list(zip(target.elts, node.value.elts, strict=False))  # there may be a star in one
        for name, value in pairs:
            if isinstance(name, ast.Name):
                found.setdefault(name.id, []).extend(words(value, {}))
    return found
