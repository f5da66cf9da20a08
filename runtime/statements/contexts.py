"""`with` under a trace: the manager's methods run converted, and the exit runs however the block is left.

The block runs in the user's own frame, once. So what stands for it in the graph is made when it is left: a
``try`` whose body is what the block appended, and whose handler is the exit, which gets the exception and
raises it again. What the block computed is used after it under the same names: these values become the
outputs of the ``try``. An exit that swallows an exception of the run is refused: which values the variables
have then, nobody knows here.
"""

from __future__ import annotations

import contextlib
import types
from dataclasses import replace
from typing import Any

import numpy as np

from autograph.config import is_excluded
from autograph.errors import AutographError
from autograph.operators import call
from runtime.control_flow.blocks import trace_block
from runtime.control_flow.branches import NO_STATE
from runtime.control_flow.choices import certain, dispatch, truth
from runtime.graph import Block, Operation, Value
from runtime.graph.user_locations import user_location
from runtime.handlers.exceptions import raise_again
from runtime.handlers.generator_contexts import GeneratorContext
from runtime.handlers.handler_calls import handling
from runtime.handlers.raised import Caught
from runtime.handlers.regions import Region
from runtime.iteration.iterators import name_in_messages
from runtime.specs.spec import leaf_types
from runtime.staged.value_classes import class_of
from runtime.tracer.builder import Staged, emit
from runtime.tracer.decisions import Control, PathEnded, Restart
from runtime.tracer.faults import unrefused
from runtime.tracer.flattening import rebuild
from runtime.tracer.spec import Choice
from runtime.tracer.trace import Trace
from runtime.tracer.trace_base import Frame
from runtime.types import EXCEPTION

_REDIRECTS = (contextlib.redirect_stdout, contextlib.redirect_stderr)


