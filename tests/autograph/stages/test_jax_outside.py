"""What a staged branch or loop may not change: what lies outside, and what would lose its identity."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph
import autograph.stages.jax
from tests.autograph.stages.objects import Counter, Slotted


def compiled(f):
    return jax.jit(autograph.convert(f))


COUNT = 0
LOG: list[int] = []
TABLE = np.zeros(3)


class Shared:
    total = 0


def _bump():
    global COUNT
    COUNT += 1


def _of_a_global(x):
    global COUNT
    if x > 0:
        COUNT = 5
    return x


def _of_a_global_in_a_callee(x):
    if x > 0:
        _bump()
    return x


def _of_a_class(x):
    if x > 0:
        Shared.total += 1
    return x


def _of_a_global_list(x):
    for i in range(20):
        if i > x:
            LOG.append(i)
    return x


def _of_a_global_list_in_a_while(x):
    while x > 1:
        LOG.append(1)
        x = x / 2
    return x


def _of_a_numpy_array(x):
    if x > 0:
        TABLE[0] = 1
    return x


def _of_a_numpy_array_in_place(x):
    table = TABLE
    if x > 0:
        np.add(table, 1, out=table)
    return x


@pytest.mark.parametrize(
    "f, said",
    [
        (_of_a_global, "`COUNT` belongs outside the function that JAX traces"),
        (_of_a_global_in_a_callee, "`COUNT` belongs outside"),
        (_of_a_class, "`Shared.total` belongs outside"),
        (_of_a_global_list_in_a_while, "`LOG` belongs outside"),
        (_of_a_numpy_array, "a NumPy array is written while JAX traces"),
        (_of_a_numpy_array_in_place, "a NumPy array from before is written"),
    ],
)
def test_what_lies_outside_is_not_changed(f, said):
    with pytest.raises(autograph.StagingError, match=said):
        compiled(f)(8.0)
    assert (COUNT, Shared.total, LOG, TABLE.tolist()) == (0, 0, [], [0, 0, 0])
    TABLE[1] = 1  # can be written again
    TABLE[1] = 0


def test_an_object_that_a_method_is_bound_to():
    class Model:
        def __init__(self):
            self.calls, self.log = 0, []

        def step(self, x):
            if x > 0:
                self.calls += 1
            return x

        def note(self, x):
            while x > 1:
                x = x / 2
                self.log.append(x)
            return x

    model = Model()
    with pytest.raises(autograph.StagingError, match="`Model.calls` belongs outside"):
        compiled(model.step)(1.0)
    with pytest.raises(autograph.StagingError, match="`Model.log` belongs outside"):
        compiled(model.note)(9.0)
    assert (model.calls, model.log) == (0, [])


def test_a_variable_of_an_enclosing_function():
    calls = 0

    def f(x):
        nonlocal calls
        if x > 0:
            calls += 1
        return x

    with pytest.raises(autograph.StagingError, match="`calls` belongs outside"):
        compiled(f)(1.0)
    assert calls == 0


def test_an_iterator_from_outside():
    items = iter([1, 2, 3])

    def f(x):
        if x > 0:
            x = x + next(items)
        return x

    def g(x):
        if x > 0:
            for item in items:
                x = x + item
        return x

    for function in (f, g):
        with pytest.raises(autograph.StagingError, match="a list_iterator from outside is advanced"):
            compiled(function)(1.0)
    assert list(items) == [1, 2, 3]


def test_an_object_of_the_outer_trace_changed_in_an_inner_one():
    def f(x):
        counter = Counter()

        def loss(y):
            if y > 0:
                counter.add(y)
            return y * y

        return jax.grad(autograph.convert(loss))(x) + counter.total

    with pytest.raises(autograph.StagingError, match=r"`Counter.count` belongs outside"):
        compiled(f)(1.0)


def test_a_dict_that_is_an_argument():
    def f(state, x):
        if x > 0:
            state["n"] = state["n"] + x
        return state

    given = {"n": 1.0}
    assert compiled(f)(given, 2.0) == {"n": 3} and given == {"n": 1.0}


def test_a_list_that_is_one_of_two():
    def f(x):
        a, b = [1.0, 2.0], [3.0, 4.0]
        c = a
        if x > 0:
            a, b = b, a
        a[0] = 77.0
        return a, b, c

    with pytest.raises(autograph.StagingError, match="which one it is depends on a staged condition"):
        compiled(f)(1.0)


def test_one_new_list_under_two_names():
    def f(x):
        a, b = [1.0], [2.0]
        if x > 0:
            a = b = [x]
        a.append(3.0)
        return a, b

    with pytest.raises(autograph.StagingError, match="`b` and `a` become the same list"):
        compiled(f)(1.0)


def test_an_object_made_in_a_branch_of_staged_values():
    def f(x):
        box = None
        if x > 0:
            box = Slotted(x * 2)
        return 1.0 if box is None else box.value

    with pytest.raises(autograph.StagingError, match="`box` is a Slotted made under a staged condition"):
        compiled(f)(1.0)


def test_lists_that_grow():
    def f(x):
        found = []
        if x > 0:
            found.append(x)
        return found

    with pytest.raises(
        autograph.StagingError, match=r"(?s)`found` is .* on one path .* where a list would grow"
    ):
        compiled(f)(1.0)


def test_the_leak_checker_of_jax():
    def f(xs):
        counter, best = Counter(), None
        for x in xs:
            if best is None or x > best:
                best = x
                counter.add(x)
        while counter.total > 3:
            counter.total /= 2
        return best, counter.total

    with jax.checking_leaks():
        assert compiled(f)(jnp.arange(12.0))[0] == 11


def test_no_tracer_is_left_behind():
    counter = Counter()

    def f(xs):
        for x in xs:
            while x > 1:
                counter.add(x)
                x = x / 2
        return counter.total

    with pytest.raises(autograph.StagingError, match="`Counter.count` belongs outside"):
        compiled(f)(jnp.arange(12.0))
    assert (counter.count, counter.total) == (0, 0.0)
