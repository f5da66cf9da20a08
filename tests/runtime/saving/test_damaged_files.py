"""Files that are damaged, of a newer version, or made to do harm: one clear error, and nothing is run."""

import random

import numpy as np
import pytest

import runtime as rt
from autograph.errors import InternalError
from runtime.ops import REGISTRY
from runtime.saving import admissible
from runtime.saving import save as saving
from tests.runtime.saving import fuzz
from tests.runtime.saving.files import change, files_in, generation, signature_in, write_graph


@rt.function
def f(x, n):
    total = {"sum": 0.0, "items": [x]}
    for i in range(n):
        if x[i] > 0:
            total["sum"] = total["sum"] + x[i] * W[0]
    print(f"n = {n}")
    return total


W = np.arange(3.0)


@pytest.fixture
def folder(tmp_path):
    rt.save(tmp_path / "f", f, rt.TensorSpec([None]), int)
    return tmp_path / "f"


EDITS = {
    "a newer version": (lambda m, s: m.update(version=3), "reads up to version 2"),
    "another format": (lambda m, s: m.update(format="a checkpoint"), "this holds a checkpoint, not"),
    "a path that leaves": (lambda m, s: s.update(graph="../f.0.graph"), "is no name of a file"),
    "an absolute path": (lambda m, s: s.update(graph="/etc/passwd"), "is no name of a file"),
    "a huge array": (lambda m, s: m["arrays"]["W"].update(type="f64[1000000000000]"), "the manifest says"),
    "another dtype": (lambda m, s: m["arrays"]["W"].update(type="i64[3]"), "the manifest says i64[3]"),
    "an array too many": (lambda m, s: m["arrays"].update(V={"type": "f64[3]"}), "'V' is in this file or in"),
    "another parameter": (lambda m, s: s.update(args=["f32[None]", "int"]), "`x` is f64[None] in"),
    "no such leaf": (lambda m, s: s.update(positions=[0, 9]), "range object index out of range"),
    "no such result": (lambda m, s: s.update(result={"result": 7}), "range object index out of range"),
    "code as a value": (lambda m, s: s.update(result={"value": "print(1)"}), "is no value"),
    "no signature": (lambda m, s: s.clear(), "KeyError"),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITS)
def test_a_manifest_that_lies(folder, name):
    edit, words = EDITS[name]
    change(folder, lambda manifest: edit(manifest, signature_in(manifest)))
    with pytest.raises(rt.LoadError) as raised:
        rt.load(folder)
    assert any(part in str(raised.value) for part in words.split("|"))


GRAPHS = {
    "an unknown operation": ("return x", "y: f64 = launch(x)", "there is no operation 'launch'"),
    "an attribute": (
        "return x",
        "y: object = object.getattr(x, name='__class__')",
        "an object of Python is asked",
    ),
    "a call": (
        "return x",
        "call(x, function=builtins.int, template=Template(((Hole(0),), {})))",
        "Python code",
    ),
    "pickle by a name": (
        "return x",
        "y: f64[3] = list.to_array('evil.npy', function='load', arguments={}, type=f64[3])",
        "list.to_array asks for 'load'",
    ),
    "a function by a name": ("return x", "inplace(x, x, ufunc='save')", "inplace asks for 'save'"),
    "a class made": (
        "return x",
        "print(x, template=Template(((Make(builtins.type, ('A', (), {}), ()),), {})))",
        "print uses",
    ),
    "a lie about types": ("return x", "y: i64[None] = negative(x)", "negative gives f64[None]"),
    "an object as a list": (
        "return x",
        "a: object = constant(value=None)\n    c: bool = py.gt(1, 0)\n    b: list[f64] = if c:\n"
        "        yield a\n    else:\n        yield a\n    list.append(b, 2.0)",
        "object does not fit list[f64]",
    ),
    "a number as an object": (
        "return x",
        "c: bool = py.gt(1, 0)\n    b: object = if c:\n        yield 1.5\n    else:\n        yield 2.5",
        "float does not fit object",
    ),
    "a dtype as a type": (
        "return x",
        "c: bool = py.gt(1, 0)\n    b: b1 = cast(c, to=dtype(bool))",
        "cast gives bool, but the graph says b1",
    ),
    "what gives nothing": (
        "return x",
        "a: list[float] = list.new([1.5])\n    b: float = list.append(a, 2.5)",
        "list.append does not accept",
    ),
    "a slice as an axis": ("return x", "n: int = dim(x, axis=slice(None, None, -1))", "does not accept"),
    "a number as a list": (
        "return x",
        "b: list[f64] = cast(2.0, to=list[f64])",
        "cannot convert a value of type float to list",
    ),
    "a dict as an exception": (
        "return x",
        "try(region=1):\n        block():\n            yield\n        block(e: dict[str, f64]):\n"
        "            yield",
        "a handler that takes the exception",
    ),
    "no operand": (
        "return x",
        "y: bool = is_instance(types=builtins.int)",
        "does not take 0 inputs",
    ),
    "an object as a stack": (
        "return x",
        "a: object = constant(value=None)\n    stack.push(a, 1.0, words=True)",
        "no file holds what that keeps",
    ),
    "a gradient": ("return x", "y: f64[None] = gradient(x)", "no file holds what that keeps"),
    "an object": ("return x", "y: object = constant(value=<object 1: f>)", "object 1 has no text form"),
}


