"""Which statements can only ever be Python, so that they stay as they are.

>>> is_static(gast.parse("__name__ == '__main__'").body[0].value)
True
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

from autograph.analysis.jumps import (
    LOOPS,
    SCOPES,
    TRIES,
    Jumps,
    blocks,
    is_suspension,
    outside_of,
    suspends,
)
from autograph.analysis.names import Function
from autograph.walking import children

# Functions that look at the variables of the frame that calls them: no variable of that frame may move.
FRAME_READERS = frozenset({"locals", "vars", "dir", "eval", "exec"})
# Functions that give frames, or count them from the one that calls them: the statements around the call stay,
# for a closure would be one frame more.
_FRAME_COUNTERS = frozenset({"_getframe", "_getframemodulename", "currentframe", "stack"})
# What Python itself keeps of an object: no `__setattr__` of a class sees a store.
KEPT_BY_PYTHON = frozenset(
    f"__{name}__"
    for name in (
        "class cause context suppress_context defaults kwdefaults code name qualname doc module annotations "
        "bases"
    ).split()
)
_NONE: frozenset[str] = frozenset()
ALL_JUMPS = frozenset({"return", "break", "continue"})
_STATIC_NAMES = frozenset({"TYPE_CHECKING", "__debug__", "__name__"})
_STATIC_ATTRIBUTES = frozenset({"TYPE_CHECKING", "version_info", "platform", "implementation"})


def is_static(test: Any) -> bool:
    """Is the value of this test the same for the whole life of the program?"""
    if isinstance(test, gast.Constant):
        return True
    if isinstance(test, gast.Name):
        return test.id in _STATIC_NAMES
    if isinstance(test, gast.Attribute):
        return test.attr in _STATIC_ATTRIBUTES
    if isinstance(test, (gast.Tuple, gast.List)):
        return all(map(is_static, test.elts))
    if isinstance(test, gast.Subscript):
        return is_static(test.value)
    if isinstance(test, gast.UnaryOp):
        return is_static(test.operand)
    if isinstance(test, gast.BoolOp):
        return all(map(is_static, test.values))
    if isinstance(test, gast.Compare):
        return is_static(test.left) and all(map(is_static, test.comparators))
    return False


class StaysPython:
    """The compound statements of a function that are not converted; their blocks and expressions still are.

    `if`, `while`, `for` and `try` stay when they suspend, when their test is static, or when a jump out of
    them could not be written otherwise: one that leaves a `finally`, or leads to a statement that stays.
    `with`, `match` and definitions always stay.
    """

    def __init__(self, function: Function, jumps: Jumps | None = None) -> None:
        self.jumps = jumps or Jumps()
        self._stays: set[int] = set()
        self._finally: dict[int, frozenset[str]] = {}  # of each statement, which is looked at once
        nodes = [node for part in _body(function) for node in own_nodes(part)]
        self.suspends = any(map(is_suspension, nodes))
        self.reads_frame = any(map(reads_frame, nodes))
        self.counts_frames = any(map(counts_frames, nodes))
        outer = {n for node in nodes if isinstance(node, (gast.Global, gast.Nonlocal)) for n in node.names}
        self.unbound_outside = {n for node in nodes for n in unbound_by(node)} & outer if outer else outer
        self._raises_again = {id(inner) for node in nodes for inner in _around_raises(node)}
        opaque = frozenset({"return"}) if self.suspends else frozenset()
        if not isinstance(function, gast.Lambda):
            self._block(function.body, opaque)

    def __call__(self, statement: Any) -> bool:
        """Does this statement stay a Python statement?"""
        if not isinstance(statement, (gast.If, gast.While, gast.For, gast.Try)):
            return True
        return self.reads_frame or id(statement) in self._stays

    def _block(self, statements: list[gast.stmt], opaque: frozenset[str]) -> None:
        for statement in reversed(statements):
            self._statement(statement, opaque)
            if self.jumps.leaving(statement) and self._out_of_finally([statement]):
                # What a jump before it skips would move into a closure, and with it this jump, which must
                # stay: `finally: return` ends an exception.
                opaque = ALL_JUMPS

    def _statement(self, statement: Any, opaque: frozenset[str]) -> None:
        """`opaque`: the kinds of jumps that must remain Python's where this statement stands."""
        parts = blocks(statement)
        if not parts:
            return
        if self._must_stay(statement, opaque):
            self._stays.add(id(statement))
        stays = self(statement)
        if isinstance(statement, LOOPS):
            inner = ALL_JUMPS if stays else opaque & {"return"}
            self._block(statement.body, inner)
            self._block(statement.orelse, opaque)
            return
        final = getattr(statement, "finalbody", None)
        for part in parts:
            inside = self.jumps.of_block(part) if part is final else frozenset()
            self._block(part, opaque | inside)

    def _must_stay(self, statement: Any, opaque: frozenset[str]) -> bool:
        if isinstance(statement, gast.If) and is_static(statement.test):
            return True
        if self.jumps.leaving(statement) & (opaque | self._out_of_finally([statement])):
            return True
        if isinstance(statement, gast.Try) and only_imports(statement):
            return True
        if self.suspends and suspends(statement):
            return True
        if isinstance(statement, LOOPS) and self._out_of_finally(statement.body):
            return True  # a jump out of a `finally` undoes other jumps, so that flags would not do
        if self.raises_again(statement):
            return True
        if self.unbound_outside and self.unbinds_outside(statement):
            return True  # others see the variable, and that it has no value
        return self.counts_frames and any(map(counts_frames, own_nodes(statement)))

    def raises_again(self, statement: Any) -> bool:
        """Does it stand in a handler of an `except*`, around a `raise`?"""
        return id(statement) in self._raises_again

    def unbinds_outside(self, statement: Any) -> Any:
        """The node that unbinds a variable of the module, or of a function around; None where none does."""
        for node in own_nodes(statement):
            if not self.unbound_outside.isdisjoint(unbound_by(node)):
                return node
        return None

    def _out_of_finally(self, statements: list[Any]) -> frozenset[str]:
        """The kinds of jumps that leave a `finally` somewhere in these statements, and the statements."""
        return _NONE.union(*map(self._out_of_a_finally, statements))

    def _out_of_a_finally(self, statement: Any) -> frozenset[str]:
        found = self._finally.get(id(statement))
        if found is None:
            found = _NONE
            if self.jumps.leaving(statement):
                if isinstance(statement, TRIES):
                    found |= self.jumps.of_block(statement.finalbody)
                for part in blocks(statement):
                    inner = self._out_of_finally(part)
                    if isinstance(statement, LOOPS) and part is statement.body:
                        inner &= {"return"}
                    found |= inner
            self._finally[id(statement)] = found
        return found


