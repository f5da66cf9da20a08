"""Local variables, closures, defaults of arguments, and loops that leave early."""

PROGRAMS = {
    "a_loop_that_always_breaks": """
def f(a, n):
    for x in a:
        print(x)
        break
    for x, y in zip(a, a[::-1]):
        a += x
        break
    return a
""",
    "a_local_stored_only_where_it_does_not_matter": """
v = 42

def f(a, n):
    match n:
        case 0:
            if a[0] > 0:
                v = 1
        case _:
            a[0] = v
    return a
""",
    "a_call_in_the_default_of_an_argument": """
def noisy(v):
    print('noisy', v)
    return v

def f(a, n):
    def g(p, q=noisy(a[0]), *, r=noisy(2)):
        return p - q + r
    return g(a[1])
""",
    "a_variable_of_a_closure_made_and_changed_in_a_branch": """
def later(q):
    add = lambda p: p + q
    q = add(q)
    return q

def f(a, n):
    if a[0] > 0:
        return later(a[1])
    return a[2]
""",
    "a_variable_of_a_closure_that_is_bound_on_one_path": """
def later(p):
    if p > 0:
        found = 4.0
    fn = lambda q: found
    found = fn(p)
    return found

def f(a, n):
    if a[0] < 0:
        pass
    elif later(a[0]):
        return 1
    return 2
""",
    "a_variable_of_a_closure_changed_in_a_loop_over_a_generator": """
def f(a, n):
    v = a[0]
    for x in (w for w in a if w):
        add = lambda p: p + v
        v = add(x)
    return v
""",
    "a_variable_that_a_call_changes_before_a_generator_is_summed": """
def f(a, n):
    v = a[0]
    def bump(d):
        nonlocal v
        v = v + d
    for i in range(1, int(a[1]) % 6):
        bump(v)
    total = 0.0
    for w in (x if x > 0 else -x for x in a if x != v):
        bump(w)
        total += v
    return total, v
""",
}
