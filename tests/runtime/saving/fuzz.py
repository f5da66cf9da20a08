"""Changed files: graphs and manifests in which a type, an operand, an attribute or a count is another.

    python -m tests.runtime.saving.fuzz --count 20000 --seed 1        what `make fuzz-files` does
    python -m tests.runtime.saving.fuzz --show 1:377                  one case, in this process

Each case is loaded, and where that succeeds called, with both engines. It is right when loading raises
LoadError, or when a call of the numpy engine, which asks Python for everything, and machine code give the
same, be it an exception. A process of its own with limited memory runs the cases, so that a crash or one
that hangs is seen, and the next one goes on behind it.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import copy
import difflib
import heapq
import io
import json
import os
import pickle
import random
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from safetensors.numpy import load_file, save_file

import runtime as rt
from autograph.errors import InternalError, StagingError
from runtime.graph import Block, Graph, Operation, Value
from runtime.ops import REGISTRY
from runtime.saving.loaded import LoadedFunction
from runtime.saving.signatures import Numeric
from runtime.types import ArrayType, ScalarType, type_of
from tests.features import registry
from tests.runtime.saving.files import generation, manifest_of, signature_in

MEMORY = 4 << 30
#: how long loading, machine code and the numpy engine may take, in seconds
LONG, SHORT = 60, 2


class Seed(NamedTuple):
    """A right program: its graph, its manifest in the form of the first version, arrays, arguments."""

    graph: str
    manifest: dict[str, Any]
    arrays: dict[str, np.ndarray[Any, Any]]
    args: tuple[Any, ...]


# -- right programs ---------------------------------------------------------------------------------------

W = np.array([2.0, 3.0, 5.0])
MATRIX = np.arange(9.0).reshape(3, 3)


def loops(x, n):
    total = 0.0
    for i in range(n):
        if x[i % len(x)] > 1.0:
            total += x[i % len(x)] * W[0]
    while total > 10:
        total = total / 2
    return {"sum": total, "items": [x, (n, total)]}


def arrays(x):
    y = x.copy()
    y[1:] += W[:2]
    z = np.where(y > 2, y, -y).reshape(3, 1) * MATRIX
    return z.sum(axis=0), np.concatenate([y, z[0]]), (z @ MATRIX).T[::-1], np.sort(y), y.max() > x.mean()


def lists(n):
    found = []
    for i in range(n):
        found.append(i * 1.5)
    found.sort(reverse=True)
    found[0] = 7.0
    last = found.pop()
    return found, last, sum(found), max(found), len(found), found[1:], 3.0 in found


def buffers(x, n):
    found, parts = [], []
    for i in range(n):
        found.append(i * 0.5)
        parts.append(x * i)
    found[-1] = 3.0
    last = found.pop()
    return last, max(found), len(found), np.stack(parts), np.array(found), found[n - 3]


def rows(n):
    found = [(0, 0.5)]
    for i in range(n):
        heapq.heappush(found, (n - i, i * 0.5))
    smallest = heapq.heappop(found)
    maybe = [None, 2.5]
    for i in range(n):
        maybe.append(None if i > 1 else i * 1.5)
    total = 0.0
    for one in maybe:
        if one is not None:
            total += one
    return found, smallest, total


def tables(n):
    seen, known, ends = {}, set(), collections.deque([1])
    for i in range(n):
        seen[i % 3] = seen.get(i % 3, 0) + i
        known.add(i % 2)
        ends.appendleft(i)
    ends.pop()
    return seen, sorted(known), list(ends), 1 in seen, len(seen), [key for key in seen]


def texts(n):
    text = "a"
    for i in range(n):
        text = text + f"{i:02d}" + str(i * 0.5)
    return text.upper(), text[1:3], len(text), text.split("0"), "a" in text, text == "b", int(text[1])


def errors(x, n):
    found = 0
    for i in range(n):
        try:
            if x[i] > 1.0:
                raise ValueError("large", i)
            found += 10 // i
        except ZeroDivisionError as error:
            found += len(str(error))
        except (ValueError, IndexError):
            found -= 1
    assert found < 1000, "too many"
    return found


def recursion(n):
    return n if n < 2 else recursion(n - 1) + recursion(n - 2)


def numbers(x, n):
    ints = (abs(n - 7) ** 2, n // 3, n % 3, n << 2, -n if n else 1)
    return ints, complex(n, x[0]) * 2j, float(n) / 3, np.exp(x[0])


def views(x):
    y = x[::2]
    y += 1.0
    x[0] = y[-1]
    z = x.reshape(1, -1)
    z[0, 1:] *= 2
    return x, y, z.shape[1], x.astype("int64"), x[x > 2.0]


def slope(x):
    return (np.tanh(x * W) ** 2).sum() + (x @ MATRIX @ x) / np.linalg.norm(x)


def paths(x, n):
    return {"a": x, "b": n} if n > 2 else {"a": x * 2, "b": n + 1}


X = np.array([1.0, 2.5, 0.5])
OWN: list[tuple[Any, tuple[Any, ...]]] = [
    (loops, (X, 7)), (arrays, (X,)), (lists, (5,)), (buffers, (X, 5)), (rows, (4,)), (tables, (6,)),
    (texts, (3,)),
    (errors, (X, 3)), (recursion, (6,)), (numbers, (X, 5)), (views, (X,)), (rt.grad(slope), (X,)),
    (paths, (X, 3)),
]  # fmt: skip


def own_seeds() -> Iterator[Seed]:
    for function, args in OWN:
        yield seed_of(function, args)


def seed_of(function: Any, args: tuple[Any, ...]) -> Seed:
    """What `rt.save` makes of it."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "f"
        traced = rt.function(function, engine="numpy")
        rt.save(place, {"f": traced.get_concrete_function(*copy.deepcopy(args))})
        manifest = {**manifest_of(place), "version": 1, "kind": "function"}
        graph = (generation(place) / signature_in(manifest)["graph"]).read_text()
        return Seed(graph, manifest, load_file(generation(place) / "arrays.safetensors"), args)


