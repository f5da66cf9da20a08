"""What the stages for Catalyst and PennyLane share: `cond`, `for_loop` and `while_loop` of either.

A subclass names the library, its error, and what happens where a loop cannot be traced.
"""

import contextlib
import copy
import functools
import inspect
import threading
from operator import iadd, imul, ipow, isub, itruediv

import jax
import jax.numpy as jnp
import numpy as np
import pennylane as qp

import autograph
from autograph import errors, operators
from autograph.stages import FunctionalStage
from autograph.stages.carrying import Missing, Places

errors.register_internal_directory(__file__.rpartition("/")[0])  # our frames are not the user's


class DisableAutograph(threading.local, contextlib.ContextDecorator):
    """`with disable_autograph:` or `@disable_autograph`: what is called in it runs as it was written."""

    depth = 0

    def __enter__(self):
        self.depth += 1

    def __exit__(self, *_):
        self.depth -= 1


disable_autograph = DisableAutograph()
UPDATES = {iadd: "add", isub: "subtract", imul: "multiply", itruediv: "divide", ipow: "power"}
SEEN = {}  # the id of a code object -> the function that was converted


class Range:
    """A `range` whose bounds may be traced; where no loop is traced it acts as Python's."""

    def __init__(self, *bounds):
        self.bounds, self._py_range = (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1)[:3], None

    @property
    def py_range(self):
        self._py_range = self._py_range or range(*self.bounds)
        return self._py_range

    def __getattr__(self, name):
        return getattr(self.py_range, name)

    for _name in "__len__ __eq__ __hash__ __contains__ __iter__ __getitem__ __reversed__".split():
        locals()[_name] = lambda self, *args, name=_name: getattr(self.py_range, name)(*args)


class Enumerate(enumerate):
    """An `enumerate` that remembers what it goes through."""

    def __init__(self, iterable, start=0):
        self.iterable, self.start = iterable, start


def get_source_code_info(entry):
    """An entry of a traceback as Python shows it: converted code has the places of the user's."""
    return f'  File "{entry.filename}", line {entry.lineno}, in {entry.name}\n    {entry.line}\n'


class Differs(TypeError):
    """Two paths leave values of other kinds."""


