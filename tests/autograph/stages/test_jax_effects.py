"""Prints, assertions and raises happen at run time, in order, where the path leads to them."""

import traceback
from contextlib import suppress

import jax
import jax.numpy as jnp
import pytest

import autograph
import autograph.stages.jax
from autograph.stages.jax import own_exceptions


def printed(capsys):
    jax.effects_barrier()
    return capsys.readouterr().out.splitlines()


def announce(x):
    print("begin", x)
    if x > 0:
        print(f"positive {x:.2f}", end="!\n")
    else:
        print("negative", {"x": 1})
    print("end")
    return x


@pytest.mark.parametrize("x", [2.5, -1.0])
def test_prints_are_those_of_plain_python(capsys, x):
    announce(x)
    expected = printed(capsys)
    compiled = jax.jit(autograph.convert(announce))
    for _ in range(2):  # not only while tracing
        compiled(x)
        assert printed(capsys) == expected


def count_down(x):
    steps = 0
    while x > 1:
        print("step", steps)
        x = x / 2
        steps += 1
        if steps == 3:
            print("enough")
            break
    return x


@pytest.mark.parametrize("x", [1.0, 3.0, 100.0])
def test_prints_in_a_loop(capsys, x):
    count_down(x)
    expected = printed(capsys)
    jax.jit(autograph.convert(count_down))(x)
    assert printed(capsys) == expected


def test_prints_in_a_scan_that_breaks(capsys):
    def f(xs):
        for i in range(len(xs)):
            print("at", i)
            if xs[i] > 2:
                break
        return i

    jax.jit(autograph.convert(f))(jnp.arange(12.0))
    assert printed(capsys) == ["at 0", "at 1", "at 2", "at 3"]


def test_prints_of_elements_not_on_the_path_do_not_happen(capsys):
    def f(x):
        if x > 0:
            print("positive")
        while x > 2:
            print("large")
            x = x - 10
        return x

    xs = jnp.array([1.0, -1.0, 20.0])
    for transformed in (jax.vmap(autograph.convert(f)), jax.jit(jax.vmap(autograph.convert(f)))):
        transformed(xs)
        assert sorted(printed(capsys)) == ["large", "large", "positive", "positive"]


def test_prints_under_grad_happen_once(capsys):
    def f(x):
        if x > 0:
            print("once")
        return x * x

    assert jax.jit(jax.grad(autograph.convert(f)))(3.0) == 6
    assert printed(capsys) == ["once"]


def test_print_to_a_file_is_refused(tmp_path):
    def f(x):
        if x > 0:
            print(x, file=file)
        return x

    with open(tmp_path / "log", "w") as file:
        with pytest.raises(autograph.StagingError, match="print to a file happens once"):
            jax.jit(autograph.convert(f))(1.0)


# assert and raise


def limited(x):
    assert x < 10, f"{x} is too large"
    return x * 2


def test_an_assertion_that_holds():
    assert jax.jit(autograph.convert(limited))(3.0) == 6
    assert jax.jit(jax.grad(autograph.convert(limited)))(3.0) == 2


@pytest.mark.parametrize("transform", [jax.jit, lambda f: jax.jit(jax.grad(f))])
def test_an_assertion_that_fails(transform, caplog):
    said = r", line \d+, in limited\nAssertionError: 30.0 is too large"
    with pytest.raises(jax.errors.JaxRuntimeError, match=said):
        transform(autograph.convert(limited))(30.0).block_until_ready()
    assert not caplog.records


def test_an_assertion_that_fails_for_one_element():
    compiled = jax.jit(jax.vmap(autograph.convert(limited)))
    assert compiled(jnp.array([1.0, 2.0])).tolist() == [2, 4]
    with pytest.raises(jax.errors.JaxRuntimeError, match="11.0 is too large"):
        compiled(jnp.array([1.0, 11.0])).block_until_ready()


class Negative(Exception):
    def __init__(self, value):
        super().__init__(f"negative: {value}")
        self.value = value


def root(x):
    if x < 0:
        raise Negative(x)
    if x > 100:
        raise ValueError
    return x**0.5


def test_raise():
    compiled = jax.jit(autograph.convert(root))
    assert compiled(4.0) == 2
    with pytest.raises(jax.errors.JaxRuntimeError, match="ValueError"):
        compiled(200.0).block_until_ready()
    assert compiled(9.0) == 3


def test_raise_with_a_message_known_at_run_time():
    def f(x):
        if x < 0:
            raise KeyError(f"no {x} here")
        return x

    with pytest.raises(jax.errors.JaxRuntimeError, match="KeyError: 'no -4.0 here'"):
        jax.jit(autograph.convert(f))(-4.0).block_until_ready()


def test_an_exception_as_itself():
    compiled = own_exceptions()(jax.jit(autograph.convert(root)))
    assert compiled(4.0) == 2
    with pytest.raises(Negative, match="negative: -4.0") as raised:
        compiled(-4.0)
    assert raised.value.value == -4 and raised.value.__suppress_context__
    last = traceback.extract_tb(raised.value.__traceback__)[-1]
    assert (last.name, last.line) == ("root", "raise Negative(x)")
    with pytest.raises(ValueError):
        compiled(400.0)
    with pytest.raises(AssertionError, match="30.0 is too large"), own_exceptions():
        jax.jit(autograph.convert(limited))(30.0)
    assert compiled(9.0) == 3


def test_an_exception_of_somebody_else_stays_as_jax_has_it():
    def fail(x):
        raise KeyError("theirs")

    with pytest.raises(jax.errors.JaxRuntimeError, match="theirs"), own_exceptions():
        jax.jit(lambda x: jax.debug.callback(fail, x))(1.0)


def test_a_failing_side_of_a_vmapped_branch():
    def f(x):
        if x < 0:
            raise ValueError("negative")
        return jnp.sqrt(x)

    mapped = jax.jit(jax.vmap(autograph.convert(f)))
    assert mapped(jnp.array([4.0, 9.0])).tolist() == [2, 3]
    with pytest.raises(jax.errors.JaxRuntimeError, match="negative"):
        mapped(jnp.array([4.0, -9.0])).block_until_ready()


def test_a_raise_inside_a_try_is_refused():
    def f(x):
        try:
            if x > 0:
                raise ValueError("positive")
            y = 1
        except ValueError:
            y = 2
        return y

    with pytest.raises(autograph.StagingError, match="inside a `try` that may catch it"):
        jax.jit(autograph.convert(f))(1.0)


def test_a_raise_that_would_be_suppressed_is_refused():
    def f(x):
        with suppress(ValueError):
            if x > 0:
                raise ValueError("positive")
            return 1.0
        return 2.0

    with pytest.raises(autograph.StagingError, match="inside a `try` that may catch it"):
        jax.jit(autograph.convert(f))(1.0)


def test_what_we_refuse_is_not_caught_by_the_program():
    def f(x):
        try:
            y = [1]
            if x > 0:
                y.append(x)
        except Exception:
            return 0
        return 1

    with pytest.raises(autograph.StagingError, match="JAX needs one type"):
        jax.jit(autograph.convert(f))(1.0)


def test_a_try_within_a_branch():
    def f(x):
        y = 0
        if x > 0:
            try:
                raise KeyError("k")
            except KeyError:
                y = 3
            finally:
                y += 1
        return y

    compiled = jax.jit(autograph.convert(f))
    assert (compiled(1.0), compiled(-1.0)) == (4, 0)


def test_text_known_at_run_time_stays_inside():
    def f(x):
        return len(f"{x}")

    with pytest.raises((autograph.StagingError, TypeError)):
        jax.jit(autograph.convert(f))(1.0)
