"""A StringIO that the function makes is one of the run: written to, read, closed, and returned."""

import contextlib
import io

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check

X = np.arange(4)


class Report:
    def __init__(self):
        self.out = io.StringIO()
        self.lines = 0

    def line(self, *parts):
        self.lines += 1
        print(self.lines, *parts, sep="|", file=self.out)

    def text(self):
        return self.out.getvalue()


def test_written_in_a_loop():
    def f(x):
        out = io.StringIO("start ")
        print("sum", x.sum(), file=out)
        for i, v in enumerate(x):
            if i:
                out.write(", ")
            if v > 1:
                print("large", v, end="", file=out)
        place = out.tell()
        return (
            out.write("end\n"),
            place,
            out.getvalue(),
            isinstance(out, io.StringIO),
            type(out) is io.StringIO,
        )

    check(f, (X,), (X * 0,), (X + 5,))


def test_in_an_object():
    def f(x):
        report = Report()
        for v in x:
            if v > 1:
                report.line("large", v)
            else:
                report.line(v)
        return report.text()

    check(f, (X,), (X * 0,))


def test_one_of_two_and_aliases():
    def f(x):
        a, b = io.StringIO(), io.StringIO()
        streams = [a, b]
        out = a if x.sum() > 5 else b
        out.write("one")
        streams[0].write("two")
        return a.getvalue(), b.getvalue(), streams[0] is a

    check(f, (X,), (X * 0,))


def test_in_a_with_statement():
    def left_early(x):
        with io.StringIO() as out:
            print("a", file=out)
            if x.sum() > 7:
                return out.getvalue()
            if x.sum() > 5:
                raise KeyError("k")
            text = out.getvalue()
        try:
            out.write("more")
        except ValueError as error:
            text += str(error)
        return text

    def closed(x):
        out = io.StringIO()
        out.close()
        with out:
            return 1

    check(left_early, (X,), (X * 0,), (X + 5,))
    check(closed, (X,))


def test_read_back_and_returned():
    def f(x):
        out = io.StringIO()
        out.write(f"{x.sum()}\nb")
        out.seek(0)
        return out.readline(), out.read(), out

    def wrong(x):
        out = io.StringIO()
        out.write(3)

    def no_method(x):
        return io.StringIO().append("a")

    check(f, (X,))
    check(wrong, (X,))
    check(no_method, (X,))


def test_a_redirection_is_refused_with_a_way_out():
    @rt.function
    def f(x):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            print(x.sum())
        return out.getvalue()

    with pytest.raises(StagingError, match=r"give the stream to each `print\(\.\.\., file=stream\)`"):
        f(X)
