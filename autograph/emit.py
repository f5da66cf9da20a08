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
from types import CodeType, ModuleType
from typing import Any

import gast

from autograph import staging, tracebacks
from autograph.converted_code import Role, register_converted_code
from autograph.places import (
    Place,
    fill_locations,
    first_line,
    place_all,
    place_of,
    set_place,
    start_of,
)
from autograph.same_code import same_code, span_of
from autograph.source import FunctionSource

_AG = "\0autograph.operators"  # no string of a program: it stands for the module until the code is compiled
_TRACEBACKS = "\0autograph.tracebacks"
_STAGING = "\0autograph.staging"
_COMPREHENSION_NAMES = frozenset({"<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>"})
_FUNCTION_FLAG = 0x1  # CO_OPTIMIZED: set for functions, not for class bodies


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


class OriginalNames:
    """Which functions and lambdas the user wrote, noted before the passes add theirs."""

    def __init__(self, tree: gast.AST) -> None:
        self.names: set[str] = set()
        self.lambdas: set[tuple[int, int]] = set()
        for node in gast.walk(tree):
            if isinstance(node, gast.Lambda):
                self.lambdas.add((node.lineno, node.col_offset))
            elif isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
                self.names.add(node.name)


def compile_function(
    tree: gast.Module,
    names: OriginalNames,
    original: CodeType,
    source: FunctionSource,
    keep_original: bool = True,
) -> CodeType:
    """The code object of the function in `tree` (made by `wrap`, converted since), registered as ours.

    With `keep_original` it holds the user's own statements, too, for when no stage is awake.
    """
    module = gast.gast_to_ast(tree)
    fill_locations(module)
    function = _innermost(module)
    if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        _keep_first_line(function, original.co_firstlineno)
    shape = _Shape(module, names)
    finish = _Finish(shape)
    module = finish.visit(module)
    keeps = finish.uses and keep_original
    if keeps:
        _keep_original_body(function, source.original)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # given when the original was compiled
        outer = compile(module, original.co_filename, "exec", flags=source.flags, dont_inherit=True)
    found = _function_code(outer, original.co_name)
    shape.kept = _nested_codes(original) if keeps else []
    return _settle(found, shape, original.co_name, original.co_qualname, is_body=False, is_top=True)


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
    asked = f"not {_STAGING!r}._stages or {_STAGING!r}.all_asleep()"
    if any(map(_sets_trace_function, ast.walk(original))):
        # From there on Python reports every frame, and none of ours may be among them.
        asked = f"{_STAGING!r}.active_stage() is None"
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


class _DropDeclarations(ast.NodeTransformer):
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
    level = _nested_codes(outer)
    while level:
        level = [inner for code in level for inner in _nested_codes(code)]
        for found in reversed(level):
            if found.co_name == name and found.co_flags & _FUNCTION_FLAG:  # not a class of that name
                return found
    raise AssertionError(f"no code of {name!r} in {outer!r}")


def _nested_codes(code: CodeType) -> list[CodeType]:
    return [c for c in code.co_consts if isinstance(c, CodeType)]


class _Shape:
    """What must be known of the converted tree to finish its code objects."""

    def __init__(self, module: ast.Module, original: OriginalNames) -> None:
        self.original = original
        # A pass may have put a lambda of its own around the user's, at the same place: the inner one,
        # which `walk` gives later, is the user's.
        lambdas = [node for node in ast.walk(module) if isinstance(node, ast.Lambda)]
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
    for node in ast.walk(module):
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


class _Finish(ast.NodeTransformer):
    """Put constants in place of `ag__`, and handlers that hide our frames around functions that use it."""

    def __init__(self, shape: _Shape) -> None:
        self.shape = shape
        self.uses = False

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id != "ag__":
            return node
        self.uses = True
        return ast.copy_location(ast.Constant(_AG), node)

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
                hiding = ast.parse(f"{_TRACEBACKS!r}.hide_frames()").body[0]
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
    made = ast.parse(f"try: pass\nexcept: {_TRACEBACKS!r}.hide_frames(); raise").body[0]
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


def _settle(
    code: CodeType, shape: _Shape, name: str, qualname: str, is_body: bool, is_top: bool = False
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
                constant = _settle(constant, shape, inner_name, inner_qualname, is_body=False)
            elif (kind := shape.comprehension_of(constant)) is not None:
                constant = _settle(constant, shape, kind, inside + kind, is_body=False)
            else:
                constant = _settle(constant, shape, name, qualname, is_body=True)
        elif isinstance(constant, str):
            constant = _settled_string(constant, code, qualname)
        constants.append(constant)
    hides = (code.co_name, code.co_firstlineno) in shape.hiding
    settled = code.replace(co_consts=tuple(constants), co_name=name, co_qualname=qualname)
    role = Role.BODY if is_body else Role.HIDING if hides else Role.FUNCTION
    register_converted_code(settled, role)
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
    has_locals = code.co_flags & _FUNCTION_FLAG and name not in _COMPREHENSION_NAMES
    return qualname + (".<locals>." if has_locals else ".")


def _qualname_in(inside: str, code: CodeType) -> str:
    is_global = "." not in code.co_qualname  # `global f; def f(): ...` inside a function
    return code.co_name if is_global else inside + code.co_name


def _settled_string(constant: str, code: CodeType, qualname: str) -> str | ModuleType:
    if constant == _AG:
        import autograph.operators

        return autograph.operators
    if constant == _TRACEBACKS:
        return tracebacks
    if constant == _STAGING:
        return staging
    if not code.co_flags & _FUNCTION_FLAG and constant == code.co_qualname:
        return qualname  # a class body stores its __qualname__ from a constant
    return constant
