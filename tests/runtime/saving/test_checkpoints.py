"""Numbered checkpoints of what variables hold."""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import ArgumentError
from runtime.saving import checkpoints as written
from tests.runtime.saving.files import change


class Layer(rt.Module):
    def __init__(self, n):
        self.w = rt.Variable(np.arange(float(n)))
        self.steps = rt.Variable(np.int32(0), trainable=False)


class Net(rt.Module):
    def __init__(self):
        self.layers = [Layer(2), Layer(3)]


def test_what_is_saved_is_restored_into_the_same_variables(tmp_path):
    net, extra = Net(), np.array([1 + 2j])
    everything = {"net": net, "best": rt.Variable(0.5, name="best"), "extra": [extra]}
    assert rt.CheckpointFolder(tmp_path).save(everything) == 0
    storage = net.layers[1].w.value
    net.layers[1].w.assign([9, 9, 9]), net.layers[0].steps.assign(7), extra.fill(0)
    report = rt.CheckpointFolder(tmp_path).restore(everything)
    assert report.is_complete and str(report) == "6 restored; all matched"
    assert net.layers[1].w.value is storage and storage.tolist() == [0, 1, 2]
    assert net.layers[0].steps.numpy() == 0 and extra[0] == 1 + 2j
    assert list(rt.CheckpointFolder(tmp_path).read()) == list(report.restored)
    assert report.restored[:2] == ("net.layers[0].w", "net.layers[0].steps")


def test_the_oldest_go(tmp_path):
    variable = rt.Variable(0)
    checkpoints = rt.CheckpointFolder(tmp_path, keep=2)
    assert checkpoints.latest is None and checkpoints.numbers == []
    for number in (10, 20, 5):
        variable.assign(number)
        checkpoints.save(variable, number)
    assert checkpoints.numbers == [20, 5] and checkpoints.latest == 5
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "checkpoint-20.safetensors", "checkpoint-5.safetensors", "index.json",
    ]  # fmt: skip
    checkpoints.restore(variable, 20)
    assert variable.numpy() == 20
    assert checkpoints.save(variable) == 6
    with pytest.raises(rt.LoadError, match="there is no checkpoint 20(.|\n)*there are 5, 6"):
        checkpoints.restore(variable, 20)


def test_what_does_not_match_is_told_and_nothing_is_written(tmp_path):
    checkpoints = rt.CheckpointFolder(tmp_path)
    checkpoints.save({"w": np.ones(2), "b": np.ones(3), "old": np.ones(1)})
    here = {"w": np.zeros(2), "b": np.zeros(3, "f4"), "new": np.zeros(1)}
    with pytest.raises(rt.LoadError) as raised:
        checkpoints.restore(here)
    for words in (
        "1 not in the checkpoint: new", "1 in the checkpoint only: old",
        "1 of another shape or dtype: b is float64[3] in the checkpoint, float32[3] here",
    ):  # fmt: skip
        assert words in str(raised.value)
    assert not any(array.any() for array in here.values())
    report = checkpoints.restore(here, partial=True)
    assert (report.restored, report.missing, report.unexpected) == (("w",), ("new",), ("old",))
    assert here["w"].all() and not here["b"].any()


def test_a_program_that_is_stopped_leaves_the_last_checkpoint_whole(tmp_path, monkeypatch):
    variable, checkpoints = rt.Variable([1.0]), rt.CheckpointFolder(tmp_path, keep=1)
    checkpoints.save(variable)

    def stop(file, *args):
        file.write_bytes(b"half")
        raise KeyboardInterrupt

    variable.assign([2.0])
    for step in ("write_described", "write_json"):
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(written, step, stop)
            checkpoints.save(variable)
        assert checkpoints.read()["variable"].tolist() == [1.0]
        assert not [file for file in tmp_path.iterdir() if file.name.startswith(".")]


@pytest.mark.parametrize("file", ["index.json", "checkpoint-0.safetensors"])
def test_damaged_files(tmp_path, file):
    checkpoints = rt.CheckpointFolder(tmp_path)
    checkpoints.save({"w": np.arange(100.0)})
    content = (tmp_path / file).read_bytes()
    for end in range(0, len(content), 1 + len(content) // 50):
        (tmp_path / file).write_bytes(content[:end])
        with pytest.raises(rt.LoadError):
            checkpoints.read()


def test_an_index_names_files_of_its_folder_only(tmp_path):
    checkpoints = rt.CheckpointFolder(tmp_path / "run")
    checkpoints.save({"w": np.arange(3.0)})
    change(tmp_path / "run", lambda m: m.update(checkpoints=[[0, "../other.safetensors"]]), "index.json")
    with pytest.raises(rt.LoadError, match="names a file that is not in this folder"):
        checkpoints.read()


def test_what_cannot_be_in_a_checkpoint(tmp_path):
    with pytest.raises(ArgumentError, match="`rate`, a float, cannot be in a checkpoint"):
        rt.CheckpointFolder(tmp_path).save({"rate": 0.1})
    with pytest.raises(ArgumentError, match="keep is 0"):
        rt.CheckpointFolder(tmp_path, keep=0)
