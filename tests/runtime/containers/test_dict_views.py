"""Views of a dict whose keys only a run knows: operators of sets, comparisons, folds."""

from tests.programs import Programs

PROGRAMS = Programs()
NUMBERS = (3,), (0,), (4,)


def made(n):
    table = {}
    for i in range(n + 1):
        table[i * 2 % 5] = i
    return table


@PROGRAMS.of(*NUMBERS)
def folds_of_views(n):
    d = made(n)
    return (
        all(d.values()),
        any(d),
        any(d.keys()),
        min(d.items()),
        max(d.keys()),
        max(d.values(), default=3),
        min(d),
        all(k < 4 for k in d),
        max(d, key=d.get),
    )


@PROGRAMS.of(*NUMBERS)
def loops_and_tests_of_views(n):
    d = made(n)
    t = 0
    for k in set(d) & {0, 2, 4}:
        t += d[k]
    if set(d.keys()) == {0}:
        t = -1
    if not d.keys():
        t -= 10
    return t


@PROGRAMS.of(*NUMBERS)
def values_are_no_set(n):
    d = made(n)
    try:
        return d.values() & {1}
    except TypeError as e:
        return str(e)


@PROGRAMS.of(*NUMBERS)
def keys_are_no_list(n):
    d = made(n)
    try:
        return d.keys() + [1]
    except TypeError as e:
        return str(e)


@PROGRAMS.of(*NUMBERS)
def views_made_before_a_loop_in_which_the_dict_grows(n):
    d = made(n)
    keys, values, pairs = d.keys(), d.values(), d.items()
    total = 0
    for i in range(n):
        total += len(list(pairs)) + sum(values) + max(values)
        total += len(keys) + len(dict(zip(keys, values)))
        for k, v in pairs:
            total += k + v
        d[10 + i] = total
    return total, d


@PROGRAMS.of(*NUMBERS)
def what_is_in_a_view(n):
    d = made(n)
    return n in d.keys(), 4 in d.values(), (0, 0) in d.items(), 77 not in d.keys()


test_program = PROGRAMS.test()
