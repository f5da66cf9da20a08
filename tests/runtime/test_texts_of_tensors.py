"""The text of a Tensor, in a decorated function as outside of one."""

import numpy as np
import pytest

import runtime as rt


def raised(t):
    raise ValueError(t, [t + 1])


TEXTS = {
    "print": lambda t: print(t, t + 1, t.sum()),
    "str": lambda t: (str(t), repr(t), ascii(t)),
    "f-string": lambda t: f"{t} {t!s} {t!r} {t.sum():.2f}",
    "percent": lambda t: "%s, %r" % (t, t + 1),
    "format": lambda t: "{} {!r}".format(t, t),
    "in a list": lambda t: str([t, (t, {"a": t})]),
    "printed list": lambda t: print([t]),
    "branch": lambda t: print(t) if t.sum() > 0 else print(-t),
}


@pytest.mark.parametrize("value", [np.ones(2), np.float64(-2), np.ones((2, 2), np.float32)], ids=str)
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_text(text, value, capsys):
    tensor = rt.constant(value)
    expected = text(tensor), capsys.readouterr().out
    decorated = rt.function(text)
    for _ in range(2):
        assert (decorated(tensor), capsys.readouterr().out) == expected


def test_an_exception_keeps_its_tensors():
    tensor = rt.constant(np.ones(2))
    with pytest.raises(ValueError) as plain:
        raised(tensor)
    with pytest.raises(ValueError) as staged:
        rt.function(raised)(tensor)
    assert str(staged.value) == str(plain.value)
    assert isinstance(staged.value.args[0], rt.Tensor)
