"""Bad files: one clear error each, from every command, and no output."""

import os
import stat
import subprocess
import sys

import pytest

from tests.spread import spread

COMMANDS = {
    "check": ["check", "-q"],
    "explain": ["explain"],
    "convert": ["convert"],
    "tree": ["tree"],
    "converted tree": ["tree", "--converted"],
}
FILES = {
    "syntax": (b"def f(x):\n    return x +\n", "2:15", "syntax error: invalid syntax"),
    "return": (b"x = 1\nreturn x\n", "2:1", "syntax error: 'return' outside function"),
    "break": (b"def f(x):\n    if x: break\n", "2:11", "syntax error: 'break' outside loop"),
    "nonlocal": (b"def f():\n    nonlocal y\n", "2:5", "syntax error: no binding for nonlocal 'y' found"),
    "null": (b"x = 1\0", None, "this is a binary file, not Python source"),
    "image": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", None, "this is a binary file, not Python source"),
    "utf8": (b"x = 1\ny = '\xff'\n", "2:6", "this is not utf-8 text: byte 0xff cannot be decoded"),
    "latin1": (b"x = '\xe9'\ny = 1\n", "1:6", "this is not utf-8 text: byte 0xe9 cannot be decoded"),
    "utf16": ("x = 1\n".encode("utf-16"), None, "this is a binary file, not Python source"),
    "cookie": (b"# coding: nonsense\nx = 1\n", "1", "unknown encoding: nonsense"),
    "bom": (b"\xef\xbb\xbf# coding: latin-1\nx = 1\n", "1", "encoding problem: utf-8"),
    "parentheses": (
        b"x = " + b"(" * 5000 + b")" * 5000,
        "1:20",
        "syntax error: too many nested parentheses",
    ),
    "indentation": (
        "".join(" " * n + "if x:\n" for n in range(101)).encode() + b" " * 101 + b"x",
        "101:101",
        "syntax error: too many levels of indentation",
    ),
    "lines": (b"x\n" * 1_000_000, None, "the file has 1,000,000 lines, and autograph takes at most 100,000"),
    "size": (b"#" * 20_000_001, None, "the file is larger than 20 MB, the most that autograph reads"),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kind", FILES)
def test_files(autograph, folder, kind, command):
    content, place, message = FILES[kind]
    folder({"bad.py": content})
    status, out, err = autograph(*COMMANDS[command], "bad.py")
    assert status == 2
    if command == "check":  # where every file has its finding
        assert err == ""
        out, err = "", out.replace("error AG001: ", "")
        place = place if place is not None and ":" in place else f"{place or 1}:1"
    first = err.splitlines()[0].replace("101:1:", "101:101:")  # 3.11 and 3.13 point at other columns
    assert out == ""
    assert first.startswith(f"bad.py:{place}" if place else "bad.py: "), first
    assert message in first and "Traceback" not in err


@pytest.mark.parametrize("command", ["explain", "convert", "tree"])
@pytest.mark.parametrize("content", [b"", b"\n  \n"])
def test_an_empty_file(autograph, folder, command, content):
    folder({"empty.py": content})
    assert autograph(*COMMANDS[command], "empty.py") == (
        2,
        "",
        "empty.py: the file is empty: there is nothing to convert\n",
    )


def test_an_empty_file_has_no_findings(autograph, folder):
    folder({"empty.py": b""})
    assert autograph("check", "-q", "empty.py") == (0, "", "")


@pytest.mark.parametrize("command", COMMANDS)
def test_files_that_are_not_there(autograph, folder, command):
    folder({"model.py": "x = 1\n"})
    assert autograph(*COMMANDS[command], "modle.py") == (
        2,
        "",
        "modle.py: no such file; did you mean 'model.py'?\n",
    )
    assert autograph(*COMMANDS[command], "model.py/inner.py")[0] == 2
    assert autograph(*COMMANDS[command], "missing/model.py") == (2, "", "missing/model.py: no such file\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_link_to_nowhere(autograph, folder, tmp_path, command):
    folder({"model.py": "x = 1\n"})
    (tmp_path / "link.py").symlink_to("gone.py")
    message = "link.py: this is a link to 'gone.py', which is not there\n"
    assert autograph(*COMMANDS[command], "link.py") == (2, "", message)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_directory_with_what_is_no_file(autograph, folder, tmp_path):
    folder({"model.py": "x = 1\n"})
    os.mkfifo(tmp_path / "pipe.py")  # reading it would wait for ever
    (tmp_path / "link.py").symlink_to("gone.py")
    status, out, err = autograph("check", ".")
    assert (status, err) == (0, "") and out.startswith("1 file,")


@pytest.mark.parametrize("command", ["explain", "convert", "tree"])
def test_directories(autograph, folder, command):
    folder({"inner/model.py": "x = 1\n"})
    assert autograph(*COMMANDS[command], "inner") == (2, "", "inner: this is a directory, not a file\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_cannot_be_read(autograph, folder, monkeypatch, command):
    folder({"secret.py": "x = 1\n"})

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("autograph.cli.files.open", refuse, raising=False)
    status, out, err = autograph(*COMMANDS[command], "secret.py")
    assert status == 2 and "secret.py" in out + err and "cannot be read: Permission denied" in out + err


@pytest.mark.parametrize("encoding", ["utf-8-sig", "latin-1", "cp1252", "shift_jis", "utf-8"])
def test_encodings_are_honoured(autograph, folder, encoding):
    cookie = "" if "utf-8" in encoding else f"# coding: {encoding}\n"
    name = "表" if encoding == "shift_jis" else "é"
    folder({"a.py": f"{cookie}def f(x):\n    return not x == '{name}'\n".encode(encoding)})
    for command in COMMANDS.values():
        status, out, err = autograph(*command, "a.py")
        assert (status, err) == (0, "")
        assert command[0] == "check" or name in out


def test_form_feeds_are_no_line_ends(autograph, folder):
    folder({"a.py": "X = 1\n\f\ndef f(x):\n    y = '\x1c \u2028'\n    return eval(x), y\n"})
    assert autograph("check", "-q", "a.py")[1].startswith("a.py:5:12: error AG103")
    assert "\n  5  |     return eval(x), y\n" in autograph("explain", "a.py")[1]


NESTED = {
    "sum": "def f(x):\n    return not (" + " + ".join(["x"] * 1500) + ")\n",
    "elifs": "def f(x):\n    if x == 0: return 0\n"
    + "".join(f"    elif x == {n}: return {n}\n" for n in range(1, 250)),
    "negations": "def f(x):\n    return " + "not " * 300 + "x\n",
}


@pytest.mark.parametrize(("kind", "command"), spread([*NESTED], [*COMMANDS]))
def test_deep_nesting_is_no_crash(autograph, folder, kind, command):
    folder({"deep.py": NESTED[kind]})
    status, out, err = autograph(*COMMANDS[command], "deep.py")
    needs_text = kind == "negations" and command in ("convert", "converted tree")
    assert status == needs_text
    if needs_text:
        assert out == "" and err.startswith(
            "deep.py:1:1: the converted text would be nested more deeply than"
        )
    else:
        assert err == ""


def shell(line):
    return subprocess.run(
        line.format(f"{sys.executable} -m autograph"),
        shell=True,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": ":".join(filter(None, sys.path)), "PATH": "/usr/bin:/bin"},
        check=False,
    )


@pytest.mark.parametrize("command", ["check", "explain", "convert", "tree"])
def test_a_reader_that_leaves_early(folder, command):
    # Much to print, by far more than a pipe holds, and little to convert.
    folder({"big.py": "def f(x):\n    return not x\n" + f"text = {'y' * 100!r}\n" * 1500})
    run = shell(f"{{}} {command} big.py | head -1")
    assert len(run.stdout.splitlines()) == 1 and run.stderr == ""


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{} convert - <&-", "<stdin>: cannot be read: standard input is closed\n"),
        ("{} convert model.py >&-", "cannot write: standard output is closed\n"),
        ("{} check model.py >/dev/full", "<stdout>: cannot write: No space left on device\n"),
        ("{} convert model.py -o /dev/full", "/dev/full: cannot write: No space left on device\n"),
    ],
)
def test_streams_that_are_closed_or_full(folder, line, message):
    folder({"model.py": "def f(x):\n    return not x\n"})
    run = shell(line)
    assert (run.returncode, run.stdout, run.stderr) == (2, "", message)


def test_a_device_or_a_link_is_written_to_and_stays(autograph, folder, tmp_path):
    folder({"model.py": "def f(x):\n    return not x\n", "out.py": ""})
    (tmp_path / "link.py").symlink_to("out.py")
    assert autograph("convert", "model.py", "-o", "link.py") == (0, "", "")
    assert (tmp_path / "link.py").is_symlink() and "ag__.not_(x)" in (tmp_path / "out.py").read_text()
    assert autograph("convert", "model.py", "-o", os.devnull) == (0, "", "")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_nothing_is_written_when_something_is_wrong(autograph, folder, tmp_path):
    folder({"bad.py": "def f(:\n", "out.txt": "before"})
    for command in (["convert"], ["tree"], ["explain"]):
        assert autograph(*command, "bad.py", "-o", "out.txt")[0] == 2
    assert (tmp_path / "out.txt").read_text() == "before"
