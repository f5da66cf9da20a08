"""Section "print"."""

from tests.features.registry import floats, row

X, Y = floats(3, -1, 4), floats(-2, 7, -1)


@row("print tensor", X, Y)
def print_tensor(x):
    print("x is", x, x.sum(), sep=" | ", end=" !\n")
    y = x * 2
    print(y[0])
    return y


@row("print in branch", X, Y)
def print_in_branch(x):
    print("start")
    for v in x:
        if v > 0:
            print("up", v)
        else:
            print("down", -v)
    return x
