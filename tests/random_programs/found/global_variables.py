"""Global variables that branches, loops, handlers and callees write."""

PROGRAMS = {
    "a_callee_that_forgets_its_global_statement": """
counted = 1.0

def note(v):
    if v > counted:
        counted = v

def f(a, n):
    note(a[0])
    return a[1]
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
    "a_global_that_is_a_python_float_in_a_staged_loop": """
counted = 0.0

def f(a, n):
    global counted
    for i in range(n):
        counted = counted + 1
    return counted
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
    "a_recursive_function_in_the_test_of_a_generator": """
tallied = np.float64(0.0)

def tally(v, n):
    global tallied
    tallied = tallied + v
    try:
        if 0 < n < 4:
            tally(-v, n - 1)
    finally:
        print('tally', n)
    return tallied

def f(a, n):
    i = 0
    last = a[0]
    while i < 3 and last > -9:
        i += 1
        last = sum((v + 1 for v in a if v > tally(a[0], i)), min(a[1], a[2]))
    return last
""",
}
