"""`tf.data.Dataset`: elements made one after another. An element is a structure of tensors."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import optree

from autograph.staging import State, Thunk
from runtime.ops.template import Hole, Template
from runtime.tf import math
from runtime.tf.arguments import only
from runtime.tf.block_values import traced
from runtime.tf.debugging import _effect
from runtime.tf.errors import OutOfRangeError
from runtime.tf.functions import Function, TensorSpec
from runtime.tf.names import refusing
from runtime.tf.random import fresh_seed
from runtime.tf.statements import choice
from runtime.tf.tensors import EagerTensor, SymbolicTensor, convert
from runtime.tf.traces import current, init_scope
from runtime.types import OBJECT, ScalarType

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


class Dataset:
    """Each pass calls ``make``, which gives an iterator over elements.

    >>> list(Dataset.range(5).batch(2).as_numpy_iterator())
    [array([0, 1]), array([2, 3]), array([4])]
    """

    def __init__(self, make: Callable[[], Iterator[Any]], length: float = np.nan, spec: Any = None) -> None:
        self._make = make
        #: infinite, or NaN where nobody knows
        self._length = length
        self._spec = spec
        #: may the last element be shorter than the others?
        self._batched = False
        #: where each element is a row of these tensors: what gives the numbers of the rows
        self._rows: tuple[Any, Callable[[], Iterator[int]]] | None = None

    # -- sources ---------------------------------------------------------------------------------------

    @classmethod
    def from_tensor_slices(cls, tensors: Any, name: str | None = None) -> Dataset:
        """The rows of a tensor, or of a structure of them."""
        structure = _tensors_in(tensors)
        leaves = optree.tree_leaves(structure)
        lengths = {x.shape[0] for x in leaves}
        if len(lengths) != 1:
            raise ValueError(f"the tensors have different numbers of rows: {sorted(lengths)}")
        (length,) = lengths
        return cls._of_rows(structure, lambda: iter(range(length)), length)

    @classmethod
    def _of_rows(cls, structure: Any, numbers: Callable[[], Iterator[int]], length: float) -> Dataset:
        def row(k: int) -> Any:
            return optree.tree_map(lambda x: EagerTensor(x._held[k]), structure)

        first = lambda: optree.tree_map(
            lambda x: EagerTensor(np.zeros_like(x._held, shape=x.shape[1:])), structure
        )
        made = cls(lambda: _or_example(map(row, numbers()), first), length)
        made._rows = structure, numbers
        return made

    @classmethod
    def from_tensors(cls, tensors: Any, name: str | None = None) -> Dataset:
        structure = _tensors_in(tensors)
        return cls(lambda: iter([structure]), 1)

    @classmethod
    def from_generator(
        cls,
        generator: Callable[..., Iterable[Any]],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = (),
        output_signature: Any = None,
    ) -> Dataset:
        only("Dataset.from_generator", output_shapes=(output_shapes, None))

        def element(value: Any) -> Any:
            if output_signature is not None:
                return optree.tree_map(lambda spec, x: math.constant(x, spec.dtype), output_signature, value)
            if output_types is not None:
                return optree.tree_map(lambda dtype, x: math.constant(x, dtype), output_types, value)
            return optree.tree_map(convert, value)

        return cls(lambda: map(element, generator(*args)), spec=output_signature)

    @classmethod
    def range(cls, *args: Any, output_type: Any = np.int64, name: str | None = None) -> Dataset:
        bounds = range(*[int(a) for a in args])
        element = lambda k=0: math.constant(k, output_type)
        return cls(lambda: _or_example(map(element, bounds), element), len(bounds))

    @classmethod
    def zip(cls, *datasets: Any, name: str | None = None) -> Dataset:
        parts = datasets[0] if len(datasets) == 1 else datasets
        made = cls(lambda: zip(*parts, strict=False), np.min([d._length for d in parts]))
        made._batched = any(part._batched for part in parts)
        return made

    # -- from one to another ---------------------------------------------------------------------------

    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
        deterministic: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """The function is traced, as a `tf.function`, once for each signature."""
        traced_function = Function(map_func)

        def apply_to(element: Any) -> Any:
            found = traced_function(*element) if isinstance(element, tuple) else traced_function(element)
            return tuple(found) if isinstance(found, list) else found

        return self._derived(lambda: map(apply_to, self._make()), self._length)

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        keeps = Function(predicate)
        return self._derived(
            lambda: (e for e in self if _by_example or (keeps(*e) if isinstance(e, tuple) else keeps(e)))
        )

    def flat_map(self, map_func: Callable[..., Dataset], name: str | None = None) -> Dataset:
        return self._derived(
            lambda: itertools.chain.from_iterable(
                map_func(*e) if isinstance(e, tuple) else map_func(e) for e in self
            )
        )

    def shuffle(
        self,
        buffer_size: int,
        seed: int | None = None,
        reshuffle_each_iteration: bool = True,
        name: str | None = None,
    ) -> Dataset:
        """Each element is drawn from a buffer of the next ones; anew each pass."""
        chosen = fresh_seed() if seed is None else seed
        random = np.random.default_rng(chosen)

        def shuffled(make: Callable[[], Iterator[Any]]) -> Iterator[Any]:
            generator = random if reshuffle_each_iteration else np.random.default_rng(chosen)
            elements = make()
            buffer = list(itertools.islice(elements, buffer_size))
            for element in elements:
                k = int(generator.integers(len(buffer)))
                yield buffer[k]
                buffer[k] = element
            for k in generator.permutation(len(buffer)):
                yield buffer[k]

        return self._chosen(shuffled, self._length)

    def batch(
        self,
        batch_size: int,
        drop_remainder: bool = False,
        num_parallel_calls: Any = None,
        deterministic: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """Elements stacked, `batch_size` at a time."""

        def make() -> Iterator[Any]:
            elements = self._make() if self._rows is None or _by_example else self._rows[1]()
            while chunk := list(itertools.islice(elements, batch_size)):
                chunk = chunk[:1] * batch_size if _by_example else chunk
                if drop_remainder and len(chunk) < batch_size:
                    return
                if self._rows is not None and not _by_example:
                    yield optree.tree_map(lambda x: EagerTensor(x._held[chunk]), self._rows[0])
                else:
                    yield optree.tree_map(
                        lambda *rows: EagerTensor(np.stack([r._held for r in rows])), *chunk
                    )

        made = self._derived(make, (np.floor if drop_remainder else np.ceil)(self._length / batch_size))
        made._batched = self._batched or not drop_remainder
        return made

    def unbatch(self, name: str | None = None) -> Dataset:
        return self._derived(
            lambda: itertools.chain.from_iterable(
                iter(Dataset.from_tensor_slices(element)) for element in self
            )
        )

    def take(self, count: int, name: str | None = None) -> Dataset:
        if count == -1:
            return self
        length = np.minimum(count, self._length)
        return self._chosen(lambda make: itertools.islice(make(), count), length)

    def skip(self, count: int, name: str | None = None) -> Dataset:
        length = np.maximum(self._length - count, 0)
        return self._chosen(lambda make: itertools.islice(make(), count, None), length)

    def repeat(self, count: int | None = None, name: str | None = None) -> Dataset:
        endless = count is None or count < 0
        times = lambda: itertools.count() if endless else range(count or 0)
        length = np.inf if endless else self._length * (count or 0)
        return self._chosen(lambda make: itertools.chain.from_iterable(make() for _ in times()), length)

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset:
        return self._derived(lambda: itertools.chain(self, dataset), self._length + dataset._length)

    def enumerate(self, start: int = 0, name: str | None = None) -> Dataset:
        return Dataset.zip(Dataset.range(start, 2**31), self)

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Dataset:
        """The same elements: nothing is computed ahead."""
        return self

    def cache(self, filename: str = "", name: str | None = None) -> Dataset:
        """The elements are made once, and kept in memory."""
        if filename:
            raise NotImplementedError(
                "Dataset.cache: filename= is not supported; leave it out to keep them in memory"
            )
        kept: list[Any] = []
        done = False

        def make() -> Iterator[Any]:
            nonlocal done
            if _by_example:
                return self._make()
            if not done:
                kept[:] = list(self)
                done = True
            return iter(kept)

        return self._derived(make, self._length)

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None) -> Any:
        state = optree.tree_map(convert, initial_state)
        step = Function(reduce_func)
        for element in self:
            state = step(state, element)
        return state

    # -- reading ---------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Any]:
        require_eager(self)
        return DatasetIterator(self)

    def as_numpy_iterator(self) -> Iterator[Any]:
        return (optree.tree_map(lambda x: x.numpy(), element) for element in self)

    def cardinality(self) -> Any:
        special = UNKNOWN_CARDINALITY if np.isnan(self._length) else INFINITE_CARDINALITY
        return math.constant(special if self._known_length is None else self._known_length, np.int64)

    @property
    def _known_length(self) -> int | None:
        return int(self._length) if np.isfinite(self._length) else None

    def __len__(self) -> int:
        if self._known_length is None:
            what = "length is unknown" if np.isnan(self._length) else "is infinite"
            raise TypeError(f"The dataset {what}.")
        return self._known_length

    def __bool__(self) -> bool:
        return True

    @property
    def element_spec(self) -> Any:
        """The element types and shapes, from the first two elements: lengths that differ are not known."""
        if self._spec is None:
            with init_scope():
                some = list(itertools.islice(self._make(), 2))
                if 2 < self._length < 100:
                    some.append(next(self.skip(int(self._length) - 1)._make()))
                if not some:
                    some = self._example()
            if not some:
                raise ValueError("the data set has no elements, so that nothing is known of their shapes")
            self._spec = optree.tree_map(self._common_spec, *some)
        return self._spec

    def _example(self) -> list[Any]:
        """An element of zeros, where there is none: sources give one, and what drops elements keeps it."""
        global _by_example
        _by_example = True
        try:
            return list(itertools.islice(self._make(), 1))
        finally:
            _by_example = False

    def _common_spec(self, *tensors: Any) -> TensorSpec:
        """What is known of the shape of all elements; of batches, the first length is left open."""
        first = tensors[0]
        same = [all(t.shape[k] == n for t in tensors) for k, n in enumerate(first.shape)]
        shape = [n if known else None for n, known in zip(first.shape, same, strict=True)]
        return TensorSpec([None, *shape[1:]] if shape and self._batched else shape, first.dtype)

    def _derived(self, make: Callable[[], Iterator[Any]], length: float = np.nan) -> Dataset:
        """One made of the elements of this one."""
        made = Dataset(make, length)
        made._batched = self._batched
        return made

    def _chosen(
        self, choose: Callable[[Callable[[], Iterator[Any]]], Iterator[Any]], length: float
    ) -> Dataset:
        """Elements of this one. Where they are rows, ``choose`` is given what makes their numbers."""
        if self._rows is None:
            return self._derived(lambda: self._make() if _by_example else choose(self._make), length)
        structure, numbers = self._rows
        return Dataset._of_rows(structure, lambda: choose(numbers), length)

    def _traced_loop(self) -> Any:
        return TracedIterator(self)

    def _traced_enumerate(self, start: Any = 0) -> Dataset:
        return self.enumerate(start)

    def _traced_zip(self, *datasets: Any) -> Dataset:
        return Dataset.zip((self, *datasets))


#: is it asked for an example of the elements, not for these?
_by_example = False


def _or_example(elements: Iterator[Any], example: Callable[[], Any]) -> Iterator[Any]:
    """The elements; where there are none, and one is asked for, the example."""
    if not _by_example:
        return elements
    found = list(itertools.islice(elements, 1))
    return iter(found or [example()])


def require_eager(stream: Any) -> None:
    """Raises TypeError while a Function is traced: Python would never come to the end of a data set there."""
    if current() is not None:
        raise TypeError(
            f"a {type(stream).__name__} in a tf.function is gone over by `for`, or by iter() and next();"
            " map() and filter() are methods of data sets"
        )


def _tensors_in(value: Any) -> Any:
    """A structure of tensors: of tuples and dicts. Lists are tensors."""
    return optree.tree_map(convert, value, is_leaf=lambda part: isinstance(part, list))


class _Stream:
    """A pass of a run: its next element, taken one ahead."""

    __slots__ = ("elements", "spec")

    def __init__(self, elements: Iterator[Any], spec: Any) -> None:
        self.elements = elements
        self.spec = spec

    def __call__(self) -> tuple[Any, ...]:
        with init_scope():
            element = next(self.elements, None)
        if element is None:
            return (np.False_, *[_nothing(spec) for spec in optree.tree_leaves(self.spec)])
        return (np.True_, *[x._held for x in optree.tree_leaves(element)])


def _nothing(spec: TensorSpec) -> Any:
    return np.zeros([n or 0 for n in spec.shape], spec.dtype._numpy)[()]


def _open(source: Any, spec: Any) -> _Stream:
    """A data set from the start, or an iterator from where it is."""
    return _Stream(source._make() if isinstance(source, Dataset) else source.elements, spec)


class DatasetIterator:
    """A pass over a data set that is begun outside of Functions; one that is given it goes on with it."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self.elements = dataset._make()

    def __iter__(self) -> DatasetIterator:
        require_eager(self)
        return self

    def __next__(self) -> Any:
        return next(self.elements) if current() is None else next(self._traced_loop())

    get_next = __next__

    @property
    def element_spec(self) -> Any:
        return self.dataset.element_spec

    def _traced_loop(self) -> TracedIterator:
        return TracedIterator(self)


