"""What one operation is in JAX.

In this order: a rule of its own (`RULES`, each with its reason); the formula of one element
(`elements.py`); the function of `jax.numpy` that has the name of the kernel; the kernel itself, with ``np``
meaning `jax.numpy`. What has none of these is refused by name.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from runtime.engines.jax_engine.elements import Elements
from runtime.graph.operations import Operation, Value
from runtime.graph.versions import NoForm
from runtime.ops.definition import REGISTRY, OpDef
from runtime.ops.formulas import operand_dtypes
from runtime.ops.indexing import Dynamic, expand_index, is_mask
from runtime.ops.operators import TWINS
from runtime.ops.shape import fill_shape
from runtime.types import INT, ArrayType, NumberType, ObjectType, ScalarType, Type

#: gets the call under way and the operands; what raises in NumPy is said by ``call.fails(condition)``
Rule = Callable[..., Any]


class Call:
    """One operation that is made: its types and attributes, and how it says where it fails."""

    def __init__(
        self, op: Operation, fails: Callable[[Any], None], limits: Callable[[Value], Any] | None = None
    ) -> None:
        self.op, self.fails = op, fails
        #: of an int of the graph, the least and the largest that it may be
        self.limits = limits or (lambda value: (-inf, inf))
        self.types: list[Any] = [value.type for value in op.inputs]
        self.attributes = op.attributes

    def check_place(self, place: Any, length: int) -> None:
        """The call fails where an axis of this length has no such place."""
        if is_known(place):
            self.fails(not -length <= place < length)
            return
        wide = jnp.asarray(place)
        beyond = wide >= length
        self.fails(beyond if wide.dtype.kind == "u" else (wide < -length) | beyond)

    @property
    def definition(self) -> OpDef:
        return REGISTRY[self.op.name]


def is_known(x: Any) -> bool:
    """Is it a number that is known while the function is traced by JAX?"""
    return isinstance(x, bool | int | float | complex | np.generic)


def known_int(x: Any, what: str) -> int:
    if not is_known(x):
        raise NoForm(
            f"{what} is known to a run only, and XLA wants to know lengths before",
            "take it from a shape, or give it as a constant",
        )
    return int(x)


def typed(x: Any, type: Type) -> Any:
    """A value as JAX's array of the dtype that the graph says."""
    if isinstance(type, ObjectType):
        raise NoForm(f"a value of type {type} is known to a run only")
    if isinstance(x, Masked):
        raise unknown_length()
    found = jnp.asarray(x, jax.dtypes.canonicalize_dtype(type.dtype))
    if found.size != 1 and not isinstance(type, ArrayType):
        raise NoForm("an array of several items stands for one number", "take an item, or .any() or .all()")
    return found if isinstance(type, ArrayType) or not found.ndim else found.reshape(())


def zeros_of(kind: Any) -> Any:
    """Zeros of a type; an axis of unknown length has none."""
    return jnp.zeros([n or 0 for n in kind.shape], jax.dtypes.canonicalize_dtype(kind.dtype))


@dataclass
class Masked:
    """``x[mask]``: the whole array, of which the items count where the mask holds; a run knows how many."""

    whole: Any
    places: Any
    mask: Any  # the places, in as many dimensions as the array has

    def of_places(self, places: Any) -> Any:
        """The whole array, where the items are taken by this mask."""
        if places is not self.places:
            raise unknown_length()
        return self.whole


def unknown_length() -> NoForm:
    reason = "how many items a mask selects is known to a run only"
    return NoForm(reason, "use np.where(mask, x, something)")


