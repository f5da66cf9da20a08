"""What plain Python asks of a number or an array and only a run knows: its truth, value, hash and text."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from runtime.staged import hints, operands
from runtime.staged.objects import refuse_methods, text_about
from runtime.tracer.builder import Staged, refuse
from runtime.types import ArrayType


class StagedData(Staged):
    """A number or an array of the graph: what both refuse, and how NumPy asks for them."""

    __slots__ = ()
    boxed = False

    def __bool__(self) -> bool:
        raise refuse(
            f"Python asks for the truth of a staged {self.type} here, which is known only at run time",
            hints.truth_hint(),
        )

    def unknown(self, what: str) -> Exception:
        """What to raise where Python asks for the value or the text."""
        words = f"Python needs the {what} of a staged {self.type} here, which is known only at run time"
        return refuse(words, hints.TEXT_HINT if what == "text" else hints.VALUE_HINT)

    def __hash__(self) -> int:
        if self.builder.in_vain:
            return 0
        raise refuse(
            f"the hash of a staged {self.type} is known only at run time",
            "use an array in place of a dict or set, or a plain Python number as the key",
        )

    def __repr__(self) -> str:
        return text_about(self, f"<a staged {'Tensor ' if self.boxed else ''}{self.type}>")

    def __copy__(self) -> Any:
        return operands.apply("copy", [self]) if isinstance(self.type, ArrayType) else self

    def __deepcopy__(self, memo: Any) -> Any:
        return self.__copy__()

    def __reduce__(self) -> NoReturn:
        raise refuse("a staged value cannot be pickled", "return the value, and pickle the result")

    def __array__(self, /, *args: Any, **kwargs: Any) -> NoReturn:
        raise refuse(
            f"code that cannot be staged asks for the contents of a staged {self.type}",
            "call a NumPy function that the runtime stages, or keep this code out of the decorated function",
        )

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, /, *inputs: Any, **kwargs: Any) -> Any:
        # an array of no dimensions is one that NumPy made of a scalar: `scalar < x`
        given = tuple([x[()] if type(x) is np.ndarray and not x.ndim else x for x in inputs])
        return self.builder.numpy.ufunc(ufunc, method, given, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return self.builder.numpy.function(function, args, kwargs)


refuse_methods(
    StagedData, {"int": "value", "float": "value", "complex": "value", "str": "text", "format": "text"}
)
