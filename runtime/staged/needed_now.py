"""What plain Python asks of a staged value: its class; what a run knows, its truth, value, hash and text."""

from __future__ import annotations

import inspect
import sys
from types import FunctionType, MethodType, ModuleType
from typing import Any, NoReturn

import numpy as np

from autograph.errors import user_frame
from runtime.control_flow.indexed import Indexed
from runtime.control_flow.iterators import IteratorOfTrace, TracedIterator
from runtime.ops.item_patterns import CONTAINERS
from runtime.ops.item_patterns import class_of as class_of_type
from runtime.staged import operands
from runtime.staged.objects import Unreadable, refuse_methods, text_about
from runtime.tracer.builder import Staged, emit, refuse
from runtime.types import ArrayType

VALUE_HINT = (
    "write it with operators and functions of NumPy or math, or pass the number as a plain Python argument"
)
TEXT_HINT = "use an f-string or print, which keep the value until it is known"

#: of a `return`, `break` or `continue` in a `finally`, which keeps the statements around it Python's
JUMP_HINT = (
    "a `return`, `break` or `continue` that leaves a `finally` keeps the statements around it Python's: "
    "set a variable there, and jump behind the `try`, after an `except` for what the jump would swallow"
)
#: calls for which all statements of a function stay Python's
_LOOKING_AT_VARIABLES = frozenset({"locals", "vars", "dir", "eval", "exec"})


def truth_hint() -> str:
    """Why a test is left to Python, as far as its function shows, and what to write."""
    frame = user_frame(sys._getframe(1))
    if frame is None or not frame.f_code.co_flags & inspect.CO_OPTIMIZED:  # of a class body, say
        return "compute the value before, with np.where, np.logical_and or rt.cond"
    code = frame.f_code
    looking = sorted(_LOOKING_AT_VARIABLES.intersection(code.co_names))
    if looking:
        return (
            f"this function calls {looking[0]}(), so its statements stay as they are: "
            "move that call into a function of its own"
        )
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR | inspect.CO_COROUTINE):
        return (
            "a statement around a `yield` or `await` stays Python's: compute the value before, with np.where "
            "or an `if`, or in another function"
        )
    return (
        "use np.where, np.logical_and or rt.cond, or write the test as an `if` statement (a `return`, "
        "`break` or `continue` that leaves a `finally` keeps the statements around it Python's)"
    )


class StagedData(Staged):
    """A number or an array of the graph: what both refuse, and how NumPy asks for them."""

    __slots__ = ()
    boxed = False

    def __bool__(self) -> bool:
        raise refuse(
            f"Python asks for the truth of a staged {self.type} here, which is known only at run time",
            truth_hint(),
        )

    def unknown(self, what: str) -> Exception:
        """What to raise where Python asks for the value or the text."""
        words = f"Python needs the {what} of a staged {self.type} here, which is known only at run time"
        return refuse(words, TEXT_HINT if what == "text" else VALUE_HINT)

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


#: plain objects that stand for others, found outside
STAND_INS = (Unreadable, Indexed)
#: classes of ours, and Python's own, whose instances a trace has as instances of ours
STANDING_FOR: dict[type, type] = {}
_VIEWS = {f"the {name} of this dict": getattr({}, name)() for name in ("keys", "values", "items")}
_CONTAINERS = [kind() for kind in CONTAINERS.values()]
_SAMPLES = {type(one): one for one in (*_CONTAINERS, *_VIEWS.values(), "", range(0), np.empty(0))}
#: of text that is not ASCII; of other text Python has a class of its own
TEXT_ITERATOR: type = type(iter("\N{EURO SIGN}"))


def class_of(x: Any) -> Any:
    """The class that the value has at run time; of an object that only a run knows it is staged, too."""
    if not isinstance(x, Staged):
        if isinstance(x, TracedIterator | ModuleType | Indexed):
            found = _class_of_items(x) if isinstance(x, Indexed) else x.__class__
            if found is TEXT_ITERATOR:
                what = "the class of an iterator over text is asked for, which is not staged"
                raise refuse(what, "ask for the class of the text")
            return found
        return type(x.original) if type(x) in STAND_INS else STANDING_FOR.get(type(x), type(x))
    if isinstance(x, operands.Boxed):
        return next(cls for cls in type(x).__mro__ if not issubclass(cls, Staged))
    return class_of_type(x.type) or emit("class_of", [x])


def require_no_method(x: Any) -> None:
    """Raises StagingError for a method of ours in the place of one that Python or NumPy has."""
    owner = getattr(x, "__self__", None) if isinstance(x, MethodType | FunctionType) else None
    if isinstance(owner, Staged) and not isinstance(owner, operands.Boxed):
        raise refuse(
            "the class of a method of a staged value is asked for", "ask for the class of the value itself"
        )


def class_of_iterator(function: Any, *args: Any) -> type | None:
    """The class of ``function(*args)``: of `iter`, `reversed`, or a class of iterators; None: as it looks."""
    if isinstance(function, type) and function is not reversed:
        return function
    if function is iter and len(args) > 1:
        return type(iter(int, 1))
    sample = _SAMPLES.get(class_of(args[0]))
    return None if sample is None else type(function(sample))


def _class_of_items(x: Indexed) -> type:
    if isinstance(x, IteratorOfTrace):
        return x._kind
    if x.is_range:
        return range
    if x.what in _VIEWS:
        return type(_VIEWS[x.what])
    raise refuse(f"the class of {x.what} is asked for, which is not staged", "make a list of it first")
