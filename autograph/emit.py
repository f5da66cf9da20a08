"""A converted tree -> a code object at the user's own lines, or text for people.

The code object is compiled with the user's file name and line numbers. It has the free variables of the
original and no others: what converted text writes as `ag__` is a constant of the code object, so neither the
module's globals nor `locals()` show anything of ours. Closures that hold a part of a function carry that
function's name, so that debuggers, profilers and tracebacks show the function.
"""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Iterable, Iterator
from types import CodeType
from typing import Any

import gast

from autograph import settling, tracebacks
from autograph.settling import AG, FUNCTION_FLAG, REGISTRY, TRACEBACKS, Shape, nested_codes, settle
from autograph.source import FunctionSource
from autograph.walking import (
    Transformer,
    fill_locations,
    first_line,
    place_all,
    place_of,
    set_place,
    start_of,
    walk,
)


def to_text(tree: gast.AST) -> str:
    """The text of a tree, as `ast.unparse` writes it.

    >>> to_text(gast.parse("if x : y=1"))
    'if x:\\n    y = 1'
    """
    return ast.unparse(gast.gast_to_ast(tree))


def wrap(source: FunctionSource, free_names: Iterable[str], keep_signature: bool = False) -> gast.Module:
    """A module in which the function stands as it did: its free variables are those of a function around.

    To be compiled, it stands in a class of the same name, for `__private` names and `super()`, and is
    stripped of defaults and annotations, which the function object has. With `keep_signature` it is for
    people to read. Decorators are left out: they have acted.
    """
    node: Any = source.node
    statement = node
    if isinstance(node, gast.Lambda):
        statement = gast.copy_location(gast.Expr(node), node)
    else:
        node.decorator_list = []
    if not keep_signature:
        _strip_signature(node)
        if source.class_name is not None:
            scope = gast.parse(f"class {source.class_name}: pass").body[0]
            scope.body = [statement]
            statement = gast.copy_location(scope, statement)
    names = ", ".join(name for name in free_names if name.isidentifier() and name != "__class__")
    module = gast.parse(f"def around({names}): pass")
    around = gast.copy_location(module.body[0], statement)
    around.body = [statement]
    around.is_wrapper = True
    own = getattr(statement, "name", None)
    if own is not None and own not in free_names and not keep_signature:
        # A function that calls itself, a method that names its class: global there, so global here.
        around.body.insert(0, gast.copy_location(gast.Global([own]), statement))
    if "__class__" in free_names and not isinstance(statement, gast.ClassDef):
        around.args.args.append(gast.Name("__class__", gast.Param(), None, None))
    return module


def _strip_signature(node: Any) -> None:
    node.args.defaults = []
    node.args.kw_defaults = [None] * len(node.args.kwonlyargs)
    for argument in _arguments(node.args):
        argument.annotation = None
    if not isinstance(node, gast.Lambda):
        node.returns, node.type_params = None, []


def _arguments(arguments: gast.arguments) -> Iterator[gast.Name]:
    yield from arguments.posonlyargs
    yield from arguments.args
    yield from arguments.kwonlyargs
    yield from (a for a in (arguments.vararg, arguments.kwarg) if a is not None)


def compile_function(
    tree: gast.Module,
    names: settling.OriginalNames,
    original: CodeType,
    source: FunctionSource,
    keep_original: bool = True,
    marks: frozenset[str] = frozenset(),
) -> CodeType:
    """The code object of the function in `tree` (made by `wrap`, converted since), registered as ours.

    With `keep_original` it holds the user's own statements, too, for when no stage is awake.
    """
    module = gast.gast_to_ast(tree)
    fill_locations(module)
    function = _innermost(module)
    if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        _keep_first_line(function, original.co_firstlineno)
    shape = Shape(module, names)
    shape.marks = marks
    finish = _Finish(shape)
    module = finish.visit(module)
    keeps = finish.uses and keep_original
    if keeps:
        _keep_original_body(function, source.original)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # given when the original was compiled
        outer = compile(module, original.co_filename, "exec", flags=source.flags, dont_inherit=True)
    found = _function_code(outer, original.co_name)
    shape.kept = nested_codes(original) if keeps else []
    return settle(found, shape, original.co_name, original.co_qualname, is_body=False, is_top=True)


def _keep_first_line(function: ast.FunctionDef | ast.AsyncFunctionDef, line: int) -> None:
    """Put an expression that is never run on the decorator's line: a decorated function begins there."""
    if line < function.lineno:
        spot = ast.Constant(None)
        set_place(spot, (line, 0, line, 0))
        function.decorator_list = [spot]


def _keep_original_body(function: Any, original: Any) -> None:
    """Run the user's own statements while no stage can claim a value, the converted ones otherwise.

    On plain values both do the same; the user's run at their own speed.
    """
    # The first half is the second's answer where no stage is registered, without a call.
    asked = f"not {REGISTRY!r}._present or {REGISTRY!r}.all_asleep()"
    if any(map(_sets_trace_function, walk(original))):
        # From there on Python reports every frame, and none of ours may be among them.
        asked = f"{REGISTRY!r}.active_stage() is None"
    test = ast.parse(asked, mode="eval").body
    if isinstance(function, ast.Lambda):
        place_all(test, place_of(original.body))
        function.body = ast.copy_location(ast.IfExp(test, original.body, function.body), original.body)
        return
    has_docstring = ast.get_docstring(original, clean=False) is not None
    start = 1 if has_docstring and len(original.body) > 1 else 0
    users, converted = original.body[start:], function.body[start:]
    place_all(test, start_of(users[0]))  # on the line of the first statement: a debugger stops once
    # `global` and `nonlocal` hold for the whole function, and the user's statements say them first.
    converted = [_DropDeclarations().visit(statement) for statement in converted]
    branch = ast.If(test, users, converted)
    set_place(branch, start_of(users[0]))
    function.body[start:] = [branch]