class ProgramStage(FunctionalStage):
    types, packages = (jax.core.Tracer,), ("jax", "jaxlib", "pennylane", "catalyst")
    library, error, wrappers, included = None, None, (), ()

    # Values

    def claims(self, value):
        return not disable_autograph.depth and super().claims(value)

    def is_leaf(self, value):
        return super().is_leaf(value) or isinstance(value, (jax.Array, np.ndarray, np.generic, complex))

    def zeros(self, like):
        return np.zeros(jnp.shape(like), jnp.result_type(like))

    def opaque(self, value):
        return isinstance(value, (type, DisableAutograph)) or super().opaque(value)  # as classes are to malt

    def takes_apart(self, value, was_there):
        return True

    # Errors

    def statement(self):
        """The statement that is being traced."""
        at = self.place()
        return f'  File "{at.file}", line {at.line}, in {at.function}\n    {at.text}\n'

    def refuse_raised(self, error, where=None):
        raise error

    def differs(self, name, what):
        raise Differs(f"a branch or a loop requires a consistent return structure: {name} {what}")

    def raise_stmt(self, exception, cause):
        return NotImplemented  # it happens while tracing, on whatever path

    # Branches

    def cond(self, condition, then, orelse, values):
        statement = self.library.cond(condition)(lambda: then(*values))
        statement.otherwise(lambda: orelse(*values))
        return statement()

    def if_stmt(self, cond, body, orelse, state):
        super().if_stmt(cond, body, orelse, state)
        for value in state.get():
            if isinstance(value, Missing):
                raise self.error(f"Some branches did not define a value for variable '{value.name}'")

    # Loops

    def while_loop(self, test, body, values):
        return self.library.while_loop(lambda v: test(*v))(lambda v: body(*v))(values)

    def for_loop(self, start, stop, step, body, values):
        return self.library.for_loop(start, stop, step)(lambda i, v: body(i, *v))(values)

    def stages_while(self):
        return not disable_autograph.depth  # also where the first test gives a bool of Python's

    def while_stmt(self, test, body, state):
        loop = functools.partial(super().while_stmt, test, body, state)
        return self.attempt(loop, state, (test, body))

    def for_stmt(self, iterable, test, body, state):
        if disable_autograph.depth:
            return NotImplemented
        loop = functools.partial(super().for_stmt, iterable, test, body, state)
        return self.attempt(loop, state, (test, body), "for loop")

    def steps(self, iterable):
        """Bounds of a loop over indices, and the item of an index."""
        if isinstance(iterable, Range):
            return *iterable.bounds, lambda i: i
        target = iterable.iterable if isinstance(iterable, Enumerate) else iterable
        try:
            length, array = len(target), jnp.asarray(target)
        except Exception:  # noqa: BLE001
            self.failed(self.error(f"Could not convert the iteration target {target} at\n{self.statement()}"))
            return None
        return 0, length, 1, lambda i: array[i] if target is iterable else (i + iterable.start, array[i])

    def attempt(self, loop, state, blocks, what=None):
        """Trace a loop. Where that fails, all is as before, and `failed` says what else to do."""
        places, before = Places(self, state, blocks), self.checkpoint()
        try:
            self.check_begin(state.names, places.before)
            found = loop()
            self.check_end(state.names, places.before, state.get())
            return found
        except Exception as error:  # noqa: BLE001
            places.restore()
            self.rollback(before)
            if not isinstance(error, Differs) or list not in map(type, places.before):
                return self.failed(error, what)
        state.set(tuple(tuple(v) if type(v) is list else v for v in places.before))  # it may become a tuple
        found = self.attempt(loop, state, blocks, what)
        if found is NotImplemented:
            places.restore()
        return found

    def check_begin(self, names, values):
        for name, value in zip(names, values, strict=True):
            if isinstance(value, operators.Undefined) and value.name:
                raise self.error(f"The variable '{name}' is potentially uninitialized before the loop.")
            for leaf in jax.tree.leaves(value):
                if not self.is_leaf(leaf) and not isinstance(leaf, operators.Undefined):
                    raise self.error(f"'{name}' was initialized with type {type(leaf)}, unknown to JAX.")

    def check_end(self, names, *values):
        for name, *both in zip(names, *values, strict=True):
            for pair in zip(*map(jax.tree.leaves, both), strict=False):
                if isinstance(pair[0], operators.Undefined):
                    continue  # of the conversion's own
                old, new = map(jax.api_util.shaped_abstractify, pair)
                if (old.dtype, old.shape) != (new.dtype, new.shape):
                    raise self.error(f"'{name}' was initialized with the wrong type: {old}, then {new}.")

    # Logic: `and` and `or` evaluate all operands, and combine arrays item by item.

    both, either, not_ = map(staticmethod, (jnp.logical_and, jnp.logical_or, jnp.logical_not))

    def and_(self, a, thunks):
        return self.joined(jnp.logical_and, lambda a, b: a and b, a, thunks)

    def or_(self, a, thunks):
        return self.joined(jnp.logical_or, lambda a, b: a or b, a, thunks)

    def joined(self, of_arrays, of_objects, a, thunks):
        for b in [thunk() for thunk in thunks]:
            a = (of_arrays if self.are_arrays(a, b) else of_objects)(a, b)
        return a

    def are_arrays(self, a, b):
        return self.claims(a) and self.claims(b)

    # Items

    def set_item(self, target, key, value):
        return target.at[key].set(value) if self.claims(target) else super().set_item(target, key, value)

    def aug_item(self, target, key, operator, value):
        method = UPDATES.get(operator)
        if not self.claims(target) or method is None or isinstance(key, (tuple, list, np.ndarray)):
            return NotImplemented  # JAX refuses it, as Catalyst documents
        return getattr(target.at[key], method)(value)

    # Calls

    def converts(self, function):
        name = (function.__module__ or "") + "."
        return any(name.startswith(each + ".") for each in self.included) or super().converts(function)

    def enter(self, function, converted):
        if disable_autograph.depth:
            return function
        SEEN[id(function.__code__)] = function
        return converted

    def call(self, function, args, kwargs):
        if function is range or function is enumerate:
            return (Range if function is range else Enumerate)(*args, **kwargs)
        if isinstance(function, qp.QNode):
            passes = {k: kwargs.pop(k) for k in ("pass_pipeline",) if kwargs.get(k)}
            inner = self.later(function.func)
            bound = functools.wraps(function.func)(lambda: inner(*args, **kwargs))
            return with_function(function, bound)(**passes)
        if not any(function is wrapper for wrapper in self.wrappers):
            return super().call(function, args, kwargs)
        if not args:
            raise ValueError(f"{function.__name__} requires at least one argument")
        if not callable(args[0]) and not self.is_operator(args[0]):
            raise ValueError(f"First argument to {function.__name__} must be callable or an Operation")
        first = args[0] if self.is_operator(args[0]) else self.later(args[0])
        return function(first, *args[1:], **kwargs)

    def is_operator(self, value):
        return isinstance(value, qp.operation.Operator)

    def later(self, function):
        """What a library calls in place of a function, QNode or object: converted, when it is called."""
        return functools.wraps(function, updated=())(lambda *a, **k: operators.call(function, *a, **k))

    # Entries

    def run_autograph(self, fn, *modules):
        """A function, QNode or callable object whose control flow is traced; code of `modules`, too."""
        if not callable(fn):
            raise self.error(f"Unsupported object for transformation: {type(fn)}")
        stage = copy.copy(self)
        stage.included = modules
        if isinstance(fn, qp.QNode):
            made = with_function(fn, self.run_autograph(fn.func, *modules))
        elif inspect.isfunction(fn):
            SEEN[id(fn.__code__)] = fn
            made = autograph.convert(fn, stage=stage)
        else:

            @functools.wraps(fn, updated=())
            def made(*args, **kwargs):
                with autograph.trace_of(stage):
                    return operators.call(fn, *args, **kwargs)

        made.ag_unconverted = fn
        return made

    def has_cache(self, function):
        """Was the function converted?"""
        return id(getattr(inspect.unwrap(function), "__code__", None)) in SEEN

    def source(self, fn):
        if not self.has_cache(fn):
            raise self.error("The function was not converted by AutoGraph.")
        return autograph.to_code(fn)


def with_function(qnode, function):
    qnode = copy.copy(qnode)
    qnode.func = function
    return qnode