class StagedContext:
    """Stands for a context manager for one `with` statement."""

    def __init__(self, trace: Trace, manager: Any) -> None:
        self.trace = trace
        self.manager = certain(manager) if isinstance(manager, Choice) else manager
        self.raising = 0
        place = user_location()
        self.site = (place.file, place.line)
        self.block: _OpenBlock | None = None

    def __enter__(self) -> Any:
        entered = self.enter()
        self.raising = self.trace.raising
        if self._sees_exceptions():
            self.block = _OpenBlock(self.trace)
        return entered

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> Any:
        if self.block is None:
            return self._leave_harmless(kind, error, traceback)
        block, self.block = self.block, None
        if isinstance(error, PathEnded):
            block.ends()
        elif isinstance(error, AutographError) or not isinstance(error, Exception | None):
            block.drop()
            return False
        elif error is not None and not block.region.landings:
            block.keep(block.close())
            return self._run("__exit__", kind, error, traceback)
        elif error is not None:
            block.raises(unrefused(error))
        block.finish(self._exit_with)
        if error is not None:
            self.trace.end_path()
        self._run("__exit__", None, None, None)
        return False

    def _exit_with(self, caught: Caught) -> None:
        """What the exit does where the block raises: it may act, and let the exception go on."""

        if isinstance(self.manager, GeneratorContext):
            self._require_closure()
            raise self.trace.refuse(
                f"the `yield` of `{self.manager.name}` stands in a `try` or `with`, and this block may raise",
                "write the manager as a class with __enter__ and __exit__, or use try/finally here",
                self.manager.name,
            )

        if dispatch(caught.error, lambda error: self.swallows(error, caught)) is not False:
            self._require_closure()
            raise self.trace.refuse(
                f"the exit of this {type(self.manager).__name__} may swallow what its block raises",
                "write it as try/except",
            )
        raise_again(self.trace, caught)

    def enter(self) -> Any:
        """What the manager gives on entering."""
        self._check()
        return self._run("__enter__")

    def leave(self) -> None:
        """The exit after a block that raised nothing."""
        self._run("__exit__", None, None, None)

    def swallows(self, error: Any, caught: Caught) -> Any:
        """The exit after a block that raised: does it take the exception? A bool, or a staged one."""
        kind = class_of(error)
        traceback = emit("exception.traceback", [self.trace.wrap(caught.value)])
        return truth(self._run("__exit__", kind, error, traceback))

    def _require_closure(self) -> None:
        """Begin again with the block as a closure, which may be left in the middle."""
        decisions = self.trace.decisions
        if self.site not in decisions.swallowing:
            raise Restart(
                replace(decisions, swallowing=decisions.swallowing | {self.site}),
                "the exit of a `with` may swallow an exception",
            )

    def _sees_exceptions(self) -> bool:
        """May the exit do something where the block raises?"""
        if isinstance(self.manager, GeneratorContext):
            return self.manager.sees_exceptions()
        if type(self.manager) is contextlib.closing:
            return True
        return _is_users(getattr(type(self.manager), "__exit__", None))

    def _leave_harmless(self, kind: Any, error: Any, traceback: Any) -> Any:
        if self.trace.raising != self.raising and isinstance(self.manager, contextlib.suppress):
            if isinstance(error, AutographError):
                return False  # of the trace, which no `suppress` is asked about
            self._require_closure()
            raise self.trace.refuse(
                "an exception that is raised at run time would not be suppressed here",
                "write it as try/except",
            )
        if kind is not None and not issubclass(kind, Control):
            return self._run("__exit__", kind, error, traceback)
        self._run("__exit__", None, None, None)
        return False

    def _check(self) -> None:
        """Refuse a manager whose methods would act while tracing, and never again."""
        cls = type(self.manager)
        if cls is Choice:
            raise self.trace.refuse(
                "a `with` gets one of several managers, and only a run knows which",
                "put the `with` inside the `if` that tells them apart",
            )
        _require_protocol(cls)
        if cls in HARMLESS or cls.__module__.partition(".")[0] in ("runtime", "autograph"):
            return
        if cls is np.errstate:
            self._check_errstate()
            return
        if not all(_is_users(getattr(cls, name, None)) for name in ("__enter__", "__exit__")):
            raise self.trace.refuse(
                f"entering this {cls.__name__} acts on the world outside, and would do so only while tracing",
                "put the `with` statement around the call of the decorated function"
                + "; or give the stream to each `print(..., file=stream)`" * issubclass(cls, _REDIRECTS),
            )

    def _check_errstate(self) -> None:
        """Floating-point warnings are no part of the promise: a run that may leave some out gives none."""
        modes = {getattr(self.manager, f"_{name}") for name in ("all", "divide", "over", "under", "invalid")}
        if not modes <= {None, "ignore", "warn"}:
            asked = ", ".join(sorted(map(repr, modes - {None})))
            raise self.trace.refuse(
                f"np.errstate asks for {asked}, which a graph does not do",
                "test the values, and raise the exception with `raise`",
            )

    def _run(self, name: str, *args: Any) -> Any:
        if type(self.manager) is np.errstate:
            return emit("errstate") if name == "__enter__" else None
        if type(self.manager) is contextlib.closing:
            thing = self.manager.thing  # type: ignore[attr-defined]
            if name == "__enter__":
                return thing
            call(thing.close)
            return None
        method = getattr(type(self.manager), name)
        if _is_users(method):
            return call(method, self.manager, *args)
        return method(self.manager, *args)


def _require_protocol(cls: type) -> None:
    """Complain of what is no context manager, as Python does."""
    for name, note in (("__enter__", ""), ("__exit__", " (missed __exit__ method)")):
        if getattr(cls, name, None) is None:
            kind = cls.__name__ if issubclass(cls, Staged) else name_in_messages(cls)
            raise TypeError(f"{kind!r} object does not support the context manager protocol{note}")


