"""Text of staged values, and strings that a staged condition chose: as in Python, or refused by name."""

import jax
import pytest

import autograph
import autograph.stages.jax


def attempt(f, x):
    return jax.jit(autograph.convert(f))(x)


def printed(capsys):
    jax.effects_barrier()
    return capsys.readouterr().out


def joined(x):
    print("v=" + f"{x}" + "!", "a" + str(x))
    print(", ".join([f"{x:.1f}", "b", str(x)]))
    return x


def formatted(x):
    print("{} and {:.2f}".format(x, x))
    print("{1}-{0}-{k:{w}.1f}".format(1, x, k=x, w=8))
    return x


def with_percent(x):
    print("%s" % x, "%(a)5.2f|%(b)03d" % {"a": x, "b": 3}, "100%%", "%s!" % f"{x:.1f}")
    if x > 0:
        print("%-8s|%d items" % (x, x))
    message = "v=%g" % x
    print(message + "!", "%s" % [1])
    return x


@pytest.mark.parametrize("f", [joined, formatted, with_percent])
def test_text_is_made_at_run_time(f, capsys):
    compiled = jax.jit(autograph.convert(f))
    for x in (3.0, -1.5):
        f(x)
        expected = printed(capsys)
        compiled(x)
        assert printed(capsys) == expected


def chosen(x):
    k = "a" if x > 0 else "b"
    if k == "a":
        y = {"a": 1.0, "b": 2.0}[k]
    else:
        y = 5.0
    if k in ("b", "c") or k in {"z": 1}:
        y += 10
    return y + (k not in {"a"}) + (k + "z" == "az")


@pytest.mark.parametrize("x", [2.0, -2.0])
def test_a_chosen_string(x):
    assert attempt(chosen, x) == chosen(x)


def by_default(x):
    return {"a": 1.0, "b": 2.0}.get("a" if x > 0 else "b", 7.0)


def as_a_key(x):
    return {"a" if x > 0 else "b": 1.0}


def compared(x):
    return 1 if f"{x:.0f}" == "3" else 0


def contained(x):
    return 1 if f"{x}" in ("3.0",) else 0


def measured(x):
    return len(f"{x}")


def asked_for_truth(x):
    return 1 if f"{x}" else 0


def stripped(x):
    return 1 if f"{x}".strip() else 0


REFUSED = [
    (by_default, "this expression is 'a' or 'b' here, which is known only at run time"),
    (as_a_key, "if x == 'a':"),
    (compared, "this text is known only at run time"),
    (contained, "this text is known only at run time"),
    (measured, "this text is known only at run time"),
    (asked_for_truth, "this text is known only at run time"),
    (stripped, "this text is known only at run time"),
]


@pytest.mark.parametrize("f, said", REFUSED, ids=[f.__name__ for f, _ in REFUSED])
def test_refused(f, said):
    with pytest.raises(autograph.StagingError, match=said):
        attempt(f, 3.0)


def test_a_function_that_gives_none_on_one_path_says_so():
    def f(x):
        if x > 0:
            return x, x
        return None

    with pytest.raises(autograph.StagingError) as raised:
        attempt(f, 1.0)
    assert "what this function returns is a tuple of 2 or None" in str(raised.value)
    assert "retval" not in str(raised.value) and "where" not in str(raised.value)


def test_recursion_is_refused_before_the_stack_is_full():
    def factorial(n):
        return 1 if n <= 1 else n * factorial(n - 1)

    with pytest.raises(autograph.StagingError, match="`factorial` calls itself under a condition"):
        attempt(factorial, 7)
