"""A function object -> the tree of exactly that function, with the places where the user wrote it.

The function is found by its code object: file, first line, name and, for lambdas, the columns of its
instructions; then the text found is compiled and compared with what the function runs, so that a file
edited after import is refused and never mis-read. What stands in no file: `typed.py`.

>>> register_source("double, triple = lambda x: x * 2, lambda x: x * 3", "<example>")
'<example>'
>>> exec(compile("double, triple = lambda x: x * 2, lambda x: x * 3", "<example>", "exec"))
>>> found = find(triple)
>>> found.file, found.node.lineno, found.node.col_offset
('<example>', 1, 34)
"""

from __future__ import annotations

import ast
import itertools
import os
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from functools import cached_property
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, TypeVar

from autograph import typed
from autograph.code_objects import future_flags, is_rewritten, same_code, span_of
from autograph.deep import with_room
from autograph.errors import (
    ArgumentError,
    ConversionError,
    SourceChangedError,
    SourceNotFoundError,
    SourceSyntaxError,
    error_at_frame,
    place,
)
from autograph.locks import new_lock
from autograph.records import record

if TYPE_CHECKING:
    import gast

R = TypeVar("R")
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@record(slots=False)
class FunctionSource:
    """The tree of one function and where it came from."""

    node: gast.FunctionDef | gast.AsyncFunctionDef | gast.Lambda  # to be changed at will
    original: FunctionNode  # to be read only: part of a tree that is kept
    file: str
    lines: list[str] = field(repr=False)
    class_name: str | None = None  # the class whose name mangles `__private` names, if any
    flags: int = 0  # `from __future__` flags for compile()


def find(function: FunctionType) -> FunctionSource:
    """The tree of `function`, or SourceNotFoundError / SourceChangedError that says what to do."""
    code = function.__code__
    module = _module_of(code, function.__globals__)
    candidates = list(_candidates(module.tree, code))
    if code.co_name == "<lambda>":
        candidates = _narrow_by_columns(candidates, code)
    contexts = module.contexts(code)
    for node, class_name in candidates:
        if _is_source_of(node, class_name, code, contexts):
            from gast import ast_to_gast

            return FunctionSource(
                ast_to_gast(node), node, code.co_filename, module.lines, class_name, future_flags(code)
            )
    raise _changed(code)


def find_by_place(function: FunctionType) -> FunctionSource:
    """The tree of a function with converted code, which is found by file, line and name alone."""
    code = function.__code__
    module = _module_of(code, function.__globals__)
    candidates = list(_candidates(module.tree, code))
    if len(candidates) != 1:
        raise _changed(code)
    from gast import ast_to_gast

    node, class_name = candidates[0]
    return FunctionSource(
        ast_to_gast(node), node, code.co_filename, module.lines, class_name, future_flags(code)
    )


def register_source(text: str, filename: str | None = None) -> str:
    """Make the text of code that is compiled with `filename` known; returns the file name to compile with.

    For functions made by `exec` and `eval`, whose text Python does not keep.

    >>> name = register_source("def f(x): return -x")
    >>> exec(compile("def f(x): return -x", name, "exec"))
    >>> find(f).node.name
    'f'
    """
    import linecache

    if not isinstance(text, str):
        raise error_at_frame(
            ArgumentError,
            f"register_source takes the text of a program, not {text!r}",
            variable="text",
            hint="give the string that is compiled",
        )
    if filename is None:
        filename = f"<autograph source {next(_numbers)}>"
    lines = text.splitlines(keepends=True)
    _registered[filename] = lines
    # So that tracebacks and debuggers show the text, too.
    linecache.cache[filename] = (len(text), None, lines, filename)
    return filename


_numbers = itertools.count(1)
_registered: dict[str, list[str]] = {}


# Text and module trees


@record(slots=False, frozen=False)
class _ModuleTree:
    lines: list[str]
    tree: ast.Module

    def contexts(self, code: CodeType) -> list[list[ast.stmt]]:
        """What may have been imported in the text that was compiled with the function, as statements.

        The compiler writes `module.f(x)` differently for names that the compiled text imports. That text is
        the module, or one statement of it: IPython and Python's prompt compile statement by statement.
        """
        around = [s for s in self.tree.body if _spans(s, code.co_firstlineno)]
        contexts = [self.imports, _imports_of(around)]
        return contexts if ast.dump(contexts[0][0]) != ast.dump(contexts[1][0]) else contexts[:1]

    @cached_property
    def imports(self) -> list[ast.stmt]:
        return _imports_of(self.tree.body)


def _imports_of(statements: list[ast.stmt]) -> list[ast.stmt]:
    """One statement that imports every name that these do, outside of functions and classes."""
    found: list[ast.alias] = []
    pending: list[ast.stmt | ast.ExceptHandler | ast.match_case] = list(statements)
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found += [a for a in node.names if a.name != "*" and getattr(node, "module", "") != "__future__"]
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for block in ("body", "orelse", "finalbody", "handlers", "cases"):
                pending += getattr(node, block, [])
    names = {alias.asname or alias.name.partition(".")[0] for alias in found}
    return ast.parse(f"import {', '.join(sorted(names))}" if names else "pass").body


