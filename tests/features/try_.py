"""Section "try"."""

from tests.features.registry import floats, ints, row

X, Y = floats(3, -1, 4), floats(-2, 7, -1)


@row("try finally around if", X, Y)
def finally_around_if(x):
    y = x
    try:
        if x[0] > 0:
            y = x * 2
    finally:
        y = y + 1
    return y


@row("return in try finally", X, Y)
def return_in_try(x):
    try:
        if x[0] > 0:
            return x * 2
        x = x - 1
    finally:
        print("done")
    return x


@row("try except static", X, Y)
def except_static(x):
    names = {"a": 1}
    try:
        scale = names["b"]
    except KeyError:
        scale = 3
    if x[0] > 0:
        return x * scale
    return x


@row("raise and catch under tensor", X, Y)
def raise_and_catch(x):
    try:
        if x[0] < 0:
            raise ValueError("negative")
        y = x * 2
    except ValueError:
        y = x * 0
    return y


@row("try inside staged loop", ints(4, 2, 1), ints(4, 0, 2))
def try_inside_loop(x):
    total = 0
    for v in x:
        try:
            total += 12 // int(v)
        except ZeroDivisionError:
            total -= 100
    return total


@row("continue in try finally loop", X, Y)
def continue_in_try(x):
    total = 0.0
    seen = 0
    for v in x:
        try:
            if v < 0:
                continue
            total = total + v
        finally:
            seen += 1
    return total, seen