def _made_of_masked(call: Call, xs: list[Any]) -> list[Any]:
    op, first = call.op, next(x for x in xs if isinstance(x, Masked))
    if op.is_length_of_axis and call.attributes["axis"] == 0:
        return [jnp.sum(jnp.asarray(first.places))]
    if call.definition.family == "elementwise":
        for x, t in zip(xs, call.types, strict=True):
            if isinstance(t, ArrayType) and t.ndim and not isinstance(x, Masked):
                raise unknown_length()
        (found,) = made(call, [x.of_places(first.places) if isinstance(x, Masked) else x for x in xs])
        return [Masked(found, first.places, first.mask)]
    folds = call.definition.family == "reduction" and call.definition.combines
    if folds and not {k: v for k, v in call.attributes.items() if v is not None}:
        spread = jnp.broadcast_to(first.mask, first.whole.shape)
        if getattr(np, folds).identity is None:  # of nothing it fails
            call.fails(~jnp.any(spread))
            whole = jnp.where(spread, first.whole, first.whole.ravel()[jnp.argmax(spread)])
            return [typed(getattr(jnp, op.name)(whole), op.output.type)]
        return [typed(getattr(jnp, op.name)(first.whole, where=spread), op.output.type)]
    raise unknown_length()


def made(call: Call, xs: list[Any]) -> list[Any]:
    """The results of an operation, in the dtypes that the graph says."""
    op = call.op
    if any(isinstance(x, Masked) for x in xs):
        return _made_of_masked(call, xs)
    if all(map(is_known, xs)) and _gives_numbers(op):
        return _computed(call, xs)
    try:
        with np.errstate(all="ignore"):
            found = _function(call)(*xs)
    except jax.errors.JAXTypeError:  # it asked for a number
        raise NoForm(
            f"how many items {op.name} gives is known to a run only, and XLA wants to know lengths before",
            "take lengths from a shape or a constant; for a mask, use np.where(mask, x, something)",
        ) from None
    if found is NotImplemented:
        kinds = ", ".join(str(value.type) for value in op.inputs)
        raise NoForm(f"{op.name} of {kinds} has no form in JAX")
    results = list(found) if isinstance(found, tuple | list) else [found]
    if len(results) != len(op.outputs):
        raise NoForm(f"{op.name} has no form in JAX")
    if op.name in _RAISING:
        wrong = ~_are_finite(results)
        call.fails(wrong & _are_finite(xs) if _RAISING[op.name] else wrong)
    return [
        y
        if isinstance(y, Masked) or (is_known(y) and not isinstance(value.type, ArrayType))
        else typed(y, value.type)
        for y, value in zip(results, op.outputs, strict=True)
    ]


#: functions that raise LinAlgError where JAX gives no finite numbers. Is that of finite matrices only?
_RAISING = {
    **dict.fromkeys(("linalg.inv", "linalg.solve", "linalg.matrix_power"), True),
    **dict.fromkeys(("linalg.cholesky", "linalg.pinv", "linalg.svd", "linalg.svdvals"), False),
}


def _are_finite(xs: Sequence[Any]) -> Any:
    return jnp.all(jnp.stack([jnp.all(jnp.isfinite(jnp.asarray(x))) for x in xs]))


def _gives_numbers(op: Operation) -> bool:
    return all(isinstance(value.type, NumberType | ScalarType) for value in op.outputs)


def _computed(call: Call, xs: list[Any]) -> list[Any]:
    """Of numbers that are known: what the kernel gives now."""
    kernel = call.definition.kernel
    assert kernel is not None
    try:
        with np.errstate(all="ignore"):
            found = kernel(*xs, **call.attributes)
    except Exception:  # noqa: BLE001  # the program's own: the reference engine raises it
        call.fails(True)
        return [np.zeros((), value.dtype)[()] for value in call.op.outputs]
    return list(found) if len(call.op.outputs) > 1 else [found]


def _function(call: Call) -> Callable[..., Any]:
    name, definition = call.op.name, call.definition
    if name in RULES:
        return functools.partial(RULES[name], call)
    if any(isinstance(t, ObjectType) for t in call.types):
        raise NoForm(f"{name} is about an object of Python's")
    by_name = _of_jax(definition.kernel)
    if definition.formula is not None and definition.family != "reduction":
        return lambda *xs: _by_formula(call, by_name, xs)
    function = by_name or _with_jax_for_numpy(definition.kernel)
    if function is None:
        raise NoForm(f"{name} has no form in JAX")
    canonical = jax.dtypes.canonicalize_dtype
    given = {
        key: canonical(value) if isinstance(value, np.dtype) else value
        for key, value in call.attributes.items()
        if key != "order" or value in ("C", "F")
    }
    return lambda *xs: _as_wide(call, functools.partial(function, **given), [*map(_operand, xs)])


