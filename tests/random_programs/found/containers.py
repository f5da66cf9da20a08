"""Dicts and lists that are changed in branches, loops and handlers."""

PROGRAMS = {
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
    "a_list_returned_with_other_values_through_finally": """
def f(a, n):
    items = []
    try:
        a -= a.max()
        return 'a', items
    finally:
        pass
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
    "an_item_of_its_own_kind_that_leaves_a_loop": """
def f(a, n):
    first = a[0]
    table = {'i': 0, 'n': first}
    while a[1] < 0:
        return table['i'] if first <= first else 0, table
    return 7, table
""",
    "an_item_that_a_loop_takes_out_of_a_dict": """
def f(a, n):
    table, b = {'p': np.float64(-0.5)}, np.float64(0.5)
    if not range(n):
        while table:
            key, b = table.popitem()
    elif table.keys():
        a[0] = 2.0
    return b < 1, b
""",
}
