"""Blocks of a `with`, alone and inside a `try`."""

LOG = """
class Log:
    def __enter__(self):
        print('enter')

    def __exit__(self, *error):
        print('exit', error[0])
"""
PROGRAMS = {
    "an_assert_inside_with": LOG
    + """
def f(a, n):
    with Log():
        assert a[0] > 0, 'no'
    return a
""",
    "a_truth_test_that_raises_inside_with": LOG
    + """
def f(a, n):
    with Log():
        if a:
            n = n + 1
    return n
""",
    "a_variable_written_in_with_in_a_try": LOG
    + """
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
    "a_generator_that_is_thrown_away_where_the_trace_begins_again": """
import contextlib

class Node:
    def __init__(self, v, after):
        self.v, self.after = v, after

@contextlib.contextmanager
def watched(v):
    try:
        yield v
    except IndexError as e:
        pass
    finally:
        print('unwatch', v)

def f(a, n):
    head = None
    try:
        with watched(n):
            head = Node(a, head)
            raise IndexError
    except ValueError:
        pass
""",
    "a_list_in_a_list_changed_in_two_with_statements": """
class Log:
    def __enter__(self):
        print('enter')

    def __exit__(self, *error):
        print('exit', error)

def f(a, n):
    grid = [a[0], [a[1], a[2]]]
    with Log():
        with Log():
            if n > 1:
                grid[1][1] += a[2]
                grid[0] = a[2]
    return grid
""",
    "a_variable_that_a_key_reads_in_with_in_with": LOG
    + """
def f(a, n):
    v = a[1]
    with Log():
        v = a[0]
        if n > 1:
            v = v + 1
        else:
            with Log():
                v = max(abs(a), key=lambda p: abs(p - v))
                a[n] = 4
    return v, a
""",
}