def seeds_of_features() -> Iterator[Seed]:
    """The rows of the table that can be saved."""
    for row in registry.load().values():
        if row.kind == "function" and row.calls and not row.calls[0].kwargs:
            with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
                yield seed_of(row.program, row.calls[0].args)


def seeds_of_operations() -> Iterator[Seed]:
    """A graph of one operation, for each that has samples."""
    for name, definition in REGISTRY.items():
        for sample in definition.samples[:4]:
            with contextlib.suppress(Exception):
                yield seed_of_operation(name, sample)


def seed_of_operation(name: str, sample: list[Any]) -> Seed:
    attributes = sample[-1] if sample and isinstance(sample[-1], dict) else {}
    specs = sample[:-1] if attributes else sample
    args = [np.ones(spec) + np.eye(*spec[-2:]) if isinstance(spec, tuple) and len(spec) > 1 else
            np.ones(spec) if isinstance(spec, tuple) else spec for spec in specs]  # fmt: skip
    known = map(type_of, args)
    types = [ArrayType(t.dtype, (None,) * t.ndim) if isinstance(t, ArrayType) else t for t in known]
    infer = REGISTRY[name].infer
    assert infer is not None
    found = infer(tuple(types), **attributes)
    params = [Value(t, f"x{k}") for k, t in enumerate(types)]
    op = Operation(name, tuple(params), found if isinstance(found, tuple) else (found,), attributes)
    graph = Graph("f", Block(params, [op], (*op.outputs, *params)))
    results: list[Any] = [{"result": k} for k in range(len(graph.results))]
    signature = {
        "args": [str(t) for t in types], "kwargs": {}, "positions": list(range(len(types))), "inputs": [],
        "guards": [], "result": {"tuple": results}, "constants": {}, "graph": "f.0.graph", "crc32": 0,
    }  # fmt: skip
    parameters = [{"name": f"x{k}", "kind": "POSITIONAL_OR_KEYWORD"} for k in range(len(types))]
    manifest = {
        "format": "saved functions", "version": 1, "kind": "function", "arrays": {},
        "functions": {"f": {"parameters": parameters, "signatures": [signature]}},
    }  # fmt: skip
    return Seed(str(graph), manifest, {}, tuple(args))


# -- changes ----------------------------------------------------------------------------------------------

