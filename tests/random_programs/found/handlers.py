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
    "an_object_made_in_a_loop_in_a_try": """
class Pt:
    def __init__(self, x, y):
        self.x = x
        self.y = y

def f(a, n):
    v = a[0]
    outer = Pt(np.float64(1.0), np.float64(0.0))
    try:
        i = 0
        while i < 3 and n > a.sum():
            i += 1
            made = Pt(v, v) if v <= n else outer
            made.y += v
            k = 0
            while k < 2 and n > 1:
                k += 1
                v, *rest = a
                print(len(rest), rest[-1])
    finally:
        i = 0
    return outer.x, outer.y
""",
    "a_dict_changed_in_a_try_that_lets_the_exception_pass": """
def f(a, n):
    table = {'i': 0}
    try:
        try:
            table['i'] += len(a)
            assert a, 'no'
        except IndexError:
            pass
    except ValueError:
        pass
    return table
""",
    "one_of_two_exceptions_kept_by_a_handler_that_every_path_goes_through": """
class Fault(ValueError):
    pass

def f(a, n):
    faults = []
    try:
        if n:
            raise Fault(7, a[0])
        raise Fault from KeyError
    except Fault as e:
        faults.append(e)
    return faults
""",
}