def _as_wide(call: Call, function: Callable[..., Any], xs: list[Any]) -> Any:
    """What a function of JAX's gives; where it computes in a narrower dtype than NumPy, of wider operands."""
    found = function(*xs)
    results = found if isinstance(found, tuple | list) else (found,)
    for y, value in zip(results, call.op.outputs, strict=False):
        dtype, made_of = jax.dtypes.canonicalize_dtype(value.dtype), jnp.result_type(y)
        if made_of.kind in "iuf" and made_of.itemsize < dtype.itemsize:
            arrays = {k: jnp.result_type(x) for k, x in enumerate(xs) if not is_known(x)}
            of = {k: kind for k, kind in arrays.items() if kind == made_of} or arrays
            if all(np.can_cast(kind, dtype) for kind in of.values()):
                return function(*[jnp.asarray(x, dtype) if k in of else x for k, x in enumerate(xs)])
    return found


def _operand(x: Any) -> Any:
    return x if is_known(x) else jnp.asarray(x)


#: functions whose results differ from NumPy's: integers by zero, an order of equal items
_ANOTHER_MEANING = frozenset(
    {"floor_divide", "remainder", "fmod", "divmod", "reciprocal", "float_power", "sign"}
)


def _by_formula(call: Call, by_name: Any, xs: tuple[Any, ...]) -> Any:
    definition = call.definition
    dtypes = operand_dtypes(definition, tuple(call.types), call.attributes)
    wanted = [t.dtype if d.kind == "O" else d for d, t in zip(dtypes, call.types, strict=True)]
    given = [
        (np if is_known(x) else jnp).asarray(x, jax.dtypes.canonicalize_dtype(dtype))
        for x, dtype in zip(xs, wanted, strict=True)
    ]
    if (
        by_name is not None
        and isinstance(definition.kernel, np.ufunc)
        and definition.name not in _ANOTHER_MEANING
    ):
        return by_name(*given)
    assert definition.formula is not None
    found = definition.formula(Elements(call, call.op.output.dtype), *given)
    twin = getattr(jnp, TWINS.get(definition.name.removeprefix("py."), ""), None)
    return twin(*given) if found is NotImplemented and twin is not None else found


def _of_jax(kernel: Any) -> Callable[..., Any] | None:
    """The function of `jax.numpy` that a kernel of NumPy's is called like."""
    if isinstance(kernel, np.ufunc):
        return getattr(jnp, kernel.__name__, None)
    module = getattr(kernel, "__module__", "")
    if module not in ("numpy", "numpy.linalg", "numpy.fft"):
        return None
    place: Any = jnp
    for part in (*module.split(".")[1:], kernel.__name__):
        place = getattr(place, part, None)
    return place


def _with_jax_for_numpy(kernel: Any) -> Callable[..., Any] | None:
    """A kernel of ours that is written with NumPy's functions, which are JAX's now."""
    if not isinstance(kernel, types.FunctionType) or kernel.__globals__.get("np") is not np:
        return None
    if kernel in _again:
        return _again[kernel]
    _again[kernel] = None
    seen = {
        name: _with_jax_for_numpy(f)
        for name, f in kernel.__globals__.items()
        if name in kernel.__code__.co_names
    }
    names = {**kernel.__globals__, **{name: f for name, f in seen.items() if f is not None}, "np": jnp}
    closure = tuple(map(_in_closure, kernel.__closure__)) if kernel.__closure__ else None
    again = types.FunctionType(kernel.__code__, names, kernel.__name__, kernel.__defaults__, closure)
    again.__kwdefaults__ = kernel.__kwdefaults__
    _again[kernel] = again
    return again


def _in_closure(cell: types.CellType) -> types.CellType:
    found = _of_jax(cell.cell_contents) or _with_jax_for_numpy(cell.cell_contents)
    return types.CellType(found) if found is not None else cell