def test_what_acts_on_more_than_numbers_was_decided():
    """A new operation of these families, and a new family, is refused in `admissible.py`, or added here."""
    families = {definition.family for definition in REGISTRY.values()} - set(admissible._REFUSED)
    effects = {
        name
        for name, definition in REGISTRY.items()
        if definition.family in ("effect", "store", "control flow", "differentiation")
        and name not in admissible._REFUSED
    }
    assert effects == {
        "print", "require", "assert", "raise", "format", "errstate", "object.make", "store_item",
        "delete_item", "if", "while", "for", "try", "call_function", "landing",
        "is_instance", "is_subclass", "class_of", "class.name", "exception.kind", "exception.argument",
        "exception.suppresses", "identity", "leave", "stop_gradient",
    }  # fmt: skip
    assert families == {
        "buffer", "constant", "container", "control flow", "conversion", "convolution", "creation",
        "differentiation", "effect", "elementwise", "indexing", "items", "linear algebra", "memory",
        "python arithmetic", "python bits", "python choice", "python comparison", "python complex",
        "python conversion", "python float", "python int", "python mixed", "reduction", "scalar", "scan",
        "shadow", "shape", "sorting", "stack", "store", "string",
    }  # fmt: skip


@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_that_is_made_to_do_harm(tmp_path, name):
    @rt.function
    def f(x):
        return x

    rt.save(tmp_path / "f", f, rt.TensorSpec([None]))
    old, new, words = GRAPHS[name]
    text = (generation(tmp_path / "f") / "f.0.graph").read_text()
    write_graph(tmp_path / "f", text.replace(old, f"{new}\n    {old}"))
    with pytest.raises(rt.LoadError) as raised:
        rt.load(tmp_path / "f")
    assert words in str(raised.value)


def test_functions_that_call_each_other_without_end_are_stopped(tmp_path):
    @rt.function
    def f(n):
        return n if n < 1 else f(n - 1)

    rt.save(tmp_path / "f", f, int)
    text = (generation(tmp_path / "f") / "f.0.graph").read_text()
    write_graph(tmp_path / "f", text.replace("py.sub(", "py.add("))
    with pytest.raises(RecursionError):
        rt.load(tmp_path / "f")(1)


@pytest.mark.parametrize("file", ["manifest.json", "f.0.graph", "arrays.safetensors"])
def test_truncated_and_changed_files(folder, file):
    (file,) = folder.rglob(file)
    content = file.read_bytes()
    chance = random.Random(1)
    for _ in range(60):
        changed = bytearray(content[: chance.randrange(len(content))])
        file.write_bytes(changed)
        with pytest.raises(rt.LoadError):
            rt.load(folder)
    file.write_bytes(b"[" * 100_000)
    with pytest.raises(rt.LoadError):
        rt.load(folder)
    file.unlink()
    with pytest.raises(rt.LoadError):
        rt.load(folder)


def test_random_changes_raise_nothing_but_load_errors(folder):
    file = generation(folder) / "f.0.graph"
    graph, manifest = file.read_text(), (folder / "manifest.json").read_text()
    words = sorted({*graph.split(), *manifest.split(), "-1", "9" * 5000, "((((", "None", '"x"', "[", "{}"})
    chance = random.Random(2)
    for _ in range(150):
        (folder / "manifest.json").write_text(manifest)
        text = _changed(graph, words, chance)
        write_graph(folder, text)
        _load(folder)
        file.write_text(graph)
        (folder / "manifest.json").write_text(_changed(manifest, words, chance))
        _load(folder)


def _changed(text, words, chance):
    for _ in range(chance.randrange(1, 3)):
        at = chance.randrange(len(text))
        text = text[:at] + chance.choice(words) + text[at + chance.randrange(8) :]
    return text


def _load(folder):
    try:
        rt.load(folder)
    except rt.LoadError:
        pass


def test_nothing_is_half_written(folder, monkeypatch):
    before = {file: file.read_bytes() for file in files_in(folder)}

    def fail(*args):
        raise OSError("no space left on device")

    monkeypatch.setattr(saving, "write_json", fail)
    with pytest.raises(OSError, match="no space left"):
        rt.save(folder, f, rt.TensorSpec([4]), int)
    assert {file: file.read_bytes() for file in files_in(folder)} == before
    assert [file.name for file in folder.parent.iterdir()] == ["f"]


def test_what_is_no_folder_of_ours_says_so(tmp_path):
    with pytest.raises(rt.LoadError, match="there is no such folder"):
        rt.load(tmp_path / "none")
    with pytest.raises(rt.LoadError, match="was not written by rt.save"):
        rt.load(tmp_path)


MADE_AS_ANOTHER = {
    "nobody should read it": "b: list[float] = undef(type=list[float])\n    list.append(b, n)",
    "a dict": "b: list[float] = list.of({})\n    list.append(b, n)",
    "a deque": "a: deque[float] = deque.of([1.0])\n    b: list[float] = list.copy(a)\n    list.append(b, n)",
    "a number as a text": "a: str = str.mul(2, 3)\n    b: str = str.add(a, a)",
}


@pytest.mark.parametrize("name", MADE_AS_ANOTHER)
def test_machine_code_gets_no_object_of_another_class(tmp_path, name):
    """A graph may promise what only a run can tell: the run then ends in an error."""

    @rt.function
    def f(n):
        return n

    rt.save(tmp_path / "f", f, float)
    text = (generation(tmp_path / "f") / "f.0.graph").read_text()
    write_graph(tmp_path / "f", text.replace("return n", f"{MADE_AS_ANOTHER[name]}\n    return n"))
    try:
        assert rt.load(tmp_path / "f")(1.0) == 1.0
    except InternalError as error:
        assert "a kernel returned" in str(error)


def test_changed_files_are_refused_or_mean_what_they_say():
    """A few of those that `make fuzz-files` makes; see fuzz.py."""
    ends, wrong = fuzz.run(150, 1, [[*fuzz.own_seeds()]])
    assert not wrong
    assert ends["refused"] > 50 and ends["a result"] > 10
