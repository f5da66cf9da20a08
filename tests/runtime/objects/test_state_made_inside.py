"""Attributes of functions and classes that a function makes itself are state of its branches and loops."""

from tests.programs import Programs

PROGRAMS = Programs()
NUMBERS = (3,), (1,), (5,), (0,)


@PROGRAMS.of(*NUMBERS)
def attribute_of_a_function_in_a_branch(x):
    def g(k):
        return k

    g.calls = 0
    if x > 2:
        g.calls += 1
    return g.calls


@PROGRAMS.of(*NUMBERS)
def attribute_of_a_class_in_a_loop(x):
    class K:
        n = 0

    for i in range(x):
        K.n += i
    return K.n


@PROGRAMS.of(*NUMBERS)
def attribute_of_a_function_in_a_loop(x):
    def g(k):
        return k

    g.calls = 0
    for i in range(x):
        g.calls += i
    return g.calls


@PROGRAMS.of(*NUMBERS)
def attribute_of_a_function_in_a_try(x):
    def g(k):
        g.calls += 1
        return k

    g.calls = 0
    try:
        g(1)
        if x > 2:
            raise ValueError(g(2))
        g(3)
    except ValueError:
        g.calls += 10
    return g.calls


@PROGRAMS.of(*NUMBERS)
def class_methods_that_count(x):
    class K:
        n = 0

        @classmethod
        def inc(cls, k):
            cls.n += k
            return cls.n

    for i in range(x):
        if i % 2:
            K.inc(i)
    return K.n


@PROGRAMS.of(*NUMBERS)
def a_list_of_a_class(x):
    class K:
        made = []

        def __init__(self, v):
            self.v = v
            K.made.append(v)

    for i in range(x):
        K(i)
    return K.made


@PROGRAMS.of(*NUMBERS)
def a_decorator_that_counts(x):
    def memo(f):
        memo.n = 0

        def inner(k):
            memo.n += k
            return f(k)

        return inner

    h = memo(lambda k: k + 1)
    r = 0
    for i in range(x):
        r += h(i)
    return r, memo.n


@PROGRAMS.of(*NUMBERS)
def a_function_in_a_closure_of_a_callee(x):
    def make():
        def g(k):
            g.n += k
            return g.n

        g.n = 0

        def inc(k):
            return g(k) * 2

        inc.get = lambda: g.n
        return inc

    h = make()
    r = 0
    if x > 2:
        r = h(x)
    return r, h.get()


def mark(table, value):
    table["made"][0].n = value


@PROGRAMS.of(*NUMBERS)
def a_function_deep_in_lists_and_dicts_gets_its_first_attribute(x):
    table = {"made": [lambda: 1, (lambda: 2,)]}
    for k in range(x):
        mark(table, k)
    if x < 1:
        table["made"][1][0].seen = x
        mark(table, -1)
    elif x > 2:
        table["made"][1][0].seen = x + 1
    else:
        table["made"][1][0].seen = x + 2
    return table["made"][0].n, table["made"][1][0].seen


@PROGRAMS.of(*NUMBERS)
def classes_of_instances(x):
    class K:
        n = 0

        def __init__(self):
            type(self).n += 1

    class L(K):
        n = 10

    for i in range(x):
        if i % 2:
            K()
        else:
            L()
    return K.n, L.n


@PROGRAMS.of(*NUMBERS)
def inherited_by_an_instance(x):
    class K:
        n = 0

    k = K()
    try:
        K.n = 5
        k.n += x
        if x > 2:
            raise ValueError
        K.n = 7
    except ValueError:
        K.n += 100
    return K.n, k.n


@PROGRAMS.of(*NUMBERS)
def an_attribute_that_one_path_makes(x):
    class K:
        pass

    if x > 2:
        K.flag = x
    return getattr(K, "flag", None), hasattr(K, "flag")


@PROGRAMS.of(*NUMBERS)
def a_recursion_that_counts(x):
    def fact(k):
        fact.depth += 1
        return 1 if k <= 1 else k * fact(k - 1)

    fact.depth = 0
    return fact(x), fact.depth


@PROGRAMS.of(*NUMBERS)
def a_recursion_with_a_memo(x):
    def fib(k):
        if k not in fib.memo:
            fib.memo[k] = k if k < 2 else fib(k - 1) + fib(k - 2)
        return fib.memo[k]

    fib.memo = {}
    return fib(x), len(fib.memo)


test_program = PROGRAMS.test()
