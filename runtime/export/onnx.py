"""``export_onnx``: a function as a model that runs without Python. It needs the package onnx."""

from __future__ import annotations

import os
from typing import Any

from autograph.optional_packages import needing
from runtime.arguments import as_path
from runtime.saving.folders import new_file


def export_onnx(path: str | os.PathLike[str], target: Any, /, *specs: Any, **named_specs: Any) -> None:
    """Write a function as an ONNX model.

    specs: what the arguments are, as for ``get_concrete_function``: TensorSpec (None is a dynamic dimension),
        ``int``, ``float``. Arguments that are part of the trace (None, a bool, a string, a number that it
        had to know) are no inputs.

    Inputs are named after the parameters, outputs ``result``, or ``result[0]``, ``result['loss']`` of a
    structure (``returned`` where an input is called ``result``). What the function found outside is part of
    the model. Raises StagingError at the line of what has no form in ONNX, and writes nothing then.
    """
    place = as_path(path, "rt.export_onnx")
    with needing("onnx", "rt.export_onnx"):
        from runtime.export.onnx_model import onnx_model
    model = onnx_model(target, *specs, **named_specs)
    with new_file(place) as made:
        made.write_bytes(model.SerializeToString())
