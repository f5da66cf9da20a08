"""What ``rt.save`` was given, as functions with the signatures that are to be saved.

Those that cannot leave the process are refused at the lines that are to blame.
"""

from __future__ import annotations

import dis
import inspect
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import CellType
from typing import Any

import numpy as np

from autograph.errors import ArgumentError, AutographError, StagingError, error_at_definition
from runtime.arguments import wrong_argument
from runtime.engines.tracebacks import located
from runtime.functions.concrete import ConcreteFunction
from runtime.functions.decorator import function
from runtime.functions.functions import Function
from runtime.functions.recorded_lines import Gone, revive
from runtime.functions.signature import is_data_argument, leaves_of
from runtime.functions.tensor_specs import TensorSpec
from runtime.graph import Location, Operation
from runtime.guards.paths import Argument, Attribute, Guard, Item, Path
from runtime.saving.admissible import is_data, text_of
from runtime.saving.loaded import LoadedFunction, Signature
from runtime.saving.loaded_module import LoadedModule
from runtime.saving.signatures import Unsaveable, spec_of
from runtime.state.variables import Module
from runtime.types import NumberType

_HINT = "pass numbers and arrays, in lists, tuples and dicts, and keep them outside in rt.Variable"


def at_operation(concrete: ConcreteFunction, op: Operation, message: str, hint: str) -> AutographError:
    """The error (not raised) for an operation.

    Stores to globals and to variables of functions around are made where a function ends; what is to blame
    is where it binds the name.
    """
    holder = op if op.is_constant else op.inputs[0].owner if op.inputs else None
    if holder is None or not holder.is_constant:
        return located(StagingError(message, hint=hint), op.location)
    place = _place_of_store(concrete.function, _bound_name(concrete, holder))
    if place is None:
        return at_definition(concrete, message, hint)
    return located(StagingError(message, hint=hint), place)


def _bound_name(concrete: ConcreteFunction, holder: Operation) -> Any:
    """The variable of a store into a namespace or a cell, which is a constant of the graph."""
    held = holder.attributes["value"]
    if isinstance(held, CellType):
        function: Any = getattr(concrete.function, "__func__", concrete.function)
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)
        return next((name for name, cell in cells if cell is held), None)
    users = (one for one in concrete.optimized.operations() if holder.output in one.inputs)
    return next((one.attributes["key"] for one in users if "key" in one.attributes), None)


def at_definition(concrete: ConcreteFunction, message: str, hint: str = _HINT) -> AutographError:
    """The error (not raised) for something about a function that is no operation."""
    code = getattr(getattr(concrete.function, "__func__", concrete.function), "__code__", None)
    if code is None:
        return StagingError(message, hint=hint)
    return error_at_definition(StagingError, message, code, hint=hint)


_BINDS = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL", "STORE_DEREF", "DELETE_DEREF"})


def _place_of_store(function: Any, name: Any) -> Location | None:
    """Where a function binds a global or a variable of a function around, if it does so itself."""
    code: Any = getattr(getattr(function, "__func__", function), "__code__", None)
    for step in dis.get_instructions(code) if code is not None else ():
        at = step.positions
        if step.opname not in _BINDS or step.argval != name or at is None:
            continue
        if at.lineno is not None and at.col_offset is not None:
            span = (at.col_offset, at.end_lineno or at.lineno, at.end_col_offset or at.col_offset)
            return Location(code.co_filename, at.lineno, code.co_qualname, span=span)
    return None


_NUMBERS = frozenset({int, float, bool, complex})


@dataclass(frozen=True)
class Source:
    """One function to save. ``fixed``: the leaves of the object whose method it is; ``skipped``: is it so?"""

    name: str
    callable: Any  # what has its parameters
    signatures: Sequence[Signature]
    fixed: tuple[Any, ...] = ()
    skipped: int = 0

    def parameters(self) -> list[dict[str, Any]]:
        """Its parameters, with those defaults that text can say."""
        return parameter_forms(list(inspect.signature(self.callable).parameters.values())[self.skipped :])


