"""`x[i] = v` makes a new array, for JAX's are values: whatever else holds the old one is to see the new one.

Containers and objects that hold the array get the new one in its place. Where a variable holds it that may
still be read, or a tuple, the assignment is refused; so it is where an array may be the same one at run time.
"""

from __future__ import annotations

import dis
import sys
from types import CodeType, FrameType
from typing import Any

from autograph.by_code import once_per_code
from autograph.config import is_excluded
from autograph.converted_code import is_body
from autograph.errors import StagingError, error_at_frame, is_internal_code
from autograph.stages._jax import paths, views
from autograph.stages._jax.holders import Holder, places_of
from autograph.stages._jax.liveness import Variables, variables_of
from autograph.stages._jax.shared import may_share
from autograph.stages._jax.tracing import Tracer, core_of
from autograph.stages.slots import names_in


def replace(target: Any, new: Any) -> Any:
    """What an assignment to an item of `target` gives: `new`, which is in its place now wherever it was held.

    Where the assignment sets no variable, and the place that held the array has the new one: `target`.
    """
    return _Replacement(target, new).made()


class _Replacement:
    def __init__(self, target: Any, new: Any) -> None:
        self.target, self.new = target, new
        self.frames, self.inside = _frames()
        self.functions = list(variables_of(self.frames))
        last = self.frames[-1] if self.frames else None
        self.stored = None if last is None else _stored(last.f_code, last.f_lasti)

    def made(self) -> Any:
        placed = False
        for read in (True, False):
            for variables in reversed(self.functions):
                roots = self._roots(variables, read)
                for holder in list(places_of(roots, self._is_wanted, self._is_variable)):
                    placed |= self._put(holder, variables, read)
        return self.target if placed and self.stored is None else self.new

    def _is_wanted(self, value: Any) -> bool:
        return value is self.target or may_share(self.target, value)

    def _roots(self, variables: Variables, read: bool) -> list[tuple[str, Any]]:
        """The variables that may still be read, or the others."""
        roots = [
            (name, value)
            for name, value in variables.values.items()
            if (name in variables.live) == read and not self._is_stored(name, variables)
        ]
        if read and not isinstance(self.target, Tracer):  # an array from before the trace, perhaps a global
            code, module = variables.frames[0].f_code, variables.frames[0].f_globals
            roots += [(name, module[name]) for name in names_in(code) if name in module]
        return roots

    def _is_stored(self, name: str, variables: Variables) -> bool:
        """Is this the variable that gets the new array?"""
        if name != self.stored or variables.values[name] is not self.target:
            return False
        return variables is self.functions[-1] or variables is self._owner(name)

    def _owner(self, name: str) -> Variables | None:
        """The function that the variable belongs to, of those around the one that assigns."""
        if name not in self.functions[-1].frames[0].f_code.co_freevars:
            return None
        found = (v for v in reversed(self.functions[:-1]) if name in v.values)
        return next((v for v in found if name not in v.frames[0].f_code.co_freevars), None)

    def _is_variable(self, name: str, value: Any) -> bool:
        return any(variables.values.get(name, self) is value for variables in self.functions)

    def _put(self, holder: Holder, variables: Variables, read: bool) -> bool:
        if holder.array is self.target and holder.put is not None and self._is_ours(holder, variables):
            holder.put(self.new)
            return True
        if read:
            raise self._refused(holder, variables)
        return False

    def _is_ours(self, holder: Holder, variables: Variables) -> bool:
        """Does the staged block around know of the object, so that the change is made on its path only?"""
        if self.inside is None or paths.is_in_block(holder.owner):
            return True
        return any(frame in self.inside and holder.name in frame.f_locals for frame in variables.frames)

    def _refused(self, holder: Holder, variables: Variables) -> StagingError:
        here, other, relation = self._name(), holder.name, self._relation(holder.array)
        if variables is self.functions[-1]:
            held = "holds an array that " if holder.owner is not None else ""
            named = f"`{here}`" if here else "the array that this assigns to"
            return error_at_frame(
                StagingError,
                f"`{other}` {held}{relation} {named}, and would not see this assignment",
                variable=other,
                hint=f"make `{here}` a copy: jnp.copy(...)" if here else "index once, as in `x[i, j] = v`",
            )
        writer, owner = (each.frames[0].f_code for each in (self.functions[-1], variables))
        if here in writer.co_freevars:
            kind, hint = f"`{here}`", f"say `nonlocal {here}` in `{writer.co_name}`"
        else:
            kind = "its parameter " if here in writer.co_varnames[: _parameters(writer)] else ""
            kind += f"`{here}`" if here else "an array"
            hint = f"return the array, and assign the result to `{other}` where the function is called"
        return error_at_frame(
            StagingError,
            f"`{writer.co_name}` assigns an item of {kind}, and `{other}` of `{owner.co_name}` would"
            " not see it",
            variable=here,
            hint=hint,
        )

    def _relation(self, array: Any) -> str:
        if array is self.target or core_of(array) is core_of(self.target):
            return "is the same array as"
        if {id(base) for base in views.chain(array)} & {id(base) for base in views.chain(self.target)}:
            return "shares items, in NumPy, with"
        return "may be, which only a run knows, the same array as"

    def _name(self) -> str:
        """The variable that is written through; empty where it is an attribute or an item."""
        if self.stored is not None:
            return self.stored
        writer = self.functions[-1].frames[0].f_code
        values = self.functions[-1].values
        return next((name for name in writer.co_freevars if values.get(name) is self.target), "")


def _parameters(code: CodeType) -> int:
    return code.co_argcount + code.co_kwonlyargcount


def _frames() -> tuple[list[FrameType], list[FrameType] | None]:
    """The user's frames since JAX called one, from the outermost; those in the innermost staged block."""
    found: list[FrameType] = []
    inside: list[FrameType] | None = None
    count = 0  # what is further out than JAX's outermost frame holds nothing of this trace
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code, module = frame.f_code, frame.f_globals.get("__name__") or ""
        if module.startswith("jax."):
            count = len(found)
        if paths.is_block(code) and inside is None:
            inside = list(found)
        if is_body(code) or not (is_internal_code(code) or is_excluded(module)):
            found.append(frame)
        frame = frame.f_back
    return found[:count][::-1], inside


_STORES = ("STORE_FAST", "STORE_DEREF", "STORE_GLOBAL")
_LOADS = ("LOAD_FAST", "LOAD_DEREF", "LOAD_GLOBAL")
_CALLS = ("PRECALL", "CALL", "CACHE")


@once_per_code
def _stored(code: CodeType, at: int) -> str | None:
    """The variable that gets the result of the call at this offset; also by `x = ag__.kept(the call, x)`."""
    following = (i for i in dis.get_instructions(code) if i.offset > at)
    instruction = next(following, None)
    if instruction is not None and instruction.opname.startswith(_LOADS):
        variable = instruction.argval
        instruction = next((i for i in following if not i.opname.startswith(_CALLS)), None)
        if instruction is None or instruction.argval != variable:
            return None
    if instruction is None or not instruction.opname.startswith(
        ("STORE_FAST", "STORE_DEREF", "STORE_GLOBAL")
    ):
        return None
    argument = instruction.argval
    return str(argument[0] if isinstance(argument, tuple) else argument)
