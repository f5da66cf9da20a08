"""What `tf.saved_model.load` gives: objects with functions that run graphs, and no Python."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from runtime.saving.loaded import function_like
from runtime.tf.block_values import flatten
from runtime.tf.functions import ConcreteFunction, TensorSpec, type_of_tensor
from runtime.tf.tensors import Tensor, convert
from runtime.tf.variables import Module
from runtime.types import is_subtype


class RestoredObject(Module):
    """An object that was saved."""

    signatures: dict[str, Any]
    _called: Any = None

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if self._called is None:
            raise TypeError("the object that was saved has no traced `__call__`")
        return self._called(*args, **kwargs)


class RestoredFunction:
    """A function with the traces that were saved; a call takes the one for its arguments."""

    input_signature = None

    def __init__(
        self, name: str, parameters: Sequence[inspect.Parameter], traces: list[ConcreteFunction]
    ) -> None:
        self.__name__ = self._name = name
        self._signature = inspect.signature(function_like(name, parameters))
        self._traces = dict(enumerate(traces))

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        trace, leaves = self._find(args, kwargs)
        return trace._call([leaves[k] for k in trace._places])

    def get_concrete_function(self, /, *args: Any, **kwargs: Any) -> ConcreteFunction:
        if not args and not kwargs and len(self._traces) == 1:
            return self._traces[0]
        return self._find(args, kwargs)[0]

    @property
    def concrete_functions(self) -> list[ConcreteFunction]:
        return list(self._traces.values())

    def _find(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[ConcreteFunction, list[Any]]:
        """The trace for these arguments, and their leaves."""
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        leaves, structure = flatten((bound.args, bound.kwargs))
        for trace in self._traces.values():
            specs, wanted = flatten(trace._args)
            if structure == wanted:
                found = [_fitted(leaf, spec) for leaf, spec in zip(leaves, specs, strict=True)]
                if all(fits for fits, _ in found):
                    return trace, [leaf for _, leaf in found]
        known = "\n".join(f"  {trace._args}" for trace in self._traces.values())
        raise ValueError(
            "Could not find matching concrete function to call loaded from the SavedModel:"
            f" {self._name}() was called with {(bound.args, bound.kwargs)}, and was saved for\n{known}"
        )

    def __runtime_export__(self, specs: tuple[Any, ...], named: dict[str, Any]) -> Any:
        return self.get_concrete_function(*specs, **named).__runtime_export__((), {})

    def as_signature(self) -> Signature:
        return Signature(self, self._traces[0])

    def __repr__(self) -> str:
        return f"<restored function {self._name}>"


class Signature:
    """`restored.signatures[name]`: tensors by name in, a dict of tensors out."""

    def __init__(self, function: RestoredFunction, trace: ConcreteFunction) -> None:
        self._function, self._trace = function, trace

    def __call__(self, /, *args: Any, **kwargs: Any) -> dict[str, Any]:
        found = self._function(*args, **kwargs)
        if isinstance(found, dict):
            return found
        leaves = [leaf for leaf in flatten(found)[0] if isinstance(leaf, Tensor)]
        return {f"output_{k}": leaf for k, leaf in enumerate(leaves)}

    @property
    def structured_input_signature(self) -> Any:
        """What it takes: positional arguments, of which there are none, and arguments by name."""
        args, kwargs = self._trace._args
        return (), {**dict(zip(self._function._signature.parameters, args, strict=False)), **kwargs}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._trace, name)


def _fitted(leaf: Any, spec: Any) -> tuple[bool, Any]:
    """Is it what the trace was made for? A number or an array becomes a tensor where a tensor is wanted."""
    if isinstance(spec, TensorSpec):
        if not isinstance(leaf, Tensor | TensorSpec):
            try:
                leaf = convert(leaf, spec.dtype if not hasattr(leaf, "dtype") else None)
            except (TypeError, ValueError):
                return False, leaf
        return is_subtype(type_of_tensor(leaf), spec.type), leaf
    return type(leaf) is type(spec) and leaf == spec, leaf
