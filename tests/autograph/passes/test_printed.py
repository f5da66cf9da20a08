# ruff: noqa: E501  converted text is not wrapped
"""How converted programs read: small programs, and all of what they become."""

import ast

import pytest

from tests.autograph.programs import converted_text

PROGRAMS = {
    "collatz": (
        """
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n //= 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps
""",
        """
def collatz(n):
    steps = 0

    def get_state():
        return (n, steps)

    def set_state(state):
        nonlocal n, steps
        n, steps = state

    def loop_test():
        return n != 1

    def loop_body():
        nonlocal steps

        def get_state():
            return (n,)

        def set_state(state):
            nonlocal n
            n, = state

        def then_body():
            nonlocal n
            n //= 2

        def else_body():
            nonlocal n
            n = 3 * n + 1
        ag__.if_stmt(n % 2 == 0, then_body, else_body, get_state, set_state, ('n',))
        steps += 1
    ag__.while_stmt(loop_test, loop_body, get_state, set_state, ('n', 'steps'))
    return steps
""",
    ),
    "first_even": (
        """
def first_even(xs):
    for x in xs:
        if x % 2:
            continue
        return x
""",
        """
def first_even(xs):
    do_return = False
    retval = ag__.Undefined()

    def get_state():
        return (do_return, retval)

    def set_state(state):
        nonlocal do_return, retval
        do_return, retval = state

    def loop_test():
        return ag__.not_(do_return)

    def loop_body(x):

        def get_state():
            return (do_return, retval)

        def set_state(state):
            nonlocal do_return, retval
            do_return, retval = state

        def then_body():
            nonlocal do_return, retval
            retval = x
            do_return = True

        def else_body():
            pass
        ag__.if_stmt(ag__.not_(x % 2), then_body, else_body, get_state, set_state, ('do_return', 'retval'))
    ag__.for_stmt(xs, loop_test, loop_body, get_state, set_state, ('do_return', 'retval'))

    def get_state():
        return (retval,)

    def set_state(state):
        nonlocal retval
        retval, = state

    def then_body():
        nonlocal retval
        retval = None

    def else_body():
        pass
    ag__.if_stmt(ag__.not_(do_return), then_body, else_body, get_state, set_state, ('retval',))
    return retval
""",
    ),
    "read": (
        """
def read(path):
    with open(path) as file:
        for line in file:
            if line.startswith("#"):
                continue
            key, _, value = line.partition("=")
            if not value:
                break
            yield key.strip(), value
""",
        """
def read(path):
    with ag__.context(ag__.converted(open)(path)) as file:
        for line in file:
            if ag__.converted(line.startswith)('#'):
                continue
            key, _, value = ag__.converted(line.partition)('=')
            if ag__.not_(value):
                break
            yield (ag__.converted(key.strip)(), value)
""",
    ),
    "counts": (
        """
def counts(words):
    table = {}
    for word in words:
        table[word] = table.get(word, 0) + 1
    return [w for w in table if table[w] > 1 and w != ""]
""",
        """
def counts(words):
    table = {}

    def get_state():
        return (table,)

    def set_state(state):
        nonlocal table
        table, = state

    def loop_body(word):
        nonlocal table
        table = ag__.set_item(table, word, ag__.converted(table.get)(word, 0) + 1)
    ag__.for_stmt(words, None, loop_body, get_state, set_state, ('table',))
    return ag__.list_comp(lambda w: w, table, lambda w: ag__.all_true(table[w] > 1, lambda: w != ''))
""",
    ),
    "safe": (
        """
def safe(f, x, default=None):
    try:
        return f(x)
    except ValueError:
        return default
""",
        """
def safe(f, x, default=None):
    retval = ag__.Undefined()

    def get_state():
        return (retval,)

    def set_state(state):
        nonlocal retval
        retval, = state

    def try_body():
        nonlocal retval
        retval = ag__.converted(f)(x)

    def except_body(error):
        nonlocal retval
        retval = default
    ag__.try_stmt(try_body, ((lambda: ValueError, except_body),), None, None, get_state, set_state, ('retval',))
    return retval
""",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_reads_well(name):
    program, expected = PROGRAMS[name]
    assert converted_text(program) == expected.strip()


@pytest.mark.parametrize("name", PROGRAMS)
def test_reformatting_changes_nothing(name):
    program, _ = PROGRAMS[name]
    assert converted_text(ast.unparse(ast.parse(program))) == converted_text(program)
