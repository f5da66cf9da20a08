"""The code objects of a converted tree, finished: named as those of the user, and registered as ours.

Closures that hold a part of a function bear that function's name, functions of the user's their own; what
stands for modules of ours becomes these modules.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from types import CodeType, ModuleType
from typing import Any

import gast

from autograph import registry, tracebacks
from autograph.code_objects import Role, register_converted_code, same_code, span_of
from autograph.loading import loaded
from autograph.walking import Place, place_of, walk

AG = "\0autograph.operators"  # no string of a program: it stands for the module until the code is compiled
TRACEBACKS = "\0autograph.tracebacks"
REGISTRY = "\0autograph.registry"
_COMPREHENSION_NAMES = frozenset({"<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>"})
FUNCTION_FLAG = 0x1  # CO_OPTIMIZED: set for functions, not for class bodies


def nested_codes(code: CodeType) -> list[CodeType]:
    return [c for c in code.co_consts if isinstance(c, CodeType)]


class OriginalNames:
    """Which functions and lambdas the user wrote, noted before the passes add theirs."""

    def __init__(self, tree: gast.AST) -> None:
        self.names: set[str] = set()
        self.lambdas: set[tuple[int, int]] = set()
        for node in walk(tree):
            if isinstance(node, gast.Lambda):
                self.lambdas.add((node.lineno, node.col_offset))
            elif isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
                self.names.add(node.name)


class Shape:
    """What must be known of the converted tree to finish its code objects."""

    def __init__(self, module: ast.Module, original: OriginalNames) -> None:
        self.original = original
        # A pass may have put a lambda of its own around the user's, at the same place: the inner one,
        # which `walk` gives later, is the user's.
        lambdas = [node for node in walk(module) if isinstance(node, ast.Lambda)]
        users = {(node.lineno, node.col_offset): node for node in lambdas}
        # The bodies of all lambdas, the smallest first, and whether the lambda is the user's.
        self.bodies: list[tuple[Place, bool]] = []
        for node in sorted(lambdas, key=_extent):
            place = (node.lineno, node.col_offset)
            self.bodies.append((place_of(node.body), place in original.lambdas and users[place] is node))
        self.comprehensions = dict(_parts_of_comprehensions(module))
        self.hiding: set[tuple[str, int]] = set()
        # Functions defined in the user's own statements, as the original's code object has them.
        self.kept: list[CodeType] = []
        self.marks: frozenset[str] = frozenset()

    def is_user_code(self, code: CodeType) -> bool:
        name = code.co_name
        if name == "<lambda>":
            span = span_of(code)
            if span is None:
                return True
            around = (
                is_users for place, is_users in self.bodies if place[:2] <= span[0] and span[1] <= place[2:]
            )
            return next(around, True)
        return name.startswith("<") or name in self.original.names

    def comprehension_of(self, code: CodeType) -> str | None:
        """`<genexpr>` and the like, for a lambda that is a part of one: Python shows it as a frame."""
        span = span_of(code) if code.co_name == "<lambda>" else None
        if span is None:
            return None
        around = (place for place, _ in self.bodies if place[:2] <= span[0] and span[1] <= place[2:])
        return self.comprehensions.get(next(around, (0, 0, 0, 0)))


def _parts_of_comprehensions(module: ast.Module) -> Iterator[tuple[Place, str]]:
    """The bodies of lambdas that are parts of comprehensions which are functions for this Python."""
    for node in walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            kind = _COMPREHENSIONS.get(node.func.attr)
            if kind is not None and isinstance(node.func.value, ast.Name) and node.func.value.id == "ag__":
                yield from _lambdas_of(node, kind)


def _lambdas_of(call: ast.Call, kind: str) -> Iterator[tuple[Place, str]]:
    for part in (call.args[0], *call.args[2:]):
        if isinstance(part, ast.Lambda):
            yield place_of(part.body), kind
            if isinstance(part.body, ast.Call) and getattr(part.body.func, "attr", None) == "each":
                yield from _lambdas_of(part.body, kind)


_COMPREHENSIONS = {"generator": "<genexpr>"}
if sys.version_info < (3, 12):  # compiled into the function around from then on
    _COMPREHENSIONS |= {"list_comp": "<listcomp>", "set_comp": "<setcomp>", "dict_comp": "<dictcomp>"}


def _extent(node: ast.Lambda) -> tuple[int, int]:
    line, column, end_line, end_column = place_of(node.body)
    return end_line - line, end_column - column


def settle(
    code: CodeType, shape: Shape, name: str, qualname: str, is_body: bool, is_top: bool = False
) -> CodeType:
    """Name the code objects as the original's, put the real modules into their constants, register them."""
    inside = _prefix(code, name, qualname)
    constants: list[Any] = []
    # The user's own statements come first, so the functions defined in them do.
    kept = list(shape.kept) if is_top else []
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if kept:
                constant = _kept(constant, kept.pop(0), inside)
            elif shape.is_user_code(constant):
                inner_name, inner_qualname = constant.co_name, _qualname_in(inside, constant)
                constant = settle(constant, shape, inner_name, inner_qualname, is_body=False)
            elif (kind := shape.comprehension_of(constant)) is not None:
                constant = settle(constant, shape, kind, inside + kind, is_body=False)
            else:
                constant = settle(constant, shape, name, qualname, is_body=True)
        elif isinstance(constant, str):
            constant = _settled_string(constant, code, qualname)
        constants.append(constant)
    hides = (code.co_name, code.co_firstlineno) in shape.hiding
    settled = code.replace(co_consts=tuple(constants), co_name=name, co_qualname=qualname)
    role = Role.BODY if is_body else Role.HIDING if hides else Role.FUNCTION
    register_converted_code(settled, role, shape.marks)
    return settled


def _kept(constant: CodeType, original: CodeType, inside: str) -> CodeType:
    """The code object of a function in the user's own statements: the original's.

    Not so where the original was compiled from more than its text: pytest rewrites `assert`. In both
    cases it is no code of ours: the function is converted when a call reaches it.
    """
    if constant.co_freevars == original.co_freevars and same_code(constant, original):
        return original
    return _requalified(constant, _qualname_in(inside, constant))


def _requalified(code: CodeType, qualname: str) -> CodeType:
    inside = _prefix(code, code.co_name, qualname)
    constants = tuple(
        _requalified(c, _qualname_in(inside, c))
        if isinstance(c, CodeType)
        else _settled_string(c, code, qualname)
        if isinstance(c, str)
        else c
        for c in code.co_consts
    )
    return code.replace(co_consts=constants, co_qualname=qualname)


def _prefix(code: CodeType, name: str, qualname: str) -> str:
    """What qualified names begin with inside this code: classes and comprehensions have no locals there."""
    has_locals = code.co_flags & FUNCTION_FLAG and name not in _COMPREHENSION_NAMES
    return qualname + (".<locals>." if has_locals else ".")


def _qualname_in(inside: str, code: CodeType) -> str:
    is_global = "." not in code.co_qualname  # `global f; def f(): ...` inside a function
    return code.co_name if is_global else inside + code.co_name


def _settled_string(constant: str, code: CodeType, qualname: str) -> str | ModuleType:
    if constant == AG:
        return loaded(AG.strip("\0"))  # by its name, as in the text of converted code
    if constant == TRACEBACKS:
        return tracebacks
    if constant == REGISTRY:
        return registry
    if not code.co_flags & FUNCTION_FLAG and constant == code.co_qualname:
        return qualname  # a class body stores its __qualname__ from a constant
    return constant
