"""Section "for": loops over ranges, arrays and what is made of them."""

import numpy as np

from tests.features.registry import floats, ints, row

X, Y = floats(3, -1, 4, 1), floats(-2, 7, -1, 8)
SORTED = floats(1, 3, 5, 7)
TABLE = floats(1, 2, 3, 4, 5, 6).reshape(3, 2)


@row("for range tensor", np.int64(5), np.int64(0), np.int64(-2))
def for_range(n):
    total = 0
    for i in range(n):
        total += i * i
    return total


@row("for range start stop step", ints(2, 11, 3), ints(10, 0, -4), ints(3, 3, 1))
def for_range_step(spec):
    total = 0
    for i in range(spec[0], spec[1], spec[2]):
        total = total * 2 + i
    return total


@row("for over array", X, Y)
def for_over_array(x):
    best = 0.0
    for v in x:
        if v > best:
            best = v
    return best


@row("for unpack rows", TABLE, -TABLE)
def for_unpack_rows(pairs):
    total = 0.0
    for a, b in pairs:
        total = total + a * b if a > 2 else total - b
    return total


@row("for enumerate", X, Y)
def for_enumerate(x):
    total = 0.0
    for i, v in enumerate(x):
        if v > 0:
            total = total + i * v
    return total


@row("for zip", (X, Y), (Y, X))
def for_zip(x, y):
    total = 0.0
    for a, b in zip(x, y):
        total = total + (a if a > b else b)
    return total


@row("for zip unequal", (X, Y[:2]), (X[:1], Y))
def for_zip_unequal(x, y):
    count = 0
    total = 0.0
    for a, b in zip(x, y):
        count += 1
        total = total + a * b
    return total, count


@row("for enumerate zip", (X, Y), (Y, X))
def for_enumerate_zip(x, y):
    total = 0.0
    for i, (a, b) in enumerate(zip(x, y), start=1):
        if a < b:
            total = total + i
    return total


@row("for reversed range", np.int64(5), np.int64(0))
def for_reversed_range(n):
    digits = 0
    for i in reversed(range(n)):
        digits = digits * 10 + i
    return digits


@row("for reversed array", X, Y)
def for_reversed_array(x):
    total = 0.0
    for v in reversed(x):
        total = total / 2 + v
    return total


@row("for sorted", X, Y)
def for_sorted(x):
    total = 0.0
    for v in sorted(x):
        total = total / 2 + v
    return total


@row("for map lambda", X, Y)
def for_map(x):
    total = 0.0
    for v in map(lambda item: item * item, x):
        total = total - v if total > 10 else total + v
    return total


@row("for filter lambda", X, Y)
def for_filter(x):
    total = 0.0
    for v in filter(lambda item: item > 0, x):
        total = total + v
    return total


@row("for slices and index", X, Y)
def for_slices(x):
    total = 0.0
    for i in range(len(x) - 1):
        window = x[i : i + 2]
        if window[0] < window[1]:
            total = total + window.sum()
    return total


@row("return from nested loops", (TABLE, np.float64(4)), (TABLE, np.float64(9)), (TABLE, np.float64(1)))
def return_from_nested_loops(table, wanted):
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            if table[i, j] == wanted:
                return i * 10 + j
    return -1


@row("nested break continue", (TABLE, np.int64(1)), (TABLE, np.int64(5)))
def nested_break_continue(table, limit):
    total = 0.0
    for r in table:
        if r[0] > limit:
            continue
        for v in r:
            if v > limit + 1:
                break
            total = total + v
    return total


@row("python loop tensor break", X, Y)
def python_loop_tensor_break(x):
    total = 0.0
    for weight in [1, 2, 3]:
        total = total + weight * x[weight]
        if total > 9:
            break
    return total, weight


@row("python list loop tensor return", X, Y)
def python_list_loop_tensor_return(x):
    for limit in [10.0, 2.0, -5.0]:
        if x[0] > limit:
            return limit
    return 99.0


@row("python list of strings loop", X, Y)
def python_list_of_strings(x):
    y = x
    for name in ["double", "shift", "other"]:
        if name == "double":
            y = y * 2
        elif name == "shift" and x[0] > 0:
            y = y + 1
    return y


@row("loop variable used after", np.int64(4), np.int64(1))
def loop_variable_after(n):
    for i in range(n):
        pass
    return i


@row("first defined in loop used after", X, Y)
def first_defined_in_loop(x):
    for v in x:
        last = v * 2
    return last


@row("zero iterations unbound", np.int64(3), np.int64(0))
def zero_iterations(n):
    for i in range(n):
        square = i * i
    return square


@row("none accumulator", X, Y)
def none_accumulator(x):
    best = None
    for v in x:
        if best is None or v > best:
            best = v
    return best


@row("argmax by hand", X, Y)
def argmax(x):
    where, best = 0, x[0]
    for i, v in enumerate(x):
        if v > best:
            where, best = i, v
    return where


@row(
    "binary search",
    (SORTED, np.float64(5)),
    (SORTED, np.float64(0)),
    (SORTED, np.float64(8)),
)
def binary_search(x, wanted):
    low, high = 0, len(x)
    while low < high:
        middle = (low + high) // 2
        if x[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@row("loop target is subscript", X, Y)
def loop_target_is_subscript(x):
    slots = [0.0, 0.0]
    for slots[1] in x:
        if slots[1] > 0:
            slots[0] = slots[0] + slots[1]
    return slots


@row("for dict items of tensors", X, Y)
def for_dict_items(x):
    named = {"low": x.min(), "high": x.max()}
    total = 0.0
    for key, value in named.items():
        if value > 0:
            total = total + value * len(key)
    return total


@row("sieve like nested while", np.int64(20), np.int64(3))
def sieve(n):
    composite = np.zeros(32, dtype=bool)
    count = 0
    p = 2
    while p <= n:
        if not composite[p]:
            count += 1
            multiple = p * p
            while multiple <= n:
                composite[multiple] = True
                multiple += p
        p += 1
    return count
