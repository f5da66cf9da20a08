"""`rt.save(f, "path")`: the order of arguments is seen, and the right one is said."""

import pytest

import runtime as rt
from autograph import ArgumentError


@pytest.mark.parametrize("write", [rt.save, rt.export_onnx])
@pytest.mark.parametrize("target", [len, rt.function(abs), {"f": abs}, rt.Module(), None])
def test_the_path_is_first(write, target, tmp_path):
    with pytest.raises(ArgumentError) as caught:
        write(target, tmp_path / "made", 1.0)
    assert f"hint: write rt.{write.__name__}(path, f): the path is first" in str(caught.value)
    write(tmp_path / "made", abs, 1.0)
    assert (tmp_path / "made").exists()
