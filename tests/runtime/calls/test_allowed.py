"""One table says which code that is not converted may be called; the rest is refused by its name."""

import importlib
import json
import sys
import textwrap
import zlib

import numpy as np
import pytest

import autograph
import runtime as rt
from autograph.loading import loaded
from runtime.allowed import SUBJECTS, Way, entry_named, entry_of
from runtime.calls.builtin_calls import handler_of
from runtime.numpy_calls.staged_calls import TABLE
from runtime.tracer.call_handlers import HANDLERS
from tests.runtime.calls.page import PAGE, page

#: every name in the table, without the rows for all methods of a class
NAMES = {
    f"{module}.{name}": callee
    for rows in SUBJECTS.values()
    for module, names, callee in rows
    for name in names.split()
    if not name.endswith(".*")
}
X = np.array([1.0, -2.0, 3.0])


def found(name):
    """The object of this name; None where this Python has none."""
    module, *parts = name.split(".")
    while parts and parts[0][:1].islower() and f"{module}.{parts[0]}" in sys.modules:
        module = f"{module}.{parts.pop(0)}"
    value = importlib.import_module(module)
    for part in parts:
        value = getattr(value, part, None)
    return value


#: names that not every Python has, and such as it gives no name to
NEWER = {"math.fma", "math.sumprod", "statistics.kde", "statistics.kde_random", "itertools.batched",
         "types.get_original_bases", "copy.replace", "dataclasses._replace"}  # fmt: skip
UNNAMED = {f"builtins.{name}" for name in ("cell", "code", "function", "mappingproxy", "method", "module")}
UNNAMED |= {"string.formatter_field_name_split", "string.formatter_parser"}


def test_no_name_is_misspelt():
    assert {name for name in NAMES if found(name) is None} <= NEWER | UNNAMED


def test_the_page_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m tests.runtime.calls.page`"


def test_every_handler_is_of_a_callee_in_the_table():
    assert handler_of(len) is not None  # all are loaded
    loaded("runtime.numpy_calls.staged_calls")
    for function in [*HANDLERS, *TABLE]:
        home = getattr(function, "__module__", None) or ""
        if not home.startswith(("runtime.", "numpy")):
            entry = entry_of(function)
            assert entry is not None and entry.way in (Way.STAGED, Way.REFUSED), function


def _is_inherited(name):
    cls = found(name.rpartition(".")[0])
    return isinstance(cls, type) and name.rpartition(".")[2] not in vars(cls)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_each_object_is_found_by_what_it_is(subject):
    rows = SUBJECTS[subject]
    for name in [f"{module}.{name}" for module, names, _ in rows for name in names.split()]:
        held = found(name) if name in NAMES else None
        if held is not None and not _is_inherited(name):
            assert entry_of(held) is entry_named(name), name


def test_staged_functions_have_something_that_stages_them():
    for name, callee in NAMES.items():
        held = found(name)
        if callee.way is Way.STAGED and held is not None and not callee.effects.writes:
            assert held in HANDLERS or held in TABLE, name


class Point:
    def __init__(self, x):
        self.x = x


@pytest.mark.parametrize(
    "given", [lambda x: x[0], lambda x: [(1, {"a": x[0]})], Point], ids=["value", "deep", "object"]
)
def test_what_is_not_listed_is_refused_by_name_and_line(given):
    def f(x):
        return zlib.crc32(given(x))

    with pytest.raises(autograph.StagingError, match=r"`zlib.crc32` is compiled code") as caught:
        rt.function(f)(X)
    assert caught.value.line == f.__code__.co_firstlineno + 1
    assert caught.value.hint == "return what it needs, and call it outside the decorated function"


def test_so_is_code_of_a_library_with_constants():
    with pytest.raises(autograph.StagingError, match=r"`json.dumps` is code of json, which is not converted"):
        rt.function(lambda x: (json.dumps({"a": 1}), x))(X)


def test_it_is_called_outside():
    def f(x):
        return [float(v) for v in x if v > 0]

    assert json.dumps(rt.function(f)(X)) == json.dumps(f(X)) == "[1.0, 3.0]"


@pytest.mark.parametrize("given", [lambda x: f"a {x[0]}", lambda x: Point("a")], ids=["value", "object"])
def test_what_is_listed_for_known_values_gets_no_others(given):
    assert entry_of(textwrap.shorten).way is Way.KNOWN
    with pytest.raises(
        autograph.StagingError, match=r"`textwrap.shorten` is not converted, and cannot work on a value that"
    ):
        rt.function(lambda x: textwrap.shorten(given(x), 5))(X)


def test_a_name_alone_lists_nothing():
    def shorten(text, width):
        return text

    shorten.__module__, shorten.__qualname__ = "textwrap", "shorten"
    assert entry_of(shorten) is None