_PARSED_FILES = 32  # trees are large; a program converts function after function of few files
_parsed: OrderedDict[str, _ModuleTree] = OrderedDict()
_lock = new_lock()


def _module_of(code: CodeType, module_globals: Mapping[str, Any]) -> _ModuleTree:
    file = code.co_filename
    lines = read_lines(file, module_globals, code) or typed.typed_lines(
        code, lambda text: _is_text_of(text, code)
    )
    if not lines:
        raise _not_found(code)
    with _lock:
        known = _parsed.get(file)
        if known is not None and (known.lines is lines or known.lines == lines):
            _parsed.move_to_end(file)
            return known
    try:
        tree = parse_text("".join(lines), file)
    except SourceSyntaxError as error:
        raise (_not_found(code) if _is_pseudo_file(file) else _changed(code)) from error
    parsed = _ModuleTree(lines, tree)
    with _lock:
        _parsed[file] = parsed
        while len(_parsed) > _PARSED_FILES:
            _parsed.popitem(last=False)
    return parsed


def _is_text_of(lines: list[str], code: CodeType) -> bool:
    """Is the function in these lines, which begin where its statement does?"""
    try:
        module = _ModuleTree(lines, ast.parse("".join(lines)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    contexts = module.contexts(code)
    return any(_is_source_of(node, name, code, contexts) for node, name in _candidates(module.tree, code))


def read_lines(
    file: str, module_globals: Mapping[str, Any] | None = None, code: CodeType | None = None
) -> list[str]:
    """The lines of `file` as Python knows them: registered text, a file on disk or in a zip, a cell."""
    if file in _registered:
        return _registered[file]
    import linecache

    if code is not None and hasattr(linecache, "_getlines_from_code"):  # 3.13: what the REPL ran
        lines = linecache._getlines_from_code(code)
        if lines:
            return list(lines)
    linecache.checkcache(file)
    globals_dict = dict(module_globals) if module_globals is not None else None
    lines = linecache.getlines(file, globals_dict)
    main_file = (module_globals or {}).get("__file__")
    if not lines and isinstance(main_file, str) and _may_be_of(file, main_file):
        lines = linecache.getlines(main_file, globals_dict)
    return lines


def _may_be_of(file: str, main_file: str) -> bool:
    """Is `file` another name of the module's file?

    A script that was started by a relative name, and the working directory has changed since; or a module of
    the standard library that is part of the interpreter, whose text is installed beside it all the same.
    """
    return file.startswith("<frozen ") or os.path.basename(main_file) == os.path.basename(file)


def parse_text(text: str, file: str) -> ast.Module:
    """Parse a module; SourceSyntaxError at the place where the text is not Python."""
    return _complained(ast.parse, text, file)


def parse_program(text: str, file: str) -> ast.Module:
    """`parse_text` of a module that nobody compiled yet: what only the compiler complains of is found, too.

    >>> parse_program("return 1", "a.py")
    Traceback (most recent call last):
    autograph.errors.SourceSyntaxError: a.py:1:1: syntax error: 'return' outside function
        return 1
        ^^^^^^^^
    """
    tree = parse_text(text, file)
    _complained(lambda text, file: compile(text, file, "exec", dont_inherit=True), text, file)
    return tree


def _complained(work: Callable[[str, str], R], text: str, file: str) -> R:
    """What `work` gives; what Python complains of in the text is raised as our error."""
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # Python gave them when it compiled the file
            return with_room(work, text, file)
    except SyntaxError as error:
        made = SourceSyntaxError(
            f"syntax error: {error.msg}", line=error.lineno, column=error.offset or None, file=file
        )
        lines = [] if error.lineno is None else text.splitlines()[error.lineno - 1 : error.lineno]
        made.source_line = (error.text or "".join(lines)).rstrip("\n") or None
        made.end_column = (error.end_offset or None) if error.end_lineno == error.lineno else None
        raise made from None
    except (ValueError, MemoryError, ConversionError) as error:
        reason = str(error) if isinstance(error, ValueError) else "the code is nested too deeply"
        raise SourceSyntaxError(f"cannot be parsed: {reason}", file=file) from None


# From a code object to its node


def _first_line(node: FunctionNode) -> int:
    decorators = getattr(node, "decorator_list", None)
    return decorators[0].lineno if decorators else node.lineno


def _candidates(tree: ast.Module, code: CodeType) -> Iterator[tuple[FunctionNode, str | None]]:
    """Functions of the code's name that begin on its first line, innermost last, with their class's name."""
    line, name = code.co_firstlineno, code.co_name
    pending: list[tuple[ast.AST, str | None]] = [(tree, None)]
    while pending:
        node, class_name = pending.pop()
        if isinstance(node, FunctionNode) and _first_line(node) == line:
            if getattr(node, "name", "<lambda>") == name:
                yield node, class_name
        inner = node.name if isinstance(node, ast.ClassDef) else class_name
        for field_name, value in ast.iter_fields(node):
            children = value if isinstance(value, list) else (value,)
            # Bases and decorators of a class are evaluated, and mangled, outside of it.
            scope = inner if field_name == "body" else class_name
            pending += [(c, scope) for c in children if isinstance(c, ast.AST) and _spans(c, line)]


def _spans(node: ast.AST, line: int) -> bool:
    start = getattr(node, "lineno", None)
    if start is None:
        return True  # arguments, comprehension, withitem, ...: they have no place of their own
    decorators = getattr(node, "decorator_list", None)
    if decorators:
        start = min(start, decorators[0].lineno)
    end: int = getattr(node, "end_lineno", None) or start
    return bool(start <= line <= end)


def _narrow_by_columns(
    candidates: list[tuple[FunctionNode, str | None]], code: CodeType
) -> list[tuple[FunctionNode, str | None]]:
    """Lambdas whose body is what the code's instructions span; all of them when columns are not recorded."""
    span = span_of(code)
    if span is None:
        return candidates
    start, end = span

    def body_span(node: FunctionNode) -> tuple[tuple[int, int], tuple[int, int]]:
        body: Any = node.body
        return (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)

    around = [c for c in candidates if body_span(c[0])[0] <= start and end <= body_span(c[0])[1]]
    # The innermost one: it begins last, and of those that begin together it ends first.
    around.sort(key=lambda c: (body_span(c[0])[0], [-x for x in body_span(c[0])[1]]), reverse=True)
    return around


def _is_source_of(
    node: FunctionNode, class_name: str | None, code: CodeType, contexts: list[list[ast.stmt]]
) -> bool:
    """Does compiling `node`, in a context like its own, give what the function runs?"""
    loosely = is_rewritten(code)
    made = (_compile_alone(node, class_name, code, imports) for imports in contexts)
    return any(inner is not None and same_code(inner, code, loosely) for inner in made)


def _around(body: list[ast.stmt], text: str) -> ast.Module:
    """A module of the one class or function that is written there, with this body."""
    module = ast.parse(text)
    for definition in module.body:
        if isinstance(definition, ast.ClassDef | ast.FunctionDef):
            definition.body = body
    return module


def _compile_alone(
    node: FunctionNode, class_name: str | None, code: CodeType, imports: list[ast.stmt]
) -> CodeType | None:
    import warnings

    place_of = {"lineno": node.lineno, "col_offset": node.col_offset}
    statement: ast.stmt = node if not isinstance(node, ast.Lambda) else ast.Expr(node, **place_of)
    if class_name is not None:
        statement = _around([statement], f"class {class_name}: pass").body[0]
    # The free variables must be free again: make them parameters of a function around.
    parameters = ", ".join(name for name in code.co_freevars if name.isidentifier())
    body = [statement]
    own = getattr(statement, "name", None)
    if own is not None and own not in code.co_freevars:
        # A function that calls itself, a method that names its class: global there, so global here.
        body.insert(0, ast.copy_location(ast.Global([own]), statement))
    wrapper = _around(body, f"def around({parameters}): pass")
    wrapper.body[:0] = imports
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            outer = compile(wrapper, code.co_filename, "exec", flags=future_flags(code), dont_inherit=True)
    except SyntaxError:
        return None
    return find_code(outer, code.co_name, code.co_firstlineno)


def find_code(outer: CodeType, name: str, first_line: int) -> CodeType | None:
    """The code object of that name and line inside `outer`.

    The outermost, since others are nested in it; and the last of these, since default values that are
    lambdas themselves are compiled before the function they belong to.
    """
    level = [outer]
    while level:
        inner = [c for code in level for c in code.co_consts if isinstance(c, CodeType)]
        matches = [c for c in inner if c.co_name == name and c.co_firstlineno == first_line]
        if matches:
            return matches[-1]
        level = inner
    return None


# What to say when there is no source


def _is_pseudo_file(file: str) -> bool:
    return file.startswith("<")


def _not_found(code: CodeType) -> SourceNotFoundError:
    file = code.co_filename
    if _is_pseudo_file(file) and file not in typed.PROMPTS:
        hint = (
            "put the function in a file, or call autograph.register_source(text, filename) "
            "and compile(text, filename, 'exec') before exec"
        )
    elif file in typed.PROMPTS:
        hint = "save the program in a file and run that file: Python keeps no text of what it was sent"
    elif file.endswith((".pyc", ".so", ".pyd")) or not os.path.exists(file):
        hint = "install the .py file, or mark the function with autograph.do_not_convert"
    else:
        hint = "save the file as readable Python text, or mark the function with autograph.do_not_convert"
    return SourceNotFoundError(
        f"the source of {_describe(code)} cannot be found", file=file, line=code.co_firstlineno, hint=hint
    )


def _changed(code: CodeType) -> ConversionError:
    file = code.co_filename
    if _is_pseudo_file(file) and file not in _registered:
        return _not_found(code)
    error = SourceChangedError(
        f"{_describe(code)} does not run what its file says: the text was changed after it was loaded",
        line=code.co_firstlineno,
        hint="reload the module, or restart Python, so that the function runs the text of the file",
    )
    return place(error, file, _registered.get(file))


def _describe(code: CodeType) -> str:
    return "a lambda" if code.co_name == "<lambda>" else f"`{code.co_qualname}`"