#: kernel -> what stands for it
_again: dict[Any, Any] = {}


# -- indices ---------------------------------------------------------------------------------------------


def places(call: Call, shape: Any, index: Any, dynamic: Any, types: Any) -> Any:
    """The index, with the numbers and arrays in their places; one that is out of bounds fails."""
    found: list[Any] = []
    axis = 0
    for item in expand_index(index, len(shape), types):
        if isinstance(item, slice):
            found.append(_slice(call, item, dynamic, shape[axis]))
        elif isinstance(item, Dynamic) and is_mask(types[item.index]):
            raise unknown_length()
        elif item is None:
            found.append(None)
            continue
        else:
            place = dynamic[item.index] if isinstance(item, Dynamic) else item
            length = shape[axis]
            least, largest = -inf, inf
            if isinstance(item, Dynamic):
                least, largest = call.limits(call.op.inputs[item.index - len(dynamic)])
            if is_known(place) or least < 0 or largest >= length:
                call.check_place(place, length)
            else:
                place = place.astype("uint32")  # so that JAX does not ask whether it counts from the end
            found.append(place)
        axis += 1
    advanced = [k for k, item in enumerate(found) if item is not None and not isinstance(item, slice)]
    windows = [k for k in advanced if isinstance(found[k], _Window)]
    if windows and (len(windows) > 1 or advanced[-1] - advanced[0] >= len(advanced)):
        raise NoForm("two bounds of slices that a run knows", "take one slice after the other")
    return tuple([item.places if isinstance(item, _Window) else item for item in found])


@dataclass
class _Window:
    """A slice of known length that begins where a run says."""

    places: Any


def _slice(call: Call, item: slice, dynamic: Any, length: int) -> Any:
    parts = [dynamic[p.index] if isinstance(p, Dynamic) else p for p in (item.start, item.stop, item.step)]
    if not all(p is None or is_known(p) for p in parts) and parts[2] in (None, 1):
        ends = [
            _base(call, call.op.inputs[p.index - len(dynamic)]) if isinstance(p, Dynamic) else None
            for p in (item.start, item.stop)
        ]
        first, last = ends
        if first is not None and last is not None and first[0] is last[0]:
            count = int(last[1] - first[1])
            call.fails((parts[0] < 0) | (parts[0] + count > length))
            return _Window(parts[0] + jnp.arange(max(0, count)))
    return slice(*[p if p is None else known_int(p, "a bound of a slice") for p in parts])


def _base(call: Call, value: Value) -> tuple[Value | None, float]:
    """An int of the graph as another one, and what is added to that."""
    least, largest = call.limits(value)
    if least == largest:
        return None, least
    maker = value.owner
    if maker is not None and maker.is_int_again:
        return _base(call, maker.inputs[0])
    if maker is not None and maker.name in ("py.add", "py.sub", "add", "subtract"):
        is_sum = maker.name.endswith("add")
        (a, m), (b, n) = [_base(call, operand) for operand in maker.inputs]
        if b is None:
            return a, m + n if is_sum else m - n
        if a is None and is_sum:
            return b, m + n
    return value, 0


# -- rules of their own --------------------------------------------------------------------------------


def _getitem(call: Call, x: Any, *dynamic: Any) -> Any:
    index = call.attributes["index"]
    if len(index) == 1 and isinstance(index[0], Dynamic) and is_mask(call.types[1 + index[0].index]):
        (mask,) = dynamic
        wide = jnp.reshape(mask, np.shape(mask) + (1,) * (np.ndim(x) - np.ndim(mask)))
        return Masked(jnp.asarray(x), mask, wide)
    return jnp.asarray(x)[places(call, np.shape(x), index, dynamic, call.types[1:])]


def _scatter(call: Call, g: Any, like: Any, *dynamic: Any) -> Any:
    made = jnp.zeros(np.shape(like), jnp.asarray(g).dtype)
    return made.at[places(call, made.shape, call.attributes["index"], dynamic, call.types[2:])].add(g)


