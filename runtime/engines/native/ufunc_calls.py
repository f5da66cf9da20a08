"""Ufuncs of libraries on numbers: ``scipy.special.erf(x[i])`` calls SciPy's own C loop, over one element.

A ufunc takes the loop that NumPy's rules choose for its operands (`ufunc.resolve_dtypes`), with the operands
converted to what it computes in. A loop may set an exception (`scipy.special.errstate(all="raise")`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from runtime.engines.native.elements import Element, LlvmElements
from runtime.engines.native.ir import NULL
from runtime.engines.native.ufunc_loops import loop_address
from runtime.engines.native.values import Register
from runtime.graph import Operation, Value
from runtime.ops.template import Hole
from runtime.types import FLOAT, INT, NumberType, ScalarType

if TYPE_CHECKING:
    from runtime.engines.native.emitter import Codegen

DTypes = tuple["np.dtype", ...]


def runs_in_machine_code(op: Operation) -> bool:
    return _loop(op) is not None


def _loop(op: Operation) -> tuple[tuple[int, int], DTypes] | None:
    """Address and data of the loop, and the dtypes of its operands; None for what is no such call."""
    ufunc = getattr(op.attributes["function"], "function", None)  # of a `Whole`
    (args, kwargs) = op.attributes["template"].structure
    if not isinstance(ufunc, np.ufunc) or kwargs or ufunc.nout != 1 or len(args) != ufunc.nin:
        return None
    kinds = [_kind(_part(op, arg)) for arg in args]
    output = op.outputs[0].type if len(op.outputs) == 1 else None
    if any(kind is None for kind in kinds) or not isinstance(output, ScalarType):
        return None
    try:
        *operands, result = ufunc.resolve_dtypes((*kinds, None))
    except TypeError:
        return None
    if result != output.dtype or not all(map(_fits_a_word, (*operands, result))):
        return None
    address = loop_address(ufunc, (*operands, result))
    return None if address is None else (address, tuple(operands))


def _part(op: Operation, arg: Any) -> Any:
    return op.inputs[arg.index] if isinstance(arg, Hole) else arg


def _kind(part: Any) -> Any:
    """What NumPy's rules know an operand as: a dtype, or a class of Python's numbers."""
    if not isinstance(part, Value):
        return type(part) if type(part) in (int, float) else None
    if isinstance(part.type, NumberType):
        return {INT: int, FLOAT: float}.get(part.type)
    return part.type.dtype if isinstance(part.type, ScalarType) else None


def _fits_a_word(dtype: np.dtype) -> bool:
    return dtype.kind in "iuf" and dtype.itemsize in (4, 8)


def emit(code: Codegen, op: Operation) -> None:
    found = _loop(op)
    assert found is not None
    place, dtypes = found
    elements = LlvmElements(code.f, code.declare, {}, op.output.dtype, lambda *_: None)
    operands: list[Element] = []
    for arg, dtype in zip(op.attributes["template"].structure[0], dtypes, strict=True):
        part = _part(op, arg)
        if isinstance(part, Value):
            operands.append(code.operand(code.reps[part], part.type, dtype, None))
        else:
            operands.append(elements.constant(part, dtype))
    result = code.call_loop(op, place, operands)
    code.declare("declare ptr @PyErr_Occurred()")
    raised = code.f.call("ptr", "PyErr_Occurred", ())
    code.fail_if(code.f.compare("icmp ne", raised, NULL), op.location)
    code.bind(op.output, Register(result))
