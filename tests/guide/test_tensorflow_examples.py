"""The examples of TensorFlow's own guides to `tf.function`, in our spelling, on both engines."""

import math

import numpy as np
import pytest

import autograph
import runtime as rt
from tests.differential import ENGINES, check

engines = pytest.mark.parametrize("engine", ENGINES)


def simple_relu(x):
    if x > 0:
        return x
    else:
        return 0


def inner_function(x, y, b):
    x = x @ y
    x = x + b
    return x


def outer_function(x):
    y = np.array([[2.0], [3.0]])
    b = 4.0
    return inner_function(x, y, b)


def my_relu(x):
    return np.maximum(0.0, x)


def mean_squared_error(y_true, y_pred):
    print("Calculating MSE!")
    difference = (y_true - y_pred) ** 2
    return np.mean(difference)


def power(x, y):
    result = np.eye(10, dtype=np.int64)
    for _ in range(y):
        result = x @ result
    return result


def fizzbuzz(n):
    for i in range(1, n + 1):
        if i % 15 == 0:
            print("FizzBuzz")
        elif i % 3 == 0:
            print("Fizz")
        elif i % 5 == 0:
            print("Buzz")
        else:
            print(i)


def area(radius):
    if radius < 0:
        raise ValueError(f"a circle has no radius {radius}")
    return math.pi * radius**2


@pytest.fixture
def eagerly():
    rt.run_functions_eagerly(True)
    yield
    rt.run_functions_eagerly(False)


def test_simple_relu_takes_both_branches():
    assert check(simple_relu, (np.int64(1),), (np.int64(-1),))
    assert check(simple_relu, (3,), (-3,), (0,))


@engines
def test_simple_relu_of_tensors(engine):
    relu = rt.function(simple_relu, engine=engine)
    assert [int(relu(rt.constant(x))) for x in (1, -1)] == [1, 0]
    assert relu.trace_count == 1


def test_simple_relu_converted_has_no_if_statement():
    converted = autograph.to_code(simple_relu)
    assert "ag__.if_stmt(" in converted or "ag__.if_exp(" in converted
    assert "    if x > 0" not in converted


def test_simple_relu_has_one_graph_with_an_if_in_it():
    graph = rt.function(simple_relu).get_concrete_function(rt.TensorSpec([], "int64")).graph
    assert "if" in str(graph)
    assert "simple_relu" in str(graph)


def test_a_function_may_call_another():
    assert check(outer_function, (np.array([[1.0, 2.0]]),), (np.array([[1.0, 2.0], [3.0, 4.0]]),))


@engines
def test_a_function_calling_another_gives_twelve(engine):
    outer = rt.function(outer_function, engine=engine)
    assert outer(rt.constant([[1.0, 2.0]])).numpy().tolist() == [[12.0]]


@engines
def test_my_relu_makes_three_graphs_in_five_calls(engine):
    relu = rt.function(my_relu, engine=engine)
    answers = [
        relu(rt.constant(5.5)).numpy(),
        relu([1, -1]),
        relu(rt.constant([3.0, -3.0])).numpy(),
        relu(rt.constant(-2.5)).numpy(),
        relu(rt.constant([-1.0, 1.0])).numpy(),
    ]
    expected = [5.5, [1.0, 0.0], [3.0, 0.0], 0.0, [0.0, 1.0]]
    assert [np.asarray(answer).tolist() for answer in answers] == expected
    assert relu.trace_count == 3
    listed = relu.pretty_printed_concrete_signatures()
    assert isinstance(listed, str)
    assert listed.count("my_relu(x") == 3


def test_mean_squared_error_prints_each_time():
    y = np.random.default_rng(0).integers(0, 10, (2, 5))
    assert check(mean_squared_error, (y[0], y[1]), (y[1], y[0]))


@engines
def test_mean_squared_error_eagerly(engine, eagerly):
    compiled = rt.function(mean_squared_error, engine=engine)
    assert compiled(np.array([1, 2]), np.array([3, 2])) == 2.0
    assert compiled.trace_count == 0


@engines
def test_running_eagerly_can_be_switched_off_again(engine, eagerly):
    compiled = rt.function(mean_squared_error, engine=engine)
    rt.run_functions_eagerly(False)
    assert compiled(np.array([1, 2]), np.array([3, 2])) == 2.0
    assert compiled.trace_count == 1


def test_power():
    x = np.random.default_rng(0).integers(-1, 2, (10, 10))
    assert check(power, (x, 100), (x, 0))


def test_fizzbuzz_of_a_staged_number():
    assert check(fizzbuzz, (np.int64(15),), (np.int64(3),), (np.int64(0),))
    assert check(fizzbuzz, (15,), (2,))


@engines
def test_fizzbuzz_of_a_tensor(engine, capsys):
    rt.function(fizzbuzz, engine=engine)(rt.constant(15))
    assert capsys.readouterr().out.split() == (
        "1 2 Fizz 4 Buzz Fizz 7 8 Fizz Buzz 11 Fizz 13 14 FizzBuzz".split()
    )


def test_area_of_a_circle():
    assert check(area, (np.float64(2.0),), (np.float64(-1.0),), (0.5,), (-0.5,))


@engines
def test_area_of_a_circle_that_is_none(engine):
    compiled = rt.function(area, engine=engine)
    with pytest.raises(ValueError, match=r"^a circle has no radius -1\.0$"):
        compiled(np.float64(-1.0))
    assert compiled(np.float64(2.0)) == pytest.approx(12.566370614359172)
