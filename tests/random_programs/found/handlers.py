"""Statements of a `try` and what its handlers find."""

PROGRAMS = {
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
    "an_exception_that_is_no_instance": """
def f(a, n):
    try:
        raise ZeroDivisionError
    except ZeroDivisionError:
        a[0] = 5
    return a
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
}
