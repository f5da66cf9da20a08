"""Optional values and names that may be unbound (mechanism U of the table)."""

import numpy as np

from tests.features.registry import floats, ints
from tests.variations.cases import case, scenario

SIGNS = [np.float64(3), np.float64(-3), np.float64(0)]
ROWS = [floats(-1, 2, 3), floats(-1, -2), floats(1)]


def first_positive(x):
    for i in range(len(x)):
        if x[i] > 0:
            return i, x[i]
    return None


@case(*ROWS)
def a_tuple_or_none_is_tested_and_then_unpacked(x):
    found = first_positive(x)
    if found is None:
        return np.float64(0)
    position, value = found
    return value * 10 + position


@case(*ROWS)
def a_tuple_or_none_is_unpacked(x):
    position, value = first_positive(x)
    return value * 10 + position


@case(*ROWS)
def tuples_of_other_lengths_are_unpacked(x):
    pair = (1, 2) if x[0] > 0 else (1, 2, 3)
    a, b = pair
    return a + b


@case(*ROWS)
def none_is_iterated_over(x):
    pair = (1, x[0]) if x[0] > 0 else None
    total = x[0] * 0
    for v in pair:
        total += v
    return total


@case(floats(3, -1, -1, -1, 2, 2), floats(-3, 4, -5), floats())
def the_last_value_is_compared_before_there_is_one(x):
    last = None
    length = longest = 0
    for v in x:
        length = length + 1 if v == last else 1
        last = v
        longest = max(longest, length)
    return longest


@case(floats(1, np.nan), floats(2), np.zeros((2, 3)), ints(1, 2), np.array(3.0), np.float64(2))
def numbers_and_arrays_are_compared_with_none_and_text(x):
    return x == None, x != None, None == x, x == "a", "a" != x  # noqa: E711


@case(floats(3), floats(-3))
def an_item_of_none_is_stored(x):
    y = None
    if x.sum() > 0:
        y = x * 2
    y[0] = 5
    return y


@case(*ROWS)
def an_item_of_a_list_or_a_dict_is_stored_added_to_and_deleted(x):
    table = [1, 2] if x[0] > 0 else {0: 5, 1: 6}
    table[0] = x[0]
    table[0] += 1
    del table[1]
    return table


class Best:
    def __init__(self):
        self.value = None

    def see(self, x):
        if self.value is None or x > self.value:
            self.value = x


@scenario
def an_attribute_is_none_until_something_is_seen(function):
    best = Best()

    @function
    def look(x):
        for v in x:
            if v > 0:
                best.see(v)
        return best.value is None

    return look(floats(-1, -2)), best.value, look(floats(-1, 4)), best.value, look(floats(3)), best.value


@case(*SIGNS)
def a_name_is_deleted_on_one_path(x):
    y = x * 2
    if x > 0:
        del y
    else:
        y += 1
    try:
        return y
    except UnboundLocalError as error:
        return str(error)


@case(*SIGNS)
def an_inner_function_reads_what_is_perhaps_not_bound(x):
    def inner():
        return late + 1

    if x > 0:
        late = x
    return inner()


@case(*SIGNS)
def an_inner_function_adds_to_what_is_perhaps_not_bound(x):
    def inner():
        nonlocal late
        late += 1
        return late

    if x > 0:
        late = x
    try:
        return inner(), late
    except NameError as error:
        return type(error).__name__, str(error)