TYPES = """
int float bool complex f64 f32 i64 b1 c128 u8 u64 str object exception type stack companion f64[None] f64[2]
f64[3] f64[] i64[None] i64[3] u64[None] bool[None] f64[None,None] f64be[None] c128[2] f16[2] list[float]
list[int] list[] list[int,float] list[None|float] list[list[float]] dict[str,int] dict[int,float] set[int]
deque[float] tuple[int] Counter[str,int] buffer[float] buffer[f64[2]] f64[99999999999999999999] f64[0]
""".split()
LITERALS = """
0 1 2 -1 3 7 -7 None True False 1.5 nan inf -inf 9223372036854775807 -9223372036854775808 1e300 1000000 'a'
99999999999999999999 "C" () (0,) (1,0) (None,) [] {} slice(None,None,-1) ... dtype(f64) dtype(i32) f64(1.5)
dtype(c128) dtype(bool) builtins.int builtins.list ValueError numpy.add i64(3) Hole(0) Hole(9) float f64[2]
""".split()
ADDED = "axis=0 keepdims=True dtype=dtype(f64) type=list[float] value=1 shape=(2,) index=(0,)".split()
OPERATIONS = [name for name, definition in REGISTRY.items() if definition.kernel is not None]
Change = Callable[[str, random.Random], str]


def _at(pattern: str, others: Callable[[str, random.Random], str]) -> Change:
    """Replace what one match of a pattern says, in its first group."""

    def change(text: str, chance: random.Random) -> str:
        found = list(re.finditer(pattern, text))
        if not found:
            return text
        match = chance.choice(found)
        start, end = match.span(1)
        return text[:start] + others(match[1], chance) + text[end:]

    return change


def _another_name(name: str, text: str, chance: random.Random) -> str:
    names = re.findall(r"(\w+): ", text)
    return chance.choice([*names, *LITERALS[:8]]) if names else name


def _operand(text: str, chance: random.Random) -> str:
    return _at(r"[(,=] ?([A-Za-z_]\w*)(?=[,)\n])", lambda name, c: _another_name(name, text, c))(text, chance)


def _operation(name: str, chance: random.Random) -> str:
    family = REGISTRY[name].family if name in REGISTRY else ""
    alike = [one for one in OPERATIONS if REGISTRY[one].family == family]
    return chance.choice(alike if alike and chance.random() < 0.7 else OPERATIONS)


def _attribute(text: str, chance: random.Random) -> str:
    """Left out, added, or of another name."""
    found = list(re.finditer(r", \w+=[^,()]+|\w+=[^,()]+, ", text))
    if found and chance.random() < 0.6:
        match = chance.choice(found)
        return text[: match.start()] + text[match.end() :]
    return _at(r"\w\([^()\n]*(\))", lambda _, chance: f", {chance.choice(ADDED)})")(text, chance)