def parameter_forms(parameters: Iterable[inspect.Parameter]) -> list[dict[str, Any]]:
    """Parameters as JSON, with those defaults that text can say."""
    found = []
    for parameter in parameters:
        form: dict[str, Any] = {"name": parameter.name, "kind": parameter.kind.name}
        if parameter.default is not parameter.empty and is_data(parameter.default):
            form["default"] = text_of(parameter.default)
        found.append(form)
    return found


def sources_of(target: Any, specs: tuple[Any, ...], named: dict[str, Any]) -> tuple[str, dict[str, Source]]:
    """What a folder will hold (function, dict or module), and the functions by name.

    Raises ArgumentError for what cannot be saved.
    """
    if not isinstance(target, Mapping | Module):
        source = _source(target, specs, named)
        return "function", {source.name: source}
    kind = "module" if isinstance(target, Module) else "dict"
    found = _methods_of(target) if isinstance(target, Module) else dict(target)
    if specs or named:
        raise wrong_argument(
            f"one signature is given for a {kind} of {len(found)} functions",
            "save {'name': f.get_concrete_function(spec)} where it matters which signatures are saved",
            "specs",
        )
    if not all(isinstance(name, str) for name in found):
        raise wrong_argument(
            "a dict of functions has a key that is no string", "name each function", "target"
        )
    return kind, {name: _source(one, (), {}) for name, one in found.items()}


def _methods_of(module: Module) -> dict[str, Any]:
    """The decorated methods of a module that have been traced or say their signature, and its functions."""
    if isinstance(module, LoadedModule):
        return module.functions
    found = {}
    for name in dir(type(module)):
        method = inspect.getattr_static(type(module), name)
        method = getattr(method, "__func__", method)  # of a static or class method
        if isinstance(method, Function) and (method.concrete_functions or method.input_signature is not None):
            found[name] = getattr(module, name)
    found.update({n: one for n, one in vars(module).items() if isinstance(one, Function | LoadedFunction)})
    if not found:
        raise wrong_argument(
            f"no method of this {type(module).__name__} has been traced",
            "call the decorated methods first, or save its variables alone with rt.CheckpointFolder",
            "target",
        )
    return found


def _source(target: Any, specs: tuple[Any, ...], named: dict[str, Any]) -> Source:
    if hasattr(type(target), "__runtime_export__"):
        target = target.__runtime_export__(specs, named)
    if isinstance(target, LoadedFunction):
        return Source(target.__name__, target, target.signatures)
    if isinstance(target, ConcreteFunction):
        if not _is_current(target, ()):
            raise _untraced(target.name)
        return Source(target.name, target.function, [_signature_of(target, 0)])
    owner: tuple[Any, ...] = ()
    if isinstance(target, types.MethodType) and isinstance(target.__func__, Function):
        owner, target = (target.__self__,), target.__func__
    fixed = tuple(leaves_of(owner))
    if not isinstance(target, Function):
        target = function(target)
    _refuse_coroutine(target)
    said = specs or named
    known = [] if said else target.concrete_functions
    traces = [one for one in known if _is_current(one, fixed) and _is_of_class(one, owner)]
    if not traces:
        if not said and target.input_signature is None and not _takes(target.python_function, owner):
            raise _untraced(target.name)
        named = {name: _normal(spec) for name, spec in named.items()}
        traces = [target.get_concrete_function(*owner, *map(_normal, specs), **named)]
    signatures = [_signature_of(_with_items(target, one), len(owner)) for one in traces]
    return Source(target.name, target.python_function, signatures, fixed, len(owner))


def _with_items(target: Function, trace: ConcreteFunction) -> ConcreteFunction:
    """The trace in which long lists of the arguments are known item by item: a file holds no other."""
    try:
        args, kwargs = revive(trace.kept)
    except Gone:
        return trace
    described = _described((args, kwargs))
    return trace if described is None else target.get_concrete_function(*described[0], **described[1])