def _converted(call: Call, x: Any) -> Any:
    result = call.op.output.type
    missing = result.ndim - np.ndim(x) if isinstance(result, ArrayType) else 0
    return jnp.reshape(typed(x, result), (1,) * missing + np.shape(x)) if missing else x


def _power(call: Call, x: Any, y: Any) -> Any:
    if call.op.output.dtype.kind in "fc" and is_known(y) and y in (1, 2, 3):
        return lax.integer_pow(typed(x, call.op.output.type), int(y))
    if call.op.output.dtype.kind in "iu" and not is_known(y):
        return _by_squares(call, *[typed(part, t) for part, t in zip((x, y), call.types, strict=True)])
    return _by_formula(call, jnp.power, (x, y))


def _by_squares(call: Call, x: Any, y: Any) -> Any:
    """A square for each bit of the exponent, of which JAX reads six."""
    dtype = jax.dtypes.canonicalize_dtype(call.op.output.dtype)
    factor, exponent = x.astype(dtype), y.astype(dtype)
    if dtype.kind == "i":
        call.fails(exponent < 0)
    found = jnp.ones_like(factor * exponent)
    for bit in range(dtype.itemsize * 8 - (dtype.kind == "i")):
        found = jnp.where((exponent >> bit) & 1 == 1, found * factor, found)
        factor = factor * factor
    return found


def _power_of_ints(call: Call, x: Any, y: Any) -> Any:
    if call.op.output.type != INT:
        return _by_formula(call, None, (x, y))
    size = jnp.power(jnp.abs(jnp.asarray(x, float)), jnp.asarray(y, float))
    call.fails((jnp.asarray(y) < 0) | (size > 2.0**62))
    return jnp.power(jnp.asarray(x), jnp.asarray(y))


def _divided(call: Call, x: Any, y: Any) -> Any:
    if call.op.output.type != INT or not is_known(y) or y <= 0 or y & (y - 1):
        return _by_formula(call, None, (x, y))
    return x >> int(y).bit_length() - 1 if call.op.name == "py.floordiv" else x & int(y) - 1


def _eye(call: Call, *lengths: Any) -> Any:
    n, m = fill_shape((call.attributes["rows"], call.attributes["columns"]), lengths)
    return jnp.eye(n, m, k=call.attributes["k"])


def _choose(call: Call, index: Any, *choices: Any) -> Any:
    mode = call.attributes.get("mode", "raise")
    if mode == "raise":
        call.fails((jnp.asarray(index) < 0) | (jnp.asarray(index) >= len(choices)))
    return jnp.choose(jnp.asarray(index), list(choices), mode="clip" if mode == "raise" else mode)


def _take(call: Call, x: Any, indices: Any) -> Any:
    axis, mode = call.attributes.get("axis"), call.attributes.get("mode", "raise")
    length = np.size(x) if axis is None else np.shape(x)[axis]
    if mode == "raise":
        call.check_place(indices, length)
    return jnp.take(x, jnp.asarray(indices), axis=axis, mode="wrap" if mode == "raise" else mode)


def extreme(name: str, items: Any, there: Any = True) -> Any:
    """The least or greatest item, as Python finds it: NaN as a first item stays, as others it never wins."""
    best = getattr(jnp, f"nan{name}")(jnp.where(there, items, items[0]))
    return jnp.where(items[0] != items[0], items[0], best)


def _conv2d(call: Call, images: Any, kernel: Any) -> Any:
    if call.op.output.dtype.kind not in "fc":
        raise NoForm("a convolution of ints")
    return lax.conv_general_dilated(
        images, kernel, call.attributes["strides"], "VALID", rhs_dilation=call.attributes["rates"],
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
    )  # fmt: skip


def _transposed(linear: Callable[[Any], Any], like: Any, g: Any) -> Any:
    """The gradient with respect to the operand of a linear function, which has the shape of ``like``."""
    return jax.vjp(linear, jnp.zeros_like(like))[1](g)[0]