def _body(function: Function) -> list[Any]:
    return [function.body] if isinstance(function, gast.Lambda) else function.body


def raised_by(statement: gast.TryStar) -> list[gast.Raise]:
    """The `raise` statements in the handlers of an `except*`.

    Python tells by the traceback whether one raises again what was caught, and joins that with what no
    handler took. So it must be raised in the frame that handles, which then is the only entry.
    """
    parts = [part for handler in statement.handlers for part in handler.body]
    return [node for part in parts for node in own_nodes(part) if isinstance(node, gast.Raise)]


def _around_raises(node: Any) -> Iterator[Any]:
    """What stands around those `raise` statements, in their handlers."""
    if not isinstance(node, gast.TryStar) or not raised_by(node):
        return
    for handler in node.handlers:
        for part in handler.body:
            for inner in own_nodes(part):
                if blocks(inner) and any(isinstance(each, gast.Raise) for each in own_nodes(inner)):
                    yield inner


def only_imports(statement: gast.Try) -> bool:
    """Can nothing in the body of this `try` meet a staged value?"""
    return all(isinstance(s, (gast.Import, gast.ImportFrom, gast.Pass)) for s in statement.body)


def own_nodes(node: Any) -> Iterator[Any]:
    """The nodes of a tree that stand in the scope of its root (comprehensions included)."""
    pending = [node]
    while pending:
        node = pending.pop()
        yield node
        pending += children(node) if not isinstance(node, SCOPES) else outside_of(node)


def unbound_by(node: Any) -> list[str]:
    """The names that `del`, or the end of an `except ... as name`, unbinds.

    >>> unbound_by(gast.parse("del a, b.c, (d, e)").body[0])
    ['a', 'd', 'e']
    """
    if isinstance(node, gast.ExceptHandler):
        return [] if node.name is None else [node.name.id]
    return [target.id for target in deleted_by(node) if isinstance(target, gast.Name)]


def deleted_by(node: Any) -> list[Any]:
    """What `del` deletes, one by one: `del (a, [b])` deletes `a`, then `b`."""
    found = []
    pending = list(reversed(node.targets)) if isinstance(node, gast.Delete) else []
    while pending:
        target = pending.pop()
        if isinstance(target, (gast.Tuple, gast.List)):
            pending += reversed(target.elts)
        else:
            found.append(target)
    return found


def reads_frame(node: Any) -> bool:
    """Is this a call of `locals()` or one of its kind?"""
    if not (isinstance(node, gast.Call) and isinstance(node.func, gast.Name)):
        return False
    most = 1 if node.func.id in ("eval", "exec") else 0
    return node.func.id in FRAME_READERS and len(node.args) <= most


def counts_frames(node: Any) -> bool:
    """Is this a call of `sys._getframe()` or one of its kind, or `logger.info(..., stacklevel=2)`?"""
    if not isinstance(node, gast.Call):
        return False
    called = node.func.attr if isinstance(node.func, gast.Attribute) else getattr(node.func, "id", None)
    if called == "stack" and isinstance(node.func, gast.Attribute):
        return isinstance(node.func.value, gast.Name) and node.func.value.id == "inspect"  # not np.stack
    if called in _FRAME_COUNTERS:
        return True
    levels = [keyword.value for keyword in node.keywords if keyword.arg == "stacklevel"]
    return any(not (isinstance(level, gast.Constant) and level.value == 1) for level in levels)