def _described(value: Any) -> Any:
    """A structure with specs in place of what is in long lists and dicts; None where there are none."""
    if type(value) not in (tuple, list, dict):
        return None
    is_data = type(value) is not tuple and is_data_argument(value)
    items = {key: _as_spec(item) if is_data else _described(item) for key, item in _pairs(value)}
    if not is_data and all(item is None for item in items.values()):
        return None
    found = {key: item if items[key] is None else items[key] for key, item in _pairs(value)}
    return found if isinstance(value, dict) else type(value)(found.values())


def _pairs(value: Any) -> list[tuple[Any, Any]]:
    return [*(value.items() if isinstance(value, dict) else enumerate(value))]


def _as_spec(value: Any) -> Any:
    if type(value) is np.ndarray:
        return TensorSpec(value.shape, value.dtype)
    return NumberType(type(value).__name__) if type(value) in (int, float, complex) else _described(value)


def _takes(function: Callable[..., Any], args: tuple[Any, ...]) -> bool:
    """May it be called with these arguments?"""
    try:
        inspect.signature(function).bind(*args)
    except TypeError:
        return False
    return True


def _untraced(name: str) -> ArgumentError:
    return wrong_argument(
        f"nothing says what the arguments of {name}() are: it has no trace that is right now",
        f"call it first, or say it: rt.save(path, {name}, rt.TensorSpec([None, 3]))",
        "specs",
    )


def _normal(spec: Any) -> Any:
    """``int``, ``float``, ``bool`` and ``complex`` stand for numbers that only a call knows."""
    return NumberType(spec.__name__) if isinstance(spec, type) and spec in _NUMBERS else spec


def _refuse_coroutine(target: Function) -> None:
    if inspect.iscoroutinefunction(target.python_function):
        raise error_at_definition(
            StagingError,
            f"{target.name}() is `async`, which needs an event loop of Python's",
            target.__code__,
            hint="save the function that it awaits",
        )


def _signature_of(concrete: ConcreteFunction, skipped: int) -> Signature:
    """What the arguments of a trace are, after the object of a bound method, which may be another one now.
    Raises StagingError for what no file can describe."""
    kept_args, kept_kwargs = concrete.kept
    try:
        args, kwargs = revive((kept_args[skipped:], kept_kwargs))
        names = list(concrete.arguments)[skipped:]
        specs = [spec_of(arg, name) for arg, name in zip(args, names, strict=False)]
        return Signature(tuple(specs), {name: spec_of(arg, name) for name, arg in kwargs.items()}, concrete)
    except (Gone, Unsaveable) as error:
        reason = str(error) or "an argument that it was traced with is gone"
        raise at_definition(concrete, f"{concrete.name}() cannot be saved or exported: {reason}") from None


# -- what is frozen --------------------------------------------------------------------------------------


def root_of(path: Path) -> Path:
    """The argument, global, cell or constant where a path begins."""
    while isinstance(path, Attribute | Item):
        path = path.base
    return path


def is_frozen(path: Path, fixed: tuple[Any, ...]) -> bool:
    """Does it lead to what a saved function has for good, and not to an argument of a call?"""
    root = root_of(path)
    return not isinstance(root, Argument) or root.index < len(fixed)


def _is_of_class(concrete: ConcreteFunction, owner: tuple[Any, ...]) -> bool:
    """Was the trace of a class method made for this class? It is a constant of the trace."""
    return not owner or not isinstance(owner[0], type) or revive(concrete.kept[0][:1])[0] is owner[0]


def _is_current(concrete: ConcreteFunction, fixed: tuple[Any, ...]) -> bool:
    """Is what the trace found outside still so, and for this object?"""
    frozen: Callable[[Guard], bool] = lambda guard: all(
        is_frozen(path, fixed) for path in (guard.path, *guard.others)
    )
    return all(guard.holds(fixed) for guard in concrete.guards if frozen(guard))
