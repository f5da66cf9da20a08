"""Machine code in files: what is found again, what is not, and what nobody may be fooled by."""

import os
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest

import runtime as rt
from autograph.errors import ArgumentError
from runtime.engines.native import disk, elf
from runtime.engines.native.jit import jit

pytestmark = pytest.mark.skipif(bool(elf.why_not()), reason=elf.why_not())


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    place = tmp_path / "code"
    monkeypatch.setenv("AUTOGRAPH_CACHE_DIR", str(place))
    return place


SCALE = 2.0


def scaled(x, n):
    total = 0.0
    for i in range(n):
        if x[i] > 0.5:
            total += x[i] * SCALE
    return total


X = np.linspace(0.0, 1.0, 8)


def use_of(function: rt.Function) -> disk.Use:
    """What became of the code of the last trace."""
    return function._order[-1].compiled.executable.cache


def ran(python, *args, **options) -> disk.Use:
    """A decorated function that gives what Python gives; what became of its code."""
    f = rt.function(python, engine="native", **options)
    expected = python(*args)
    assert f(*args) == expected
    assert type(f(*args)) is type(expected)
    return use_of(f)


def found_again(python, *args) -> bool:
    use = ran(python, *args)
    assert not use.reason
    return not use.written


def test_code_is_found_again_and_llvm_has_nothing_to_do(monkeypatch):
    assert not found_again(scaled, X, 8)
    monkeypatch.setattr("runtime.engines.native.llvm.object_code", None)
    assert found_again(scaled, X, 8)


def test_another_source_global_closure_or_dtype_is_other_code(monkeypatch):
    def made(k):
        return lambda x: x[0] * k

    assert not found_again(made(2.0), X)
    assert found_again(made(2.0), X)
    assert not found_again(made(3.0), X)
    assert not found_again(lambda x: x[0] - 2.0, X)
    assert not found_again(scaled, X, 8)
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert not found_again(scaled, X, 8)
    assert not found_again(scaled, X.astype("float32"), 8)
    assert found_again(scaled, X, 8)


SYSTEM = ("autograph", "Python", "NumPy", "llvmlite", "processor")


@pytest.mark.parametrize("changed", range(len(SYSTEM)), ids=SYSTEM)
def test_other_versions_and_other_processors_are_other_code(changed, monkeypatch):
    assert not found_again(scaled, X, 8)
    system = disk._system()
    assert len(system) == len(SYSTEM)
    other = (*system[:changed], "another", *system[changed + 1 :])
    monkeypatch.setattr(disk, "_system", lambda: other)
    assert not found_again(scaled, X, 8)
    monkeypatch.undo()


def test_what_the_system_is_names_each_of_them():
    import llvmlite

    package, python, numpy, compiler, processor = disk._system()
    assert package == rt.__version__
    assert python == sys.version
    assert numpy == np.__version__
    assert llvmlite.__version__ in compiler
    assert "flags" in processor


def _cut(data: bytes) -> bytes:
    return data[:-1]


def _flip(at: int):
    return lambda data: data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