def _no_form(call: Call, *xs: Any) -> Any:
    raise NoForm(f"{call.op.name} has no form in JAX: its residuals depend on the rank")


def _divmod(call: Call, x: Any, y: Any) -> Any:
    parts = zip(("floor_divide", "remainder"), call.op.outputs, strict=True)
    ops = [Operation(name, call.op.inputs, (value.type,), call.attributes) for name, value in parts]
    return [made(Call(op, call.fails, call.limits), [x, y])[0] for op in ops]


def _product(call: Call, *xs: Any) -> Any:
    return getattr(jnp, call.op.name)(*[typed(x, t) for x, t in zip(xs, call.types, strict=True)])


def _interp(call: Call, *xs: Any) -> Any:
    dtype = jax.dtypes.canonicalize_dtype(call.op.output.dtype)
    return jnp.interp(*[jnp.asarray(x, dtype if dtype.kind == "f" else None) for x in xs])


def _convolve(call: Call, a: Any, v: Any) -> Any:
    """XLA's convolution is one of floats; of ints it is a sum of products."""
    mode, dtype = call.attributes.get("mode", "full"), call.op.output.dtype
    if dtype.kind in "fc":
        return jnp.convolve(jnp.asarray(a), jnp.asarray(v), mode=mode)
    short, long = sorted((jnp.asarray(a), jnp.asarray(v)), key=np.size)
    n, m = np.size(long), np.size(short)
    k = np.arange(n + m - 1)[:, None] - np.arange(m)
    whole = jnp.sum(jnp.where((k >= 0) & (k < n), long[k.clip(0, n - 1)], 0) * short.astype(int), axis=1)
    start, count = {"full": (0, n + m - 1), "same": ((m - 1) // 2, n), "valid": (m - 1, n - m + 1)}[mode]
    return whole[start : start + count]


RULES: dict[str, Rule] = {
    # by zero they are NumPy's
    "divmod": _divmod,
    # Python's numbers are arrays here
    **dict.fromkeys(("dot", "inner"), _product),
    # of float32 and of ints JAX computes in a narrower dtype
    "interp": _interp,
    "convolve": _convolve,
    # places are checked, and a mask selects what only a run can count
    "getitem": _getitem,
    "scatter": _scatter,
    "take": _take,
    "choose": _choose,
    # the type that the graph says is all of it
    **dict.fromkeys(("identity", "cast", "astype", "copy", "asarray"), _converted),
    "stop_gradient": lambda call, x: lax.stop_gradient(x),
    "undef": lambda call: zeros_of(call.op.output.type),
    **dict.fromkeys(("shadow_like", "zero_of"), lambda call, x: jnp.zeros_like(x)),
    # JAX has no order of memory
    "like": lambda call, x: getattr(jnp, call.attributes["name"])(x),
    "full": lambda call, x, *lengths: jnp.full(fill_shape(call.attributes["shape"], lengths), x),
    "eye": _eye,
    # faster: JAX multiplies where an exponent is small; the bits of an int where a divisor is a power of two
    **dict.fromkeys(("power", "scalar.power"), _power),
    **dict.fromkeys(("py.floordiv", "py.mod"), _divided),
    # their kernels are written for Python's numbers
    "py.pow": _power_of_ints,
    **dict.fromkeys(("py.complex", "py.complex_of"), lambda call, re, im=0.0: jnp.asarray(re) + 1j * im),
    "py.sum_items": lambda call, x, start: jnp.sum(jnp.asarray(x), axis=0) + jnp.asarray(start),
    "py.min_item": lambda call, x: extreme("min", jnp.asarray(x)),
    "py.max_item": lambda call, x: extreme("max", jnp.asarray(x)),
    # its kernel looks at memory
    "conv2d": _conv2d,
    "conv2d_input_gradient": lambda call, g, kernel, x: _transposed(lambda x: _conv2d(call, x, kernel), x, g),
    "conv2d_kernel_gradient": lambda call, g, x, kernel: _transposed(
        lambda kernel: _conv2d(call, x, kernel), kernel, g
    ),
    "linalg.lstsq": _no_form,
}
