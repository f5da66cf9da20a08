"""Classes with operators, conversions, truth, length, iteration, and calls."""

from tests.programs import Programs

PROGRAMS = Programs()


class Key:
    def __init__(self, place, name):
        self.place, self.name = place, name

    def __hash__(self):
        return hash((self.place, self.name))

    def __eq__(self, other):
        return (self.place, self.name) == (other.place, other.name)


@PROGRAMS.of((1.5, 1), (2.5, 3))
def keys_with_a_hash_of_their_own(x, n):
    table = {Key(1, "u"): x, Key(2, "v"): 2 * x}
    several = {Key(1, "u"), Key(1, "u"), Key(n, "v" if n > 2 else "u")}
    return table[Key(1, "u")], Key(2, "v") in table, len(several), table.get(Key(n, "u"), 0.0)


test_program = PROGRAMS.test()
