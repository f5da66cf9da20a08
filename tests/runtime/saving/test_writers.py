"""Files are there whole, or not at all, and damage is seen: whatever happens to writers and disks."""

import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import runtime as rt
from tests.runtime.saving.files import files_in, generation, manifest_of

W = np.arange(5.0)


@rt.function(engine="numpy")
def f(x):
    return x * W[1:3]


@pytest.fixture
def folder(tmp_path):
    rt.save(tmp_path / "f", f, rt.TensorSpec([2]))
    return tmp_path / "f"


@pytest.fixture
def checkpoints(tmp_path):
    kept = rt.CheckpointFolder(tmp_path / "run")
    kept.save({"w": np.arange(5.0), "c": np.array([1 + 2j])})
    return kept


@pytest.mark.skipif(os.name != "posix", reason="needs fork")
@pytest.mark.parametrize("kind", ["folder", "checkpoint", "arrays"])
@pytest.mark.parametrize("what", ["killed", "full", "together"])
def test_writers(tmp_path, what, kind):
    """Killed at each step, on a full disk, and two at a time beside a reader."""
    command = [sys.executable, "-m", "tests.runtime.saving.writers", what, kind, str(tmp_path / "place")]
    (tmp_path / "place").mkdir()
    found = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert found.returncode == 0, found.stderr


def test_each_byte_counts(folder, checkpoints):
    """One bit of each byte of each file of each kind is turned: the error names the file."""
    kinds = {file: lambda: rt.load(folder, engine="numpy") for file in files_in(folder)}
    kinds |= {file: checkpoints.read for file in files_in(checkpoints.folder)}
    assert len(kinds) == 5
    for file, read in kinds.items():
        content = file.read_bytes()
        for place in range(len(content)):
            changed = bytearray(content)
            changed[place] ^= 1 << place % 8
            file.write_bytes(changed)
            with pytest.raises(rt.LoadError) as raised:
                read()
            assert file.name in str(raised.value) or file.parent.name in str(raised.value)
        file.write_bytes(content)
        read()


def test_huge_files_are_not_read_before_a_check(folder, checkpoints):
    """Sparse files of 3 GiB."""
    tracemalloc.start()
    try:
        for file in (*files_in(folder), *files_in(checkpoints.folder)):
            size = file.stat().st_size
            for start in (b"", file.read_bytes(), (1 << 31).to_bytes(8, "little"), b"\xff" * 8):
                file.write_bytes(start)
                os.truncate(file, 3 << 30)
                with pytest.raises(rt.LoadError):
                    rt.load(folder) if folder in file.parents else checkpoints.read()
                os.truncate(file, size)
        assert tracemalloc.get_traced_memory()[1] < 1 << 24
    finally:
        tracemalloc.stop()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_a_pipe_is_not_waited_for(folder, checkpoints):
    for file in (*files_in(folder), *files_in(checkpoints.folder)):
        content = file.read_bytes()
        file.unlink()
        os.mkfifo(file)
        with pytest.raises(rt.LoadError, match="it is no file proper"):
            rt.load(folder) if folder in file.parents else checkpoints.read()
        file.unlink()
        file.write_bytes(content)


def test_the_first_version_is_read_and_replaced(folder):
    """It had all files in one folder, and no checksum but that of graphs."""
    manifest, files = manifest_of(folder), generation(folder)
    del manifest["generation"]
    (folder / "manifest.json").write_text(json.dumps({**manifest, "version": 1}))
    save_file(load_file(files / "arrays.safetensors"), folder / "arrays.safetensors")
    (files / "f.0.graph").rename(folder / "f.0.graph")
    (files / "arrays.safetensors").unlink()
    files.rmdir()
    assert rt.load(folder)(np.ones(2)).tolist() == [1.0, 2.0]
    rt.save(folder, f, rt.TensorSpec([2]))
    assert rt.load(folder)(np.ones(2)).tolist() == [1.0, 2.0]
    names = {str(file.relative_to(folder)) for file in files_in(folder)}
    beside = generation(folder).name
    assert names == {"manifest.json", f"{beside}/arrays.safetensors", f"{beside}/f.0.graph"}


def test_checkpoints_of_the_first_version_are_read_and_followed(checkpoints):
    file = checkpoints.folder / "checkpoint-0.safetensors"
    entries = {"w": {"type": "f64[5]"}, "c": {"type": "c128[1]"}}
    save_file(load_file(file), file, {"arrays": json.dumps(entries)})
    index = {**manifest_of(checkpoints.folder, "index.json"), "version": 1}
    (checkpoints.folder / "index.json").write_text(json.dumps(index))
    assert checkpoints.read()["c"].tolist() == [1 + 2j]
    assert checkpoints.save({"w": np.ones(5)}) == 1
    assert list(checkpoints.read(0)) == ["w", "c"] and list(checkpoints.read()) == ["w"]


def test_what_is_no_folder_of_ours_stays(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(Exception, match="is no folder that this function has written"):
        rt.save(tmp_path / "mine", f, rt.TensorSpec([2]))
    assert [file.name for file in Path(tmp_path / "mine").iterdir()] == ["notes.txt"]