def _line(text: str, chance: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    place = chance.randrange(len(lines))
    do = chance.randrange(3)
    if do == 0:
        del lines[place]
    elif do == 1:
        lines.insert(chance.randrange(len(lines) + 1), lines[place])
    else:
        other = chance.randrange(len(lines))
        lines[place], lines[other] = lines[other], lines[place]
    return "".join(lines)


CHANGES: list[Change] = [
    _at(r": (\w+(?:\[[^\]=]*\])*)", lambda _, chance: chance.choice(TYPES)),
    _at(r"-> \(?([^:]+?)\)?:", lambda _, chance: chance.choice(TYPES)),
    _at(r"[=,] (?=[\w.]+\()([\w.]+)", _operation),
    _at(r"= ([\w.]+)\(", _operation),
    _at(r"\n +([a-z]\w*\.?\w*)\(", _operation),
    _at(r"(?<![\w.])(-?\d+(?:\.\d+)?)", lambda _, chance: chance.choice(LITERALS)),
    _at(r"\w=([^,()\n]+)", lambda _, chance: chance.choice(LITERALS)),
    _at(r"(\w+)", lambda word, chance: chance.choice([word, *LITERALS, *TYPES])),
    _operand,
    _operand,
    _attribute,
    _line,
]


def changed_graph(text: str, chance: random.Random) -> str:
    for _ in range(chance.choice((1, 1, 2, 3, 4))):
        text = chance.choice(CHANGES)(text, chance)
    return text


def changed_manifest(manifest: Any, others: list[list[Seed]], chance: random.Random) -> Any:
    """With one node that is another, doubled, or gone."""
    made = json.loads(json.dumps(manifest))
    nodes = list(_nodes(made["functions"] if chance.random() < 0.9 else made))
    holder, key = chance.choice(nodes)
    do = chance.random()
    if do < 0.15:
        del holder[key]
    elif do < 0.3 and isinstance(holder, list):
        holder.insert(key, holder[key])
    elif do < 0.6:
        holder[key] = chance.choice([0, 1, -1, 7, None, True, "x", [], {}, "int", *TYPES, 10**30, 1.5])
    else:
        other, place = chance.choice(list(_nodes(chance.choice(chance.choice(others)).manifest["functions"])))
        holder[key] = other[place]
    return made


def _nodes(form: Any) -> Iterator[tuple[Any, Any]]:
    keys = list(form) if isinstance(form, dict) else range(len(form)) if isinstance(form, list) else ()
    for key in keys:
        yield form, key
        yield from _nodes(form[key])


# -- one case ---------------------------------------------------------------------------------------------


def case(seeds: list[list[Seed]], number: str, folder: Path) -> tuple[Seed, str]:
    """Write the files of a case: its program before, and its graph now."""
    chance = random.Random(number)
    seed = chance.choice(chance.choice(seeds))
    text, manifest = seed.graph, seed.manifest
    if chance.random() < 0.8:
        text = changed_graph(text, chance)
    else:
        manifest = changed_manifest(manifest, seeds, chance)
    with contextlib.suppress(Exception):
        manifest = json.loads(json.dumps(manifest))
        signature = signature_in(manifest)
        signature.update(graph="f.0.graph", crc32=zlib.crc32(text.encode()))
    (folder / "f.0.graph").write_text(text)
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1))
    save_file(seed.arrays, folder / "arrays.safetensors")
    return seed, text


class TookLong(BaseException):
    """More steps than are waited for."""


@contextlib.contextmanager
def seconds(most: float) -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise TookLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, most)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def judge(seeds: list[list[Seed]], number: str, folder: Path, say: Callable[[str], None]) -> str:
    """How a case ends. Raises AssertionError where that is wrong."""
    seed, text = case(seeds, number, folder)
    say(f"load {number}")
    try:
        function = rt.load(folder, engine="numpy")
    except rt.LoadError:
        return "refused"
    if not isinstance(function, LoadedFunction):
        return "no function"
    args = arguments(function, seed.args)
    say(f"numpy {number}")
    try:
        with seconds(SHORT):
            expected = outcome(function, args)
    except TookLong:
        return "long"
    say(f"native {number}")
    found = outcome(rt.load(folder, engine="native"), args)
    if "empty" in text or "undef" in text:
        return "of memory that nobody wrote"
    try:
        assert same(expected, found), f"{found!r} in place of {expected!r}"
    except RecursionError:
        return "a list that holds itself"
    return "an exception" if isinstance(expected, BaseException) else "a result"


def arguments(function: LoadedFunction, given: tuple[Any, ...]) -> list[Any]:
    """Those of the seed where they fit; else what the signature asks for."""
    if not function.signatures:
        return list(given)
    made = []
    for k, spec in enumerate(function.signatures[0].args):
        if k < len(given) and spec.take(given[k], []):
            made.append(given[k])
        elif isinstance(spec, Numeric):
            kind = spec.type
            shape = [2 if n is None else min(n, 100) for n in kind.shape]
            value = np.ones(shape, kind.dtype)
            made.append(
                value if isinstance(kind, ArrayType)
                else value[()] if isinstance(kind, ScalarType) else value.item()
            )  # fmt: skip
        else:
            made.append(given[k] if k < len(given) else None)
    return made


def outcome(function: LoadedFunction, args: list[Any]) -> Any:
    """The result of a call, with the arguments after it; or its exception."""
    args = copy.deepcopy(args)
    try:
        with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            return function(*args), args
    except (Exception, RecursionError) as error:
        return error