class _OpenBlock:
    """What the block of a `with` appends, from where it is entered until it is left."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.block = Block()
        around = trace.frames[-1] if trace.frames else None
        self.frame = Frame(self.block, outer=around, is_straight=True)
        #: the variables of the `try` around, whose handlers see what they hold where the block raises
        self.state = trace.regions[-1].state if trace.regions else NO_STATE
        self.region = Region(trace, self.state)
        trace.frames.append(self.frame)
        trace.blocks.append(self.block)
        trace.regions.append(self.region)

    def ends(self) -> None:
        self.block.ends = "never"

    def raises(self, error: BaseException) -> None:
        self.trace.raise_at_run_time(error)

    def drop(self) -> None:
        """The trace is given up."""
        for stack, mine in (
            (self.trace.regions, self.region),
            (self.trace.blocks, self.block),
            (self.trace.frames, self.frame),
        ):
            del stack[next(k for k, one in enumerate(stack) if one is mine) :]

    def close(self) -> list[Operation]:
        """The operations of the block, which is no longer open; what it wrote was written where it stands."""
        trace = self.trace
        self.drop()
        for slot, before in self.frame.written.values():
            trace.note(slot, before)
        parent = trace.frames[-1] if trace.frames else None
        for identity, (frame, _) in trace.outside.births.items():
            if frame is self.frame:
                trace.outside.births[identity] = (parent, trace.block)
        return self.block.operations

    def keep(self, operations: list[Operation]) -> None:
        """They stand in the block around, with no ``try``."""
        mine = {landing.operation for landing in self.region.landings}
        self._remove(mine, self.block)
        self.trace.block.operations += operations
        if self.block.ends == "never":
            self.trace.block.ends = "never"

    def _remove(self, landings: set[Operation], block: Block) -> None:
        block.operations[:] = [op for op in block.operations if op not in landings]
        for operation in block.operations:
            for inner in operation.blocks:
                self._remove(landings, inner)

    def finish(self, leave: Any) -> None:
        """Close the block; ``leave(caught)`` is what runs where it raises."""
        operations = self.close()
        if not self.region.landings:
            return self.keep(operations)
        handler = self._handler(leave)
        if all(op.name in _IDLE for op in handler.operations):
            return self.keep(operations)
        attributes = {"region": self.region.number, "refusals": "clean up"}
        operation = Operation("try", (), (), attributes, (self.block, handler))
        if self.block.ends != "never":
            _export(self.block, operation)
        self.trace.append(operation)
        if self.block.ends == "never":
            self.trace.block.ends = "never"
        return None

    def _handler(self, leave: Any) -> Block:
        trace, region = self.trace, self.region
        known, specs, slots = region.settle({key: value for key, (_, value) in self.frame.written.items()})
        exception = Value(EXCEPTION, "error")
        kinds = [*specs, *(spec for _, spec in slots)]
        types = [*known.types(), *(type for kind in kinds for type in leaf_types(kind))]
        block = Block([exception, *map(Value, types)])
        values = iter(block.params[1:])
        about = [next(values) for _ in known.types()]
        variables = self.state.get()
        settled = {slot.key for slot, _ in slots}
        later = [entry for key, entry in self.frame.written.items() if key not in settled]
        kept = [(slot, slot.get()) for slot, _ in (*slots, *later)]
        with trace.into(block):
            held = tuple([rebuild(spec, values, trace) for spec in specs])
            handed = [rebuild(spec, values, trace) for _, spec in slots]
        self.state.set(held)
        for (slot, _), value in zip(slots, handed, strict=True):
            slot.set(value)
        for slot, before in later:  # written where nothing could raise any more
            slot.set(before)

        def run() -> None:
            caught = Caught(exception, known.handled(trace, iter(about), exception))
            with handling(trace, caught):
                leave(caught)

        trace_block(trace, block, run, heads=[slot for slot, _ in slots])
        self.state.set(variables)
        for slot, value in kept:
            slot.set(value)
        return block


#: a handler of these alone raises the exception again, and does nothing else
_IDLE = frozenset({"raise", "constant", "undef", "class_of", "exception.traceback"})


def _export(block: Block, operation: Operation) -> None:
    """All that the block computes is an output of ``operation``, under the values that the trace knows."""
    inner: dict[Value, Value] = {}
    for op in block.operations:
        for value in op.outputs:
            inner[value] = Value(value.type, value.hint, op)
    for op in block.operations:
        op.outputs = tuple([inner[value] for value in op.outputs])
    _rename(block, inner)
    block.results = tuple(inner.values())
    operation.outputs = tuple(inner)
    for value in operation.outputs:
        value.owner = operation


def _rename(block: Block, names: dict[Value, Value]) -> None:
    for op in block.operations:
        op.inputs = tuple([names.get(value, value) for value in op.inputs])
        for nested in op.blocks:
            _rename(nested, names)
    block.results = tuple([names.get(value, value) for value in block.results])


#: managers that do nothing but what a trace sees
HARMLESS = (contextlib.nullcontext, contextlib.suppress, contextlib.closing)


def _is_users(method: Any) -> bool:
    """Is it Python that runs converted?"""
    return isinstance(method, types.FunctionType) and not is_excluded(
        method.__globals__.get("__name__") or ""
    )
