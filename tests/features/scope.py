"""Section "scope": globals, enclosing variables, closures."""

from tests.features.registry import floats, row

X, Y = floats(3, -1, 4), floats(-2, 7, -1)

hits = 0
largest = 0.0
latest = None


def note(v):
    global latest
    if v > 0:
        latest = v


@row("global write in loop", X, Y)
def global_in_loop(x):
    global hits
    for v in x:
        if v > 0:
            hits += 1
    return hits


@row("global write in if", X, Y, X)
def global_in_if(x):
    global largest
    if x[0] > largest:
        largest = x[0]
    return largest * 2


@row("global write in callee", X, Y, -abs(X))
def global_in_callee(x):
    for v in x:
        note(v)
    return latest


@row("nonlocal in inner function", X, Y)
def nonlocal_inner(x):
    total = 0.0

    def add(v):
        nonlocal total
        total = total + v

    for v in x:
        if v > 0:
            add(v)
    return total


@row("nonlocal staged inside inner", X, Y)
def nonlocal_staged_inside(x):
    total = 0.0

    def scan():
        nonlocal total
        for v in x:
            if v > 0:
                total = total + v

    scan()
    scan()
    return total


@row("closure reads loop variable", X, Y)
def closure_reads_loop_variable(x):
    scale = 1.0
    apply = lambda v: v * scale
    total = 0.0
    for v in x:
        scale = scale + 1
        total = total + apply(v)
    return total


@row("comprehension scope does not leak", X, Y)
def comprehension_scope(x):
    v = x[0]
    squares = [v * v for v in (1.0, 2.0)]
    if v > 0:
        v = v + squares[1]
    return v
