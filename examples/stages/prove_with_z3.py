"""Z3: an `assert` is a theorem. Z3 proves it, or finds the numbers for which it fails.

That a loop ends and that a list has the item are theorems, too.
"""

import z3

from autograph.stages import SelectStage


class Z3Stage(SelectStage):
    name, types, limit = "z3", (z3.ExprRef,), 8
    given, theorems = (), ()

    def where(self, condition, a, b):
        return z3.If(condition, a, b)

    def known(self, condition):
        """A branch that the solver excludes is not taken: so loops end."""
        if self.example(condition) is None:
            return False
        return True if self.example(z3.Not(condition)) is None else None

    def both(self, a, b):
        return z3.And(a, b)

    def either(self, a, b):
        return z3.Or(a, b)

    def negate(self, a):
        return z3.Not(a)

    def asserted(self, condition, message):
        self.theorems.append(("assert", condition))

    def unfinished(self, go_on):
        self.theorems.append(("the loop ends", z3.Not(z3.And(self.path(), go_on))))

    def example(self, *conditions):
        """Values for which all of these hold on this path; None where there are none."""
        solver = z3.Solver()
        solver.add(*self.given, self.path(), *conditions)
        return solver.model() if solver.check() == z3.sat else None

    def prove(self, function, *symbols, given=()):
        """For each theorem None, or arguments for which it is wrong."""
        self.given, self.theorems = given, []
        self.convert(function)(*symbols)
        models = [(name, self.example(z3.Not(theorem))) for name, theorem in self.theorems]
        return {name: model and [str(model.eval(s, True)) for s in symbols] for name, model in models}


stage = Z3Stage()


def sort(a, b, c, d):
    values = [a, b, c, d]
    for end in range(3, 0, -1):
        for i in range(end):
            if values[i] > values[i + 1]:
                values[i], values[i + 1] = values[i + 1], values[i]
    assert values[0] <= values[1] and values[1] <= values[2] and values[2] <= values[3]


def absolute(number):
    if number < 0:
        number = -number
    assert number >= 0


def year_of(days):  # of a music player that stood still on the last day of 2008
    year = 2008
    while days > 365:
        length = 366 if year % 4 == 0 else 365
        if days > length or length == 365:
            days -= length
            year += 1
    return year


def main():
    days = z3.Int("days")
    found = {
        "sort": stage.prove(sort, *z3.Ints("a b c d")),
        "absolute": stage.prove(absolute, z3.BitVec("number", 8)),  # 128 stands for -128 in it
        "year_of": stage.prove(year_of, days, given=[days >= 1, days <= 1100]),
    }
    for name, theorems in found.items():
        print(name, theorems)
    return found


if __name__ == "__main__":
    main()