def same(a: Any, b: Any) -> bool:
    if isinstance(b, InternalError):  # what a graph promised of Python's code, machine code holds it to
        return "a kernel returned" in str(b)
    if isinstance(b, StagingError) and type(a) is not type(b):
        return "does not fit in 64 bits" in str(b)
    if isinstance(a, BaseException) or isinstance(b, BaseException):
        return type(a) is type(b)
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return same(list(a.items()), list(b.items()))
    if isinstance(a, list | tuple | collections.deque):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray | np.generic):
        return a.dtype == b.dtype and a.shape == b.shape and np.allclose(a, b, 1e-6, 1e-9, equal_nan=True)
    if isinstance(a, float | complex):
        return bool(np.isclose(a, b, 1e-6, 1e-9, equal_nan=True))
    return bool(a == b)


# -- many -------------------------------------------------------------------------------------------------


def work(seeds_file: Path, seed: int, first: int, last: int) -> None:
    """The cases one after the other, in a process that may end with any of them."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    seeds = pickle.loads(seeds_file.read_bytes())
    out = os.fdopen(os.dup(1), "w", buffering=1)
    sys.stdout = io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        for k in range(first, last):
            try:
                end = judge(seeds, f"{seed}:{k}", Path(folder), lambda text: print(text, file=out))
                print(f"end {end}", file=out)
            except MemoryError:
                print("end no memory", file=out)
            except BaseException as error:
                words = " ".join(traceback.format_exception_only(error)).replace("\n", " ")
                print(f"wrong {seed}:{k} {words}", file=out)


def run(
    count: int, seed: int, seeds: list[list[Seed]], first: int = 0
) -> tuple[collections.Counter[str], list[str]]:
    """How many cases ended in which way, and those that were wrong."""
    ends: collections.Counter[str] = collections.Counter()
    wrong: list[str] = []
    folder = Path(tempfile.mkdtemp())
    (folder / "seeds").write_bytes(pickle.dumps(seeds))
    last = first + count
    while first < last:
        command = [sys.executable, "-m", "tests.runtime.saving.fuzz", "--work", str(folder / "seeds")]
        command += ["--seed", str(seed), "--first", str(first), "--count", str(min(last - first, 2000))]
        worker = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert worker.stdout is not None
        said = "start"
        while True:
            ready, _, _ = select.select([worker.stdout], [], [], LONG if said != "start" else 2 * LONG)
            line = worker.stdout.readline().decode() if ready else ""
            if not line:
                break
            kind, _, rest = line.rstrip().partition(" ")
            if kind in ("end", "wrong"):
                first += 1
                ends[rest if kind == "end" else "wrong"] += 1
                wrong += [rest] if kind == "wrong" else []
            said = line.rstrip()
        if not ready:
            worker.kill()
        status = worker.wait()
        worker.stdout.close()
        if not ready or status:
            wrong.append(f"{said}: {'hangs' if not ready else f'ends with {status}'}")
            ends["wrong"] += 1
            first += 1
    shutil.rmtree(folder)
    return ends, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name, number in (("count", 20000), ("seed", 1), ("first", 0)):
        parser.add_argument(f"--{name}", type=int, default=number)
    parser.add_argument("--work")
    parser.add_argument("--show")
    given = parser.parse_args()
    if given.work:
        work(Path(given.work), given.seed, given.first, given.first + given.count)
        return 0
    seeds = [[*own_seeds()], [*seeds_of_features()], [*seeds_of_operations()]]
    if given.show:
        with tempfile.TemporaryDirectory() as folder:
            seed, text = case(seeds, given.show, Path(folder))
            manifest = (Path(folder) / "manifest.json").read_text()
            for before, now in ((seed.graph, text), (json.dumps(seed.manifest, indent=1), manifest)):
                print(*difflib.unified_diff(before.splitlines(), now.splitlines(), lineterm=""), sep="\n")
            print(seed.args)
            sys.stdout.flush()
            print(judge(seeds, given.show, Path(folder), print))
        return 0
    ends, wrong = run(given.count, given.seed, seeds, given.first)
    print("\n".join(wrong), dict(ends), sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
