"""Programs with list comprehensions whose `if` is staged."""

from tests.runtime.jax.programs.program import LONG, MATRIX, VECTOR, program


@program(VECTOR, -VECTOR, grad=True)
def mean_of_positives(xs):
    found = [x for x in xs if x > 0]
    if not found:
        return 0.0
    return sum(found) / len(found)


@program(LONG, -LONG, grad=True)
def a_loop_over_what_was_found(xs):
    total = 0.0
    for i, x in [(i, x) for i, x in enumerate(xs) if x > 0]:
        if x > 1.6:
            break
        total += i * x
    return total


@program(VECTOR, -VECTOR, grad=True)
def items_of_what_was_found(xs):
    found = [x for x in xs if x > 0]
    return found[0] * found[-1] + max(found) - min(x * x for x in found)


@program(MATRIX, -MATRIX)
def rows_that_were_found(m):
    good = [row for row in m if row.sum() > 0]
    total = m[0] * 0
    for row in good:
        total = total + row
    return total, any(row[0] > 0 for row in good), len([row for row in good if row[1] > 0])


@program((VECTOR, 2), (VECTOR, 3))
def members_of_what_was_found(xs, n):
    places = [k for k in range(5) if xs[k] > 0]
    return n in places, n not in places, bool([k for k in places if xs[k] > 5])


@program(VECTOR, -VECTOR, grad=True)
def found_twice(xs):
    found = [x * 2 for x in xs if x > 0]
    return sum([x * x for x in found if x > 2]) + sum(
        [a * b for i, a in enumerate(xs) if i % 2 for b in xs if b > a]
    )


@program(VECTOR, -VECTOR, grad=True)
def found_in_each_iteration(xs):
    total = 0.0
    for i in range(10):
        found = [x for x in xs if x > 0.11 * i]
        if len(found) > 1:
            total += sum(found)
    return total
