"""Z3: an `assert` is a theorem, as is that a loop ends. Z3 proves it, or finds numbers for which it fails."""

import z3

from autograph.stages import SelectStage


class Z3Stage(SelectStage):
    name, types, limit = "z3", (z3.ExprRef,), 8
    given, theorems = (), ()
    where, both, either, negate = map(staticmethod, (z3.If, z3.And, z3.Or, z3.Not))

    def known(self, condition):
        """A branch that the solver excludes is not taken: so loops end."""
        if self.example(condition) is None:
            return False
        return True if self.example(z3.Not(condition)) is None else None

    def asserted(self, condition, message):
        self.theorems.append(("assert", condition))

    def unfinished(self, go_on):
        self.theorems.append(("the loop ends", z3.Not(z3.And(self.path(), go_on))))

    def example(self, *conditions):
        """Values for which all of these hold on this path; None where there are none; or "unknown"."""
        solver = z3.Solver()
        solver.add(*self.given, self.path(), *conditions)
        found = solver.check()
        return None if found == z3.unsat else solver.model() if found == z3.sat else "unknown"

    def prove(self, function, *symbols, given=()):
        """The theorems, each with None where it is proved, or with arguments for which it is wrong."""
        self.given, self.theorems, found = given, [], []
        self.convert(function)(*symbols)
        for name, theorem in self.theorems:
            model = self.example(z3.Not(theorem))
            known = isinstance(model, z3.ModelRef)
            found.append((name, [str(model.eval(s, True)) for s in symbols] if known else model))
        return found


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
    print(*found.items(), sep="\n")
    return found


if __name__ == "__main__":
    main()
