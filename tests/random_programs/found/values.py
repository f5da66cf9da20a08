"""Numbers, NumPy scalars, None and texts."""

PROGRAMS = {
    "a_numpy_scalar_compared_from_the_left": """
def f(a, n):
    if np.int64(0) > n or np.float64(0.5) < a[0]:
        return a[0]
    return a[1]
""",
    "a_numpy_scalar_on_the_left_of_a_comparison": """
def f(a, n):
    if np.float64(0.25) >= a[2] or np.int64(1) > n:
        return 1
    return 2
""",
    "a_text_made_in_one_branch_and_chosen_in_another": """
def f(a, n):
    if a[0] > 0:
        text = f'{a[1]:.2f}'
    else:
        text = 'b' if a[1] > 0 else 'c'
    return text
""",
    "a_number_or_none_is_put_into_an_array": """
def f(a, n):
    w = None
    if a[0] > 0:
        w = a[1]
    a[n] = w
    b = np.arange(3)
    try:
        b[n + 1] = w
    except (TypeError, IndexError) as error:
        print(error)
    return a, b
""",
    "a_text_that_grows_in_many_ways": """
def f(a, n):
    text = 'a'
    for k in range(5):
        text = text + ('b' if a[k % 3] > n else text[:2])
    return text
""",
    "a_chain_of_comparisons_behind_and": """
def noisy(v):
    print('noisy', v)
    return v

def f(a, n):
    i = 0
    while i < 5 and bool(noisy(a[0]) < noisy(a[1]) < noisy(3)):
        i += 1
        a[0] += 1
    return i, a[0] if n > 0 and a[1] < a.sum() < 9 else a[1], n < 2 or -1 < a[0] < a[2]
""",
    "a_numpy_scalar_is_called": """
def f(a, n):
    key = np.float64(0.5) if n < 9 else a[0]
    return min(a[0], a[1], key=np.float64(0.5)) if n > 1 else key(1)
""",
    "a_numpy_number_is_unpacked_with_a_star": """
def f(a, n):
    pair = (a[0], n) if n > 1 else np.float64(0.5)
    kept = [a[1]]
    for v in a:
        if v > n:
            kept.append(v)
    first, *rest = pair
    return first, rest, kept, [*(kept if n > 9 else np.float64(1))]
""",
}
