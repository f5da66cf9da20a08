"""Python asks for a value that only a run knows: what JAX says of it becomes a refusal, at the user's line.

Such an exception is no part of the program, which would not raise it, so that no handler of the program may
catch it: `try: d[n]` with `except (KeyError, TypeError)` is not about JAX's tracers being unhashable.

>>> refusal(TypeError("unhashable type: 'DynamicJaxprTracer'")).message
'a value that is known only at run time is no key of a dict, and no member of a set'
>>> refusal(TypeError("unhashable type: 'list'")) is None
True
"""

from __future__ import annotations

import re
import sys
from types import TracebackType

import jax

from autograph.converted_code import is_converted_code
from autograph.errors import StagingError, error_at_entry, error_at_frame

#: what an exception may be that speaks of a tracer
SUSPECTS = (TypeError, IndexError)


def refusal(error: BaseException) -> StagingError | None:
    """What to raise in place of an exception that Python or JAX raised because a value is not known yet.

    None where it is an exception of the program's own.
    """
    reason = _reason(error) if isinstance(error, SUSPECTS) else None
    if reason is None:
        return None
    entry = _innermost_of_the_users(error.__traceback__)
    if entry is None:
        return error_at_frame(StagingError, reason.message, sys._getframe(1), hint=reason.hint)
    return error_at_entry(StagingError, reason.message, entry, hint=reason.hint)


def _reason(error: TypeError | IndexError) -> StagingError | None:
    text = str(error)
    if isinstance(error, jax.errors.NonConcreteBooleanIndexError):
        return StagingError(
            "an array is indexed with a mask that only a run knows, and so would be the length of the result",
            hint="choose for each element with jnp.where, or give jnp.nonzero a `size`",
        )
    if isinstance(error, jax.errors.TracerBoolConversionError):
        return StagingError(
            "Python asks here whether a value is true that is known only at run time",
            hint="ask in an `if` or `while` of a converted function that is no generator, or use jnp.where",
        )
    if isinstance(error, jax.errors.TracerIntegerConversionError):
        return StagingError(
            "Python needs a number here that is known only at run time",
            hint="for an item of a list, index an array: jnp.stack(items)[i]; a length has to be static",
        )
    if isinstance(error, jax.errors.TracerArrayConversionError):
        return StagingError(
            "NumPy is given an array that is known only at run time",
            hint="call the function of that name in jax.numpy, or jnp.asarray for an array",
        )
    if isinstance(error, jax.errors.JAXTypeError):
        return StagingError(
            f"a value is needed while JAX traces that is known only at run time{_detail(text)}",
            hint="use the function of that name in jax.numpy, or let the value be static (static_argnums)",
        )
    if "'StagedText'" in text:
        return StagingError(
            "this text is known only at run time", hint="print it, or use it as the message of an exception"
        )
    if not re.search(r"Tracer\b", text):
        return None
    if "unhashable type" in text:
        return StagingError(
            "a value that is known only at run time is no key of a dict, and no member of a set",
            hint="keep the values in an array, and index that",
        )
    return StagingError(
        f"Python or JAX cannot do this with a value that is known only at run time: {text.splitlines()[0]}",
        hint="let the value be static (static_argnums of jax.jit), or use a function of jax.numpy or jax.lax",
    )


def _detail(text: str) -> str:
    """What JAX says, after its first line, about where the value is needed."""
    line = "".join(text.splitlines()[1:2]).partition(". ")[0].rstrip(".")
    return f" ({line})" if line and not line.startswith(("The error occurred", "See ", "This ")) else ""


def _innermost_of_the_users(entry: TracebackType | None) -> TracebackType | None:
    found = None
    while entry is not None:
        if is_converted_code(entry.tb_frame.f_code):
            found = entry
        entry = entry.tb_next
    return found
