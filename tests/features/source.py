"""Section "source": functions whose text is not in a file."""

import linecache

import autograph
from tests.features.registry import floats, scenario

X, Y = floats(3, -1, 4), floats(-2, 7, -1)

TEXT = """
def f(x):
    if x[0] > 0:
        return x * 2
    return x - 1
"""


def run_text(text, filename):
    autograph.register_source(text, filename)
    names = {}
    exec(compile(text, filename, "exec"), names)
    return names


@scenario("function from exec")
def from_exec(function):
    f = function(run_text(TEXT, "<typed in>")["f"])
    return [f(X), f(Y)]


@scenario("callee from exec")
def callee_from_exec(function):
    callee = run_text(TEXT, "<typed in as well>")["f"]

    @function
    def outer(x):
        return callee(x) + callee(-x)

    return [outer(X), outer(Y)]


@scenario("lambda from eval")
def lambda_from_eval(function):
    text = "lambda x: x * 3 if x[0] > 0 else -x"
    autograph.register_source(text, "<an expression>")
    f = function(eval(compile(text, "<an expression>", "eval")))
    return [f(X), f(Y)]


@scenario("function from notebook cell")
def from_notebook_cell(function):
    # What IPython does: the text of a cell lives in linecache under a made-up name.
    name = "/tmp/ipykernel_1/2345.py"
    linecache.cache[name] = (len(TEXT), None, TEXT.splitlines(keepends=True), name)
    names = {}
    exec(compile(TEXT, name, "exec"), names)
    f = function(names["f"])
    return [f(X), f(Y)]
