"""Section "string"."""

from tests.features.registry import floats, ints, row

X, Y = floats(3, -1, 4), floats(-2, 7, -1)


@row("fstring format spec", X, Y)
def format_spec(x):
    if x[0] > 0:
        text = f"{x[0]:8.3f}|{x.size:>4}"
    else:
        text = f"{x[1]:.1e}"
    return text


@row("fstring of tensor", X, Y)
def fstring(x):
    return f"first {x[0]} of {x!r}"


@row("print fstring of tensor", X, Y)
def print_fstring(x):
    for i in range(len(x)):
        if x[i] > 0:
            print(f"item {i}: {x[i]:.2f}")
    return x


@row("string built in loop", ints(1, 0, 1), ints(0, 0, 1))
def built_in_loop(bits):
    text = ""
    for b in bits:
        text = text + ("1" if b else "0")
    return text


@row("static string ops next to if", X, Y)
def static_string_ops(x):
    names = "low,high".split(",")
    scale = {"low": 1.0, "high": 10.0}
    if x[0] > 0:
        return x * scale[names[1].strip()]
    return x * scale[names[0].upper().lower()]
