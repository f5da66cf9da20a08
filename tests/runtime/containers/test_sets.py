"""Sets of which only a run knows the items: operators and methods."""

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
NUMBERS = ((np.array([3]),), (np.array([0]),), (np.array([5]),))


@PROGRAMS.of(*NUMBERS)
def operators(x):
    known, made = {1, 2, 3}, {i for i in range(int(x[0]))}
    asked = known <= made, made <= known, made < known, made > known, made >= known, known == made
    return asked, known - made, known ^ made, made ^ known, known | made, made & known, sorted(made | known)


@PROGRAMS.of((np.array([3, 1, 2, 1]),), (np.array([1]),), (np.array([], int),))
def of_items_that_are_there(x):
    seen = set(x.tolist())
    pairs = set(zip(x.tolist(), x.tolist()[1:], strict=False))
    return (
        len(seen),
        3 in seen,
        sorted(seen | {9}),
        seen == set(x),
        len(set(x)) == len(x),
        len(pairs),
        set("aab"),
    )


test_program = PROGRAMS.test()
