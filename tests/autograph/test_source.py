"""Finding the source of a function: the right one, or a clear refusal."""

import ast
import importlib
import linecache
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import gast
import pytest

from autograph.errors import SourceChangedError, SourceNotFoundError, StagingError
from autograph.source import find, register_source

ROOT = Path(__file__).parents[2]


def text_of(function):
    return ast.unparse(gast.gast_to_ast(find(function).node))


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Write a module and import it."""
    monkeypatch.syspath_prepend(tmp_path)

    def write_and_import(text, name="loaded_module"):
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")
        sys.modules.pop(name, None)
        importlib.invalidate_caches()
        return importlib.import_module(name)

    yield write_and_import
    sys.modules.pop("loaded_module", None)


def test_a_function_and_where_it_stands(load):
    module = load("""
        def f(x):
            return x
    """)
    found = find(module.f)
    assert (found.node.name, found.node.lineno, found.file) == ("f", 2, module.__file__)


def test_several_lambdas_on_one_line(load):
    module = load("a, b, c = lambda x: x + 1, lambda x: x + 1 , lambda x: (lambda y: x)")
    assert [find(f).node.col_offset for f in (module.a, module.b, module.c)] == [10, 27, 45]
    assert text_of(module.c(1)) == "lambda y: x"


def test_lambdas_in_a_dict_and_nested(load):
    module = load("""
        table = {'id': lambda x: x, 'twice': lambda x: x * 2, 'curry': lambda x: lambda y: x + y}
    """)
    assert text_of(module.table["twice"]) == "lambda x: x * 2"
    assert text_of(module.table["curry"]) == "lambda x: lambda y: x + y"
    assert text_of(module.table["curry"](1)) == "lambda y: x + y"


def test_lambdas_as_defaults(load):
    module = load("""
        def f(x, key=lambda v: -v, *, other=lambda v: v): return key(x)
        g = lambda x=(lambda: 1): x()
    """)
    assert text_of(module.f.__defaults__[0]) == "lambda v: -v"
    assert text_of(module.f.__kwdefaults__["other"]) == "lambda v: v"
    assert text_of(module.f).startswith("def f(x, key=lambda v: -v")
    assert text_of(module.g) == "lambda x=lambda: 1: x()"
    assert text_of(module.g.__defaults__[0]) == "lambda: 1"


def test_a_lambda_over_several_lines(load):
    module = load("""
        f = (lambda x:
             x +
             1); g = lambda: 2
    """)
    assert text_of(module.f) == "lambda x: x + 1"
    assert text_of(module.g) == "lambda: 2"


def test_columns_count_bytes(load):
    module = load("names = ['é', 'ü']; f, g = lambda é: é, lambda é: é + 'ü'")
    assert text_of(module.f) == "lambda é: é"
    assert text_of(module.g) == "lambda é: é + 'ü'"


def test_a_decorated_function_and_its_wrapper(load):
    module = load("""
        import functools

        def twice(f):
            @functools.wraps(f)
            def wrapper(*args):
                return f(f(*args))
            return wrapper

        @twice
        @twice
        def inc(x):
            return x + 1
    """)
    assert find(module.inc).node.name == "wrapper"
    assert find(module.inc.__wrapped__.__wrapped__).node.name == "inc"


def test_a_function_defined_twice(load):
    module = load("""
        def f(): return 'first'
        first = f
        def f(): return 'second'
    """)
    assert "first" in text_of(module.first)
    assert "second" in text_of(module.f)


def test_methods_know_their_class(load):
    module = load("""
        class A:
            class B:
                def f(self): return self.__x
            def g(self):
                return lambda: self.__y
    """)
    assert find(module.A.B.f).class_name == "B"
    assert find(module.A.g).class_name == "A"
    assert find(module.A().g()).class_name == "A"
    assert find(load).class_name is None


def test_generators_and_coroutines(load):
    module = load("""
        def g():
            yield 1
        async def h():
            return [x async for x in g()]
    """)
    assert isinstance(find(module.g).node, gast.FunctionDef)
    assert isinstance(find(module.h).node, gast.AsyncFunctionDef)


def test_future_annotations_are_seen(load):
    module = load("""
        from __future__ import annotations
        def f(x: unknown) -> nothing:
            y: nowhere = x
            return y
    """)
    assert find(module.f).flags != 0


def test_asserts_rewritten_by_pytest():
    def f(x):
        assert x > 0, "positive"
        return x

    assert "assert x > 0" in text_of(f)


def test_registered_text():
    text = "def f(x):\n    return x + 1\n"
    namespace = {}
    exec(compile(text, register_source(text, "<registered example>"), "exec"), namespace)
    assert text_of(namespace["f"]) == "def f(x):\n    return x + 1"


def test_registering_other_text_under_the_same_name_is_detected():
    text = "def f(x):\n    return x + 1\n"
    namespace = {}
    exec(compile(text, register_source(text, "<reused name>"), "exec"), namespace)
    register_source("def f(x):\n    return x - 1\n", "<reused name>")
    with pytest.raises(SourceChangedError, match="does not run what its file says"):
        find(namespace["f"])


def test_exec_without_text_says_what_to_do():
    namespace = {}
    exec("def f(x): return x", namespace)
    with pytest.raises(SourceNotFoundError, match="register_source") as caught:
        find(namespace["f"])
    assert caught.value.hint is not None


def test_linecache_serves_notebooks():
    text = "f = lambda x: x\n"
    linecache.cache["<cell 1>"] = (len(text), None, [text], "<cell 1>")
    namespace = {}
    exec(compile(text, "<cell 1>", "exec"), namespace)
    assert text_of(namespace["f"]) == "lambda x: x"


IMPORTS_AND_CALLS = """
import math, os.path as p
from math import pi as number
if True:
    import cmath
    inside = lambda x: cmath.exp(x) + math.exp(x)
