# ruff: noqa: E501  converted text is not wrapped
"""Converted text keeps the comments, where they stood."""

import textwrap

from autograph import convert_source
from tests.autograph.printing.programs import after, assert_after, comments_of


class TestComments:
    def test_above_and_beside_a_statement(self):
        assert_after(
            """
            def f(x):
                # Not too large?

                # Really?
                y = not x  # not zero
                return y
            """,
            """
            def f(x):
                # Not too large?

                # Really?
                y = ag__.not_(x)  # not zero
                return y
            """,
        )

    def test_of_an_if_and_its_branches(self):
        assert_after(
            """
            def relu(x):
                # Positive?
                if x > 0:  # strictly
                    # Take it.
                    y = x  # as it is
                    # (Zero is not positive.)
                # Or else:
                else:  # negative
                    y = 0
                return y
            """,
            """
            def relu(x):
                # Positive?
                y = ag__.Undefined('y')

                def get_state():
                    return (y,)

                def set_state(state):
                    nonlocal y
                    y, = state

                def then_body():
                    nonlocal y
                    # Take it.
                    y = x  # as it is
                    # (Zero is not positive.)

                # Or else:
                def else_body():  # negative
                    nonlocal y
                    y = 0
                ag__.if_stmt(x > 0, then_body, else_body, get_state, set_state, ('y',))  # strictly
                return y
            """,
        )

    def test_of_a_loop_that_breaks(self):
        assert_after(
            """
            def f(xs):
                s = 0
                # Sum up
                for x in xs:  # each
                    if x > 3:  # too large
                        break  # enough
                    # Add.
                    s += x
                return s  # the sum
            """,
            """
            def f(xs):
                s = 0
                # Sum up
                do_break = False

                def get_state():
                    return (s, do_break)

                def set_state(state):
                    nonlocal s, do_break
                    s, do_break = state

                def loop_test():
                    return ag__.not_(do_break)

                def loop_body(x):
                    def get_state():
                        return (s, do_break)

                    def set_state(state):
                        nonlocal s, do_break
                        s, do_break = state

                    def then_body():
                        nonlocal do_break
                        do_break = True  # enough

                    def else_body():
                        nonlocal s
                        # Add.
                        s += x
                    ag__.if_stmt(x > 3, then_body, else_body, get_state, set_state, ('s', 'do_break'))  # too large
                ag__.for_stmt(xs, loop_test, loop_body, get_state, set_state, ('s', 'do_break'))  # each
                return s  # the sum
            """,
        )

    def test_of_a_try(self):
        assert_after(
            """
            def f(x):
                try:  # hard
                    g(x)
                    # tried
                # recover
                except ValueError as e:  # bad value
                    h(e)
                finally:  # at last
                    k()
            """,
            """
            def f(x):
                def try_body():
                    ag__.converted(g)(x)
                    # tried

                # recover
                def except_body(e):  # bad value
                    ag__.converted(h)(e)

                def finally_body():  # at last
                    ag__.converted(k)()
                ag__.try_stmt(try_body, ((lambda: ValueError, except_body),), None, finally_body)  # hard
            """,
        )

    def test_where_the_statements_stay(self):
        assert_after(
            """
            def f(x):
                while x:  # each
                    # odd?
                    if x % 2:
                        yield not x  # no
                    # even?
                    elif x:  # elif
                        pass
                    # none
                    else:  # else
                        yield x
                    # next
                    x -= 1
            """,
            """
            def f(x):
                while x:  # each
                    # odd?
                    if x % 2:
                        yield ag__.not_(x)  # no
                    # even?
                    elif x:  # elif
                        pass
                    # none
                    else:  # else
                        yield x
                    # next
                    x -= 1
            """,
        )

    def test_between_brackets(self):
        assert_after(
            """
            def f(x, y):
                return g(x,  # the first
                         not y)  # the second
            """,
            """
            def f(x, y):
                # the first
                return ag__.converted(g)(x, ag__.not_(y))  # the second
            """,
        )

    def test_between_brackets_of_a_header(self):
        assert_after(
            """
            def f():
                for x in [
                    1,  # one
                    2,  # two
                ]:
                    g(x)
                while h(  # test
                    1
                ):
                    pass
            """,
            """
            def f():
                def loop_body(x):
                    ag__.converted(g)(x)
                ag__.for_stmt([
                    1,  # one
                    2,  # two
                ], None, loop_body)

                def loop_test():
                    return ag__.converted(h)(1)

                def loop_body():
                    pass
                # test
                ag__.while_stmt(loop_test, loop_body)
            """,
        )

    def test_of_decorators_and_parameters(self):
        text = """
            @decorator  # why
            # and
            @other
            def f(x,  # first
                  y=0x10):  # second
                # begin
                return %s
            """
        assert_after(text % "not x", text % "ag__.not_(x)")

    def test_of_statements_that_vanish(self):
        text = """
            # about f
            def f(x):
                for i in x:
                    if i:
                        continue  # skipped
                    g(i)
                return x
                # dead
                if x:  # also dead
                    pass
            # about g
            g = not f
            # the end
            """
        assert comments_of(after(text)) == comments_of(textwrap.dedent(text))

    def test_of_the_file_stay_above_the_import(self):
        text = "#!/usr/bin/env python\n# Copyright\n\n# about f\ndef f(x):\n    return not x\n"
        assert convert_source(text) == (
            "#!/usr/bin/env python\n# Copyright\nimport autograph.operators as ag__\n\n"
            "# about f\ndef f(x):\n    return ag__.not_(x)\n"
        )

    def test_a_coding_cookie_says_what_is_written(self):
        text = "# -*- coding: latin-1 -*-\nx = lambda: not 'é'\n"
        assert convert_source(text).startswith("# -*- coding: utf-8 -*-\n")