def _sets_trace_function(node: ast.AST) -> bool:
    """Is this a call of `sys.settrace`, `sys.setprofile` or `sys.monitoring.set_events`?"""
    if not isinstance(node, ast.Call):
        return False
    match node.func:
        case ast.Name(id="settrace" | "setprofile"):
            return True
        case ast.Attribute(value=ast.Name(id="sys"), attr="settrace" | "setprofile"):
            return True
        case ast.Attribute(value=ast.Attribute(attr="monitoring"), attr="set_events" | "set_local_events"):
            return True
    return False


class _DropDeclarations(Transformer):
    """Take `global` and `nonlocal` out of a function, not out of functions in it."""

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> ast.stmt:
        return ast.copy_location(ast.Pass(), node)

    visit_Nonlocal = visit_Global

    def visit_FunctionDef(self, node: ast.stmt) -> ast.stmt:
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef


def _innermost(module: ast.Module) -> ast.AST:
    """The function that `wrap` put into the module."""
    node: Any = module.body[0].body[-1]  # type: ignore[attr-defined]
    if isinstance(node, ast.ClassDef):
        node = node.body[0]
    return node.value if isinstance(node, ast.Expr) else node


def _function_code(outer: CodeType, name: str) -> CodeType:
    """The code of the function that `wrap` put into the module, not of what is around it."""
    level = nested_codes(outer)
    while level:
        level = [inner for code in level for inner in nested_codes(code)]
        for found in reversed(level):
            if found.co_name == name and found.co_flags & FUNCTION_FLAG:  # not a class of that name
                return found
    raise AssertionError(f"no code of {name!r} in {outer!r}")


class _Finish(Transformer):
    """Put constants in place of `ag__`, and handlers that hide our frames around functions that use it."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.uses = False

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id != "ag__":
            return node
        self.uses = True
        return ast.copy_location(ast.Constant(AG), node)

    def visit_Call(self, node: ast.Call) -> ast.Call:
        iterated = _iterated(node) if sys.version_info >= (3, 13) else None
        if iterated is not None:  # where Python 3.13 says that the iterator raised
            place = place_of(iterated)
            set_place(node, place)
            if place[0] != place[2]:  # CPython reports the call of a method at the line its name ends on
                place = (*place[:2], place[0], place[1] + 1)
            place_all(node.func, place)
        self.generic_visit(node)
        return node

    def visit_Try(self, node: ast.Try) -> ast.Try:
        self.generic_visit(node)
        if self.uses and not tracebacks.keep_all_frames():
            for handler in node.handlers:  # of the user's: what a pass makes has a `finally` only
                hiding = ast.parse(f"{TRACEBACKS!r}.hide_frames()").body[0]
                place_all(hiding, start_of(handler.body[0]))
                handler.body.insert(0, hiding)
        return node

    def visit_TryStar(self, node: Any) -> Any:
        """Before Python takes the exception apart: it knows by the traceback where a part is from."""
        self.generic_visit(node)
        if self.uses and not tracebacks.keep_all_frames():
            node.body = [_hiding(node.body, place_of(node.body[0]))]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        outside, self.uses = self.uses, False
        self.generic_visit(node)
        is_users = node.name in self.shape.original.names
        if is_users and self.uses and not tracebacks.keep_all_frames():
            self._hide_frames(node)
        self.uses = outside or self.uses
        return node

    visit_AsyncFunctionDef: Any = visit_FunctionDef

    def _hide_frames(self, node: ast.FunctionDef) -> None:
        start = 1 if ast.get_docstring(node, clean=False) is not None else 0
        if node.body[start:]:
            place = (node.lineno, node.col_offset, node.lineno, node.col_offset)
            node.body[start:] = [_hiding(node.body[start:], place)]
            self.shape.hiding.add((node.name, first_line(node)))


def _hiding(body: list[ast.stmt], place: Any) -> ast.stmt:
    """The statements in a `try` that takes our frames out of what leaves them."""
    made = ast.parse(f"try: pass\nexcept: {TRACEBACKS!r}.hide_frames(); raise").body[0]
    assert isinstance(made, ast.Try)
    place_all(made, place)
    made.body = body
    return made


def _iterated(node: ast.Call) -> ast.expr | None:
    """What the call of an operator iterates over."""
    called = node.func
    if not isinstance(called, ast.Attribute) or getattr(called.value, "id", None) != "ag__":
        return None
    position = _ITERATED.get(called.attr)
    return None if position is None else node.args[position]


_ITERATED = {"for_stmt": 0, "list_comp": 1, "set_comp": 1, "dict_comp": 1, "generator": 1, "each": 1}
