"""`autograph convert --diff` is a patch of the file, whatever the file's line ends, mark and encoding."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

PROGRAM = "def f(x):\n    return not x\n"
FAR = PROGRAM + "\n\n\n\n\n\n\n\ny = 1\n"
FILES = {
    "unix": PROGRAM.encode(),
    "a byte order mark": b"\xef\xbb\xbf" + PROGRAM.encode(),
    "a mark before a docstring": b"\xef\xbb\xbf'''what it does'''\n" + PROGRAM.encode(),
    "windows": FAR.replace("\n", "\r\n").encode(),
    "lines of both kinds": FAR.replace("):\n", "):\r\n").encode(),
    "no last line end": PROGRAM.rstrip().encode(),
    "no last line end, far from the change": FAR.rstrip().encode(),
    "windows, no last line end": PROGRAM.rstrip().replace("\n", "\r\n").encode(),
    "a form feed": (PROGRAM + "\f\ndef g(x):\n    s = 'a\x1cb\u2028'\n    return not x\n").encode(),
    "latin-1": ("# -*- coding: latin-1 -*-\n" + PROGRAM + "# é\n").encode("latin-1"),
}


@pytest.mark.parametrize("applies", [["git", "apply", "-p0"], ["patch", "-p0", "-s", "-i"]])
@pytest.mark.parametrize("kind", FILES)
def test_the_diff_applies(autograph, tmp_path, monkeypatch, kind, applies):
    if shutil.which(applies[0]) is None:
        pytest.skip(f"there is no {applies[0]} here")
    monkeypatch.chdir(tmp_path)
    file = Path("a program.py")
    file.write_bytes(FILES[kind])
    assert autograph("convert", str(file), "--diff", "-o", "change.diff")[0] == 0
    subprocess.run([*applies, "change.diff"], check=True)
    patched = file.read_bytes()
    assert b"ag__.not_(x)" in patched
    assert patched.startswith(b"\xef\xbb\xbf") == FILES[kind].startswith(b"\xef\xbb\xbf")
    assert (b"\r\n" in patched) == (b"\r\n" in FILES[kind])
    compile(patched, str(file), "exec")
    assert autograph("convert", str(file), "--diff") == (0, "", "")


def test_a_line_that_ends_in_a_carriage_return_alone_is_refused(autograph, tmp_path):
    file = tmp_path / "old.py"
    file.write_bytes(PROGRAM.replace("\n", "\r").encode())
    status, out, err = autograph("convert", str(file), "--diff")
    assert (status, out) == (2, "")
    assert "ends in a carriage return alone" in err