def outside(x):
    return math.sqrt(x) + cmath.sqrt(p.getsize(x)) + number.real.hex()
class Holder:
    import string as own
    def method(self, x):
        import textwrap as local
        return math.sin(x), own.capwords(x), local.dedent(x)
"""


@pytest.mark.parametrize("at_once", [True, False], ids=["as a module", "by statements"])
def test_imports_in_the_text_that_is_compiled_with_a_function(at_once):
    name = register_source(IMPORTS_AND_CALLS)
    tree = ast.parse(IMPORTS_AND_CALLS)
    for statements in [tree.body] if at_once else [[one] for one in tree.body]:
        exec(compile(ast.Module(statements, []), name, "exec"), namespace := globals().copy())
        for found in ("inside", "outside"):
            if found in namespace:
                assert find(namespace[found]).node.lineno == namespace[found].__code__.co_firstlineno
        if "Holder" in namespace:
            assert find(namespace["Holder"].method).class_name == "Holder"


def test_zip_imports(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "code.zip", "w") as archive:
        archive.writestr("zipped_module.py", "def f(x):\n    return x * 3\n")
    monkeypatch.syspath_prepend(str(tmp_path / "code.zip"))
    module = importlib.import_module("zipped_module")
    assert text_of(module.f) == "def f(x):\n    return x * 3"


@pytest.mark.parametrize(
    "edited",
    [
        "def f(x):\n    return x + 2\n",
        "def f(x):\n    return x - 1\n",
        "def f(y):\n    return y + 1\n",
        "\ndef f(x):\n    return x + 1\n",
        "def f(x):\n\n    return x + 1\n",
        "def f(x):\n    return x + 1.0\n",
        "def f(x):\n    return x + True\n",
        "def g(x):\n    return x + 1\n",
        "def f(x:\n",
        "",
    ],
)
def test_a_file_edited_after_import_is_refused(load, tmp_path, edited):
    module = load("def f(x):\n    return x + 1\n")
    (tmp_path / "loaded_module.py").write_text(edited)
    with pytest.raises(SourceNotFoundError):
        find(module.f)


def test_a_comment_edited_after_import_does_not_matter(load, tmp_path):
    module = load("def f(x):\n    return x + 1\n")
    (tmp_path / "loaded_module.py").write_text("def f(x):\n    return x + 1  # one more\n")
    assert find(module.f).lines[1].endswith("# one more\n")


def test_a_compiled_file_without_source(load, tmp_path):
    module = load("def f(x):\n    return x + 1\n")
    (tmp_path / "loaded_module.py").unlink()
    with pytest.raises(SourceNotFoundError, match="do_not_convert"):
        find(module.f)


def test_the_error_names_file_line_and_function(load, tmp_path):
    module = load("\n\ndef f(x):\n    return x + 1\n")
    (tmp_path / "loaded_module.py").write_text("\n\ndef f(x):\n    return x + 2\n")
    with pytest.raises(SourceChangedError) as caught:
        find(module.f)
    assert str(caught.value).splitlines()[:2] == [
        f"{module.__file__}:3: `f` does not run what its file says: the text was changed after it was loaded",
        "    def f(x):",
    ]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters are syntax of Python 3.12")
def test_type_parameters(load):
    module = load("""
        def f[T](x: T) -> list[T]:
            def g(y: T): return T, y
            return [x, g]
    """)
    assert find(module.f).node.name == "f"
    assert find(module.f(1)[1]).node.name == "g"


def test_lambdas_made_by_eval():
    text = "[lambda x: x + 1, {'k': lambda x: (lambda y=(lambda: x): y)}]"
    file = register_source(text)
    first, table = eval(compile(text, file, "eval"))
    assert text_of(first) == "lambda x: x + 1"
    assert text_of(table["k"](1)) == "lambda y=lambda: x: y"
    assert text_of(table["k"](1).__defaults__[0]) == "lambda: x"


@pytest.mark.skipif(sys.version_info < (3, 13), reason="older interpreters do not keep what was typed")
def test_what_was_typed_at_the_prompt():
    typed = "import autograph\ndef f(x):\n    return not x\n\nprint(autograph.to_code(f))\n"
    run = subprocess.run(
        [sys.executable, "-i", "-q"], input=typed, capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert "return ag__.not_(x)" in run.stdout, run.stderr


def test_a_function_that_is_reached_and_has_no_source_is_refused_where_it_meets_a_staged_value():
    import numpy as np

    import runtime as rt

    namespace = {}
    exec("def g(x):\n    return x if x[0] > 0 else -x\n", namespace)
    g = namespace["g"]

    @rt.function
    def f(x):
        return g(x)

    with pytest.raises(StagingError) as caught:
        f(np.array([1.0]))
    assert (caught.value.file, caught.value.line) == (__file__, f.python_function.__code__.co_firstlineno + 2)