def _advance(stream: _Stream) -> tuple[Any, ...]:
    return stream()


def _call(function: Any, types: tuple[Any, ...], inputs: tuple[Any, ...], *args: Any) -> tuple[Any, ...]:
    """An operation that calls a part of the graph itself, whose results need no check."""
    function.is_typed = True
    attributes = {"function": function, "template": Template((args, {})), "outputs": types}
    return traced().append("call", inputs, types, attributes)


class TracedIterator:
    """A pass over a data set in a traced function: begun by each run, or before, and advanced by its
    operations."""

    def __init__(self, source: Dataset | DatasetIterator) -> None:
        self.spec = source.element_spec
        (self.stream,) = _call(_open, (OBJECT,), (), source, self.spec)

    def __iter__(self) -> TracedIterator:
        require_eager(self)
        return self

    def _advance(self) -> tuple[Any, Any]:
        """Is there an element, and the element."""
        specs, structure = optree.tree_flatten(self.spec)
        types = (ScalarType(np.dtype("bool")), *[spec.type for spec in specs])
        values = _call(_advance, types, (self.stream,), Hole(0))
        there, *tensors = [SymbolicTensor(value, traced()) for value in values]
        return there, optree.tree_unflatten(structure, tensors)

    def __next__(self) -> Any:
        there, element = self._advance()
        _effect(_require_element, there)
        return element

    get_next = __next__

    def _traced_loop(self) -> TracedIterator:
        return self

    def loop(self, test: Thunk | None, body: Callable[[Any], None], state: State, while_loop: Any) -> None:
        """`for element in ...`: the first is taken before the loop, the next at the end of the body."""
        first, element = self._advance()
        leaves, structure = optree.tree_flatten(element)
        cell: list[Any] = [first, *leaves]
        names = ("", *["the element"] * len(leaves), *state.names)
        count = len(cell)

        def get() -> tuple[Any, ...]:
            return (*cell, *state.get())

        def set(values: tuple[Any, ...]) -> None:
            cell[:] = values[:count]
            state.set(values[count:])

        def go_on() -> Any:
            return math.logical_and(cell[0], test()) if test is not None else cell[0]

        def step(_: Any) -> None:
            body(optree.tree_unflatten(structure, cell[1:]))
            cell[:] = choice(test(), following, no_more) if test is not None else following()

        def following() -> list[Any]:
            there, element = self._advance()
            return [there, *optree.tree_leaves(element)]

        def no_more() -> list[Any]:
            """After a `break` nothing is taken: others may go on with the same pass."""
            return [math.constant(False), *cell[1:]]

        while_loop(go_on, step, State(names, get, set))


def _require_element(there: Any) -> None:
    if not there:
        raise OutOfRangeError(message="End of sequence")


__getattr__ = refusing(__name__, "tf.data")