DAMAGE = {
    "empty": lambda data: b"",
    "cut": _cut,
    "longer": lambda data: data + b"\0",
    "the mark": _flip(0),
    "the digest": _flip(10),
    "the name": _flip(45),
    "the code": _flip(200),
    "the end": _flip(-1),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_file_is_ignored_and_written_again(kind, folder):
    ran(scaled, X, 8)
    whole = {path: path.read_bytes() for path in folder.iterdir()}
    for path, data in whole.items():
        path.write_bytes(DAMAGE[kind](data))
    assert not found_again(scaled, X, 8)
    (path,) = [path for path in folder.iterdir() if b"entry_body" in path.read_bytes()]
    assert path.read_bytes() == whole[path]
    assert found_again(scaled, X, 8)


def test_a_file_under_the_name_of_another_is_ignored(folder):
    def less(x, n):
        return x[0] - n

    ran(scaled, X, 8)
    first = [*folder.iterdir()]
    ran(less, X, 8)
    (path,) = [path for path in folder.iterdir() if path not in first]
    for other in first:
        path.write_bytes(other.read_bytes())
        assert not found_again(less, X, 8)


def test_a_file_that_others_can_write_to_is_ignored_and_a_link_is(folder, tmp_path):
    ran(scaled, X, 8)
    for path in folder.iterdir():
        path.chmod(0o666)
    assert not found_again(scaled, X, 8)
    (path,) = [path for path in folder.iterdir() if b"entry_body" in path.read_bytes()]
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert not found_again(scaled, X, 8)
    assert found_again(scaled, X, 8)


def test_a_pipe_in_place_of_a_file_is_not_waited_for(folder):
    ran(scaled, X, 8)
    for path in folder.iterdir():
        path.unlink()
        os.mkfifo(path)
    assert not found_again(scaled, X, 8)
    assert found_again(scaled, X, 8)


def refused(folder: Path, why: str) -> None:
    """The folder is not used, which is said once; results are right, and explain() tells."""
    with pytest.warns(RuntimeWarning, match=f"machine code is not kept on disk: .*{why}"):
        assert why in ran(scaled, X, 8).reason
    with warnings.catch_warnings(action="error"):
        f = rt.function(scaled, engine="native")
        assert f(X, 8) == scaled(X, 8)
    assert "  machine code: compiled, and not kept on disk: " in str(f.explain())


def test_a_folder_that_others_can_write_to_is_not_used(folder):
    folder.mkdir()
    folder.chmod(0o777)
    refused(folder, "can write to it: what they put there would run")
    assert [*folder.iterdir()] == []


def test_a_folder_of_somebody_else_is_not_used(folder, monkeypatch):
    user = disk.os.geteuid()
    monkeypatch.setattr(disk.os, "geteuid", lambda: user + 1)
    refused(folder, "can write to it: what they put there would run")
    assert [*folder.iterdir()] == []


def test_a_folder_that_cannot_be_made_is_not_used(folder):
    folder.write_text("a file")
    refused(folder, "cannot be used: File exists")


def test_a_full_disk_is_told_and_does_no_harm(folder, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(disk.os, "replace", full)
    with pytest.warns(RuntimeWarning, match="cannot be written: No space left on device"):
        assert ran(scaled, X, 8).reason
    assert [*folder.iterdir()] == []


def test_writers_at_the_same_time_leave_whole_files(folder):
    how = disk.How(0, 0, False, False)
    codes = [bytes([k]) * 100_000 for k in range(4)]
    seen: set[bytes | None] = set()

    def work(code: bytes) -> None:
        with disk.using(True):
            for _ in range(20):
                entry = disk.entry("text", how)
                assert entry is not None
                entry.write(code)
                seen.add(entry.read())

    threads = [threading.Thread(target=work, args=[code]) for code in codes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen <= set(codes)
    assert len([*folder.iterdir()]) == 1


def test_code_that_cannot_be_loaded_from_a_file_is_compiled_and_explained(folder):
    text = "@shared = common global i64 0\ndefine ptr @get() {\n  ret ptr @shared\n}\n"
    with disk.using(True) as use:
        library = jit().compile_at_once(text, {}, ["get"])
    assert library.address("get")
    assert use.reason == "a linker has to make room for shared"
    assert str(use) == "compiled, and not kept on disk: a linker has to make room for shared"
    assert [*folder.iterdir()] == []


def test_a_system_that_refuses_executable_memory_runs_what_llvm_links(monkeypatch):
    ran(scaled, X, 8)

    def refuses(image: elf.Image) -> None:
        raise elf.NotLoadable("no such memory")

    monkeypatch.setattr(elf.Image, "_make_executable", refuses)
    assert ran(scaled, X, 8).reason == "no such memory"
    assert ran(lambda x: x[1] * 7.0, X).reason == "no such memory"


def test_constants_and_variables_of_a_module_are_loaded():
    """Those that are written to, those with addresses of others, and those that begin as zeros."""
    import ctypes

    text = """
@zeros = internal global [3 x i64] zeroinitializer
@count = internal global i64 5
@table = private constant [2 x ptr] [ptr @count, ptr getelementptr (i8, ptr @zeros, i64 8)]
declare i64 @labs(i64)
define i64 @next(i64 %k) {
  %at = getelementptr ptr, ptr @table, i64 %k
  %place = load ptr, ptr %at
  %old = load i64, ptr %place
  %new = add i64 %old, 1
  store i64 %new, ptr %place
  %negative = sub i64 0, %new
  %result = call i64 @labs(i64 %negative)
  ret i64 %result
}
"""
    for _ in range(2):  # compiled, and from the file
        with disk.using(True) as use:
            library = jit().compile_at_once(text, {}, ["next"])
        call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(library.address("next"))
        assert [call(0), call(0), call(1), call(0), call(1)] == [6, 7, 1, 8, 2]
    assert use.read == 1


def test_an_exception_of_code_from_a_file_has_the_line_of_the_user():
    def divided(x, n):
        total = 0
        for i in range(n):
            total += 100 // (3 - i)
        return total + x

    lines = []
    for _ in range(2):
        f = rt.function(divided, engine="native")
        with pytest.raises(ZeroDivisionError) as raised:
            f(1, 8)
        lines.append(raised.traceback[-1].lineno + 1)
    assert use_of(f).read
    assert lines == [divided.__code__.co_firstlineno + 3] * 2


def test_the_option_and_the_variable(folder, tmp_path, monkeypatch):
    assert str(ran(scaled, X, 8)) == f"compiled, and kept in {folder}"
    assert str(ran(scaled, X, 8)) == f"read from {folder}"
    assert str(ran(scaled, X, 8, cache=False)) == ""
    monkeypatch.delenv("AUTOGRAPH_CACHE_DIR")
    assert str(ran(scaled, X, 8)) == ""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    assert str(ran(scaled, X, 8, cache=True)) == f"compiled, and kept in {tmp_path / 'home' / 'autograph'}"
    assert (tmp_path / "home" / "autograph").stat().st_mode & 0o777 == 0o700
    with pytest.raises(ArgumentError, match="there is no cache 'yes'"):
        rt.function(scaled, cache="yes")


PROGRAM = """
import sys
import numpy as np
import runtime as rt
from dataclasses import dataclass

@dataclass
class Ball:
    place: float
    speed: float

def fall(balls, dt):
    for ball in balls:
        ball.speed -= 9.81 * dt
        ball.place += ball.speed * dt
    return [ball.place for ball in balls]

def waves(x):
    return np.exp(x).sum() + np.sin(x)[0]

def powers(a, n):
    for _ in range(n):
        a = a @ a / np.abs(a).max()
    return a

def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

def counted(names):
    found = {}
    for name in names:
        found[name] = found.get(name, 0) + 1
    return found

def drawn(rng, n):
    total = 0.0
    for _ in range(n):
        total += rng.normal()
    return total

def sorted_rows(x):
    total = np.float32(0)
    for row in x:
        total += np.sort(row)[0] + x.astype(np.int8)[0, 0]
    return total

def caught(xs):
    total = 0
    for x in xs:
        try:
            total += 10 // x
        except ZeroDivisionError:
            total -= 1
    return total

x = np.linspace(0.0, 1.0, 9)
calls = [
    (fall, [Ball(1.0, 0.0), Ball(2.0, 1.0)], 0.1), (waves, x), (powers, x.reshape(3, 3), 3), (fib, 12),
    (counted, ["a", "b", "a"] * 20), (drawn, np.random.default_rng(3), 5),
    (sorted_rows, x.reshape(3, 3).astype("f4")), (caught, [1, 0, 2] * 20),
]
for python, *args in calls:
    f = rt.function(python, engine="auto")
    print(python.__name__, repr(f(*args)))
    for _ in range(400 * (python is fib)):  # often: machine code takes the calls
        f(*args)
    use = f._order[-1].compiled.executable.cache
    print(python.__name__, use.written, use.reason, file=sys.stderr)
print("llvmlite" in sys.modules, file=sys.stderr)
"""


def test_a_second_process_finds_all_code_and_does_not_load_llvm(tmp_path, folder):
    """No text depends on addresses, on the hashes of texts, or on the order of sets."""
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    done = []
    for seed in ("1", "2"):
        environment = {
            "PYTHONPATH": str(Path(__file__).parents[4]),
            "AUTOGRAPH_CACHE_DIR": str(folder),
            "PYTHONHASHSEED": seed,
        }
        run = subprocess.run([sys.executable, str(file)], env=environment, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        done.append(run)
    assert done[0].stdout == done[1].stdout
    assert done[0].stderr.splitlines()[-1] == "True"
    *uses, loaded = done[1].stderr.splitlines()
    assert [line for line in uses if line.split(" ", 1)[1] != "0 "] == []
    assert loaded == "False"
