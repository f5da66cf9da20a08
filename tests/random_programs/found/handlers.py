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
    "a_manager_that_swallows_the_class_that_was_chosen": """
class Swallow:
    def __init__(self, *kinds):
        self.kinds = kinds

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return kind is not None and issubclass(kind, self.kinds)

def f(a, n):
    manager = Swallow(KeyError)
    if n > 1:
        manager = Swallow(ValueError)
    with manager:
        if a[0] > 0:
            raise KeyError('k')
        raise ValueError('v')
    return a[1]
""",
    "a_handler_of_a_tuple_with_a_chosen_class": """
def f(a, n):
    chosen = KeyError if n > 1 else ValueError
    try:
        raise KeyError('k') if a[0] > 0 else ValueError('v')
    except (chosen, OSError) as error:
        return isinstance(error, (chosen, OSError)), issubclass(ValueError, (OSError, chosen))
    except LookupError:
        return 2
""",
    "an_exception_whose_argument_counts_its_texts": """
class Asked:
    def __init__(self):
        self.times = 0

    def __str__(self):
        self.times += 1
        return 'asked'

def f(a, n):
    asked = Asked()
    try:
        assert a[0] > 0, asked
    except AssertionError as error:
        print(error)
    return asked.times
""",
    "an_exception_in_a_list_that_a_body_made_of_what_it_read": """
def f(a, n):
    faults = []
    try:
        i = 0
        while i < n % 4:
            i += 1
            last = n
        faults.append(IndexError('kept', last))
    finally:
        pass
    return n, faults
""",
}
