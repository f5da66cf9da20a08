"""Programs in which random testing found a bug, as small as they got, by name."""

import pytest

from tests.random_programs.program import Program
from tests.random_programs.properties import judge

CALLS = ("np.array([1.0, -2.0, 0.5]), np.int64(0)", "np.array([-1.0, 2.0, 0.5]), np.int64(2)")
FOUND = {
    "a_try_in_a_try_that_always_raises": """
counted = 0.0

def f(a, n):
    try:
        try:
            assert counted, f'because of {n}'
        finally:
            print('inner')
    finally:
        print('outer')
""",
    "a_try_with_a_while_whose_test_is_taken_back": """
def f(a, n):
    x = 1.0
    try:
        a[0] // int(a[1] < 5)
        x = 2.0
        while 1 // int(n) > 100:
            pass
        1 // (int(n) - 2)
    except ZeroDivisionError:
        pass
    return x
""",
    "a_loop_that_always_breaks": """
def f(a, n):
    for x in a:
        print(x)
        break
    for x, y in zip(a, a[::-1]):
        a += x
        break
    return a
""",
    "a_local_stored_only_where_it_does_not_matter": """
v = 42

def f(a, n):
    match n:
        case 0:
            if a[0] > 0:
                v = 1
        case _:
            a[0] = v
    return a
""",
    "a_callee_that_forgets_its_global_statement": """
counted = 1.0

def note(v):
    if v > counted:
        counted = v

def f(a, n):
    note(a[0])
    return a[1]
""",
    "an_attribute_of_a_global_object_is_written_and_read": """
class Box:
    def __init__(self):
        self.count = 0

BOX = Box()

def f(a, n):
    BOX.count += 1
    if a[0] > 0:
        BOX.count += 10
    return BOX.count
""",
    "an_attribute_of_a_global_object_is_written_in_a_loop": """
class Box:
    pass

BOX = Box()

def f(a, n):
    for x, y in zip(a.copy(), np.arange(4)):
        BOX.total = x
    return a
""",
    "a_global_assigned_to_itself_in_a_branch": """
counted = 1.0

def f(a, n):
    global counted
    if n:
        counted = counted
    return counted
""",
    "a_global_written_in_a_nested_branch": """
counted = np.float64(1.0)

def f(a, n):
    global counted
    if n:
        if a[1] > 0:
            counted = a[1]
    return a[2]
""",
    "a_global_written_in_the_last_of_three_branches": """
counted = np.float64(1.0)

def f(a, n):
    global counted
    if n > 1:
        pass
    elif n > 0:
        pass
    else:
        counted = a[0]
    return a, counted
""",
    "a_global_written_by_a_callee_inside_try": """
counted = np.float64(0.0)

def note(v):
    global counted
    if v > 0:
        counted = v

def f(a, n):
    try:
        note(a[n])
    except IndexError:
        pass
    return counted
""",
    "a_dict_changed_inside_try": """
def f(a, n):
    table = {'i': 0, 'n': a[0]}
    try:
        a[n] = 2
        table['n'] += a[0]
    finally:
        pass
    return table
""",
    "an_exception_that_is_no_instance": """
def f(a, n):
    try:
        raise ZeroDivisionError
    except ZeroDivisionError:
        a[0] = 5
    return a
""",
    "an_assert_inside_with": """
class Log:
    def __enter__(self):
        print('enter')

    def __exit__(self, *error):
        print('exit', error[0])

def f(a, n):
    with Log():
        assert a[0] > 0, 'no'
    return a
""",
    "a_truth_test_that_raises_inside_with": """
class Log:
    def __enter__(self):
        print('enter')

    def __exit__(self, *error):
        print('exit', error[0])

def f(a, n):
    with Log():
        if a:
            n = n + 1
    return n
""",
    "a_static_division_by_zero_in_match": """
class Box:
    def __init__(self):
        self.count = 0

def f(a, n):
    box = Box()
    match 1 // box.count:
        case 1 | 2:
            pass
        case k if k:
            pass
    return a
""",
    "a_dict_written_and_returned_in_a_branch": """
def f(a, n):
    table = {'i': 0}
    if a[0] > 0:
        table['i'] += 7
        return n, table
""",
    "a_dict_written_after_a_branch_that_returns": """
def f(a, n):
    table = {'i': 0, 'n': a[0]}
    if n > 1:
        return a[0], table, table
    table['n'] = -a[1]
    return a[2], table, table
""",
    "a_dict_returned_twice": """
def f(a, n):
    table = {'n': a[0]}
    if n > 1:
        table['n'] = a[1]
    return table, [table], a
""",
    "a_global_written_in_try_inside_try": """
counted = np.float64(0.0)

def note(v):
    global counted
    counted = v

def f(a, n):
    global counted
    try:
        try:
            note(a[0])
        finally:
            counted = counted + a[1]
    finally:
        pass
    return n
""",
    "a_global_made_before_a_try": """
def f(a, n):
    global made
    made = a
    try:
        v = np
    except IndexError:
        pass
    return n
""",
    "a_global_made_in_a_branch_of_a_callee": """
def note(v):
    global made
    if v:
        made = v

def f(a, n):
    note(n)
    return a
""",
    "a_numpy_scalar_compared_from_the_left": """
def f(a, n):
    if np.int64(0) > n or np.float64(0.5) < a[0]:
        return a[0]
    return a[1]
""",
    "a_global_that_is_a_python_float_in_a_staged_loop": """
counted = 0.0

def f(a, n):
    global counted
    for i in range(n):
        counted = counted + 1
    return counted
""",
    "a_class_attribute_stored_before_the_test_of_a_staged_while": """
class Point:
    made = 0

    def __init__(self, x):
        self.x = x
        Point.made += 1

def f(a, n):
    p = Point(a[0])
    i = 0
    while i < n and a[1] != i:
        i += 1
    return p
""",
    "a_global_that_keeps_changing_before_a_try": """
counted = np.float64(0.0)

def f(a, n):
    global counted
    counted = counted + 1.5
    try:
        print(a[0])
        if len(a) == 1:
            counted = counted + 1
        print(a[1])
    finally:
        b = 2
    return b
""",
    "a_call_in_the_default_of_an_argument": """
def noisy(v):
    print('noisy', v)
    return v

def f(a, n):
    def g(p, q=noisy(a[0]), *, r=noisy(2)):
        return p - q + r
    return g(a[1])
""",
    "a_numpy_scalar_on_the_left_of_a_comparison": """
def f(a, n):
    if np.float64(0.25) >= a[2] or np.int64(1) > n:
        return 1
    return 2
""",
    "a_slot_first_written_in_a_loop_that_learns_its_variables": """
class Point:
    made = 0

    def __init__(self, x):
        self.x = x
        Point.made += 1

def f(a, n):
    p, b, i = Point(a[0]), 1, 0
    while i < n % 4:
        i += 1
        if a[1] > n:
            p = Point(a[2])
            b = b * 2
    return p, b
""",
    "a_list_returned_with_other_values_through_finally": """
def f(a, n):
    items = []
    try:
        a -= a.max()
        return 'a', items
    finally:
        pass
""",
    "a_dataclass_compared_with_a_class_or_an_object": """
import dataclasses

@dataclasses.dataclass
class Vec:
    x: float
    y: float

def f(a, n):
    vec = Vec(1.0, -2.0)
    vec = vec if a[0] > 0 else Vec
    return Vec(1.0, -2.0) == vec
""",
    "a_variable_of_a_closure_made_and_changed_in_a_branch": """
def later(q):
    add = lambda p: p + q
    q = add(q)
    return q

def f(a, n):
    if a[0] > 0:
        return later(a[1])
    return a[2]
""",
    "a_text_made_in_one_branch_and_chosen_in_another": """
def f(a, n):
    if a[0] > 0:
        text = f'{a[1]:.2f}'
    else:
        text = 'b' if a[1] > 0 else 'c'
    return text
""",
    "a_global_written_after_a_try_in_a_branch": """
counted = np.float64(0.0)

def f(a, n):
    global counted
    if a[0] > 0:
        try:
            a[n - 1]
        except KeyError:
            n += 1
        else:
            counted = counted + a[2]
    return n, counted
""",
    "a_variable_of_a_closure_that_is_bound_on_one_path": """
def later(p):
    if p > 0:
        found = 4.0
    fn = lambda q: found
    found = fn(p)
    return found

def f(a, n):
    if a[0] < 0:
        pass
    elif later(a[0]):
        return 1
    return 2
""",
    "a_number_or_none_is_put_into_an_array": """
def f(a, n):
    w = None
    if a[0] > 0:
        w = a[1]
    a[n] = w
    b = np.arange(3)
    try:
        b[n + 1] = w
    except (TypeError, IndexError) as error:
        print(error)
    return a, b
""",
    "a_text_that_grows_in_many_ways": """
def f(a, n):
    text = 'a'
    for k in range(5):
        text = text + ('b' if a[k % 3] > n else text[:2])
    return text
""",
    "a_test_of_a_while_that_makes_a_global": """
def tally(v):
    global tallied
    tallied = v

def f(a, n):
    seen = np.float64(0.0)

    def note():
        nonlocal seen
        seen = seen + a[0]
        return seen

    i = 0
    while i < n and tally(a[0]) != 3.0 and note() < 100:
        i += 1
    return i, seen
""",
    "a_variable_written_in_with_in_a_try": """
class Log:
    def __enter__(self):
        print('enter')

    def __exit__(self, *error):
        print('exit', error[0])

def f(a, n):
    k = n
    try:
        with Log():
            k -= 1
            a[k] += 1
            k -= 10
            a[k] += 1
    except IndexError:
        k += 100
    return k, a
""",
    "a_dict_changed_at_the_end_of_a_with_in_a_try": """
class Log:
    def __enter__(self):
        pass

    def __exit__(self, *error):
        pass

def f(a, n):
    table = {'n': a[0]}
    try:
        with Log():
            b = a[n]
            table['n'] += b
    except (KeyError, ValueError):
        print('caught')
    return table
""",
    "a_dict_changed_in_a_loop_in_a_with_after_a_read_that_may_fail": """
class Log:
    def __enter__(self):
        pass

    def __exit__(self, *error):
        print('exit', error[0])

def f(a, n):
    table = {'i': 0}
    a[n] = 1
    with Log():
        a[n - 1] += 1
        for i in range(1, n % 6):
            table['i'] += i
            a[i] = table['i']
    return table, a
""",
    "a_dict_changed_in_a_loop_in_a_try": """
def f(a, n):
    table = {'i': 0}
    try:
        a[n - 1] += 1
        for i in range(1, n + 2):
            table['i'] += i
            a[i] = table['i']
    except IndexError:
        print('caught', table)
    return table, a
""",
    "an_item_read_before_a_try_and_again_in_its_handler": """
def f(a, n):
    first = a[0]
    try:
        a[0] = 5
        if a[n] > 0:
            raise KeyError
    except KeyError:
        first += a[0]
    return first, a
""",
    "an_object_or_another_from_a_method_in_a_loop": """
class Vec:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def scale(self, k):
        if k > 3:
            return self
        return Vec(self.x * k, self.y)

def f(a, n):
    vec = Vec(0.0, 0.0)
    i = 0
    while i < n:
        i += 1
        vec = Vec(1.0, -2.0).scale(a[0])
        a[1] = i
    return vec.x, a
""",
}


@pytest.mark.parametrize("name", FOUND)
@pytest.mark.parametrize("engine", ["convert", "numpy", "native"])
def test_found(name: str, engine: str) -> None:
    verdict = judge(Program("import numpy as np\n" + FOUND[name], CALLS), (engine,))
    assert verdict.status in ("equal", "refused"), verdict.reason
