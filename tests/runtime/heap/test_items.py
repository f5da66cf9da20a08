"""Items of lists that a trace knows, since they were stored or read before; and when it must ask again."""

import runtime as rt
from tests.features.registry import floats
from tests.programs import Programs

PROGRAMS = Programs()
scenario = PROGRAMS.scenario
X = floats(3, -1, 2, 0.5, -4)


def positive(x):
    kept = []
    for one in x:
        if one > 0:
            kept.append(one)
    return kept


@scenario
def one_item_under_two_indices(function):
    @function
    def f(x, i):
        kept = positive(x)
        last = kept[-1]
        kept[i] = 7.0
        kept[len(kept) - 1] = kept[-1] + 1
        return last, kept[-1], kept[i], kept

    return [f(X, 0), f(X, 2), f(X, -1)]


@scenario
def one_list_under_two_names(function):
    @function
    def f(x, first):
        a, b = positive(x), positive(-x)
        rows = [a, b, a]
        chosen = a if first else b
        chosen[0] = 1.5
        seen = a[0], b[0]
        rows[2][0] = 2.5
        rows[1] = rows[0]
        rows[1][1] = 3.5
        return seen, a, b, chosen[0], rows[1] is a

    return [f(X, True), f(X, False)]


@scenario
def a_table_and_its_rows(function):
    @function
    def f(n, values):
        table = [[0] * (n + 1) for _ in range(len(values) + 1)]
        for i in range(1, len(values) + 1):
            for k in range(n + 1):
                table[i][k] = table[i - 1][k]
                if values[i - 1] <= k:
                    taken = table[i - 1][k - values[i - 1]] + values[i - 1]
                    if taken > table[i][k]:
                        table[i][k] = taken
        shared = [table[0]] * 2
        shared[0][0] = 5
        return table[-1][n], shared[1][0], table[0][0]

    return [f(10, [3, 4, 5]), f(7, [2, 2]), f(0, [1])]


@scenario
def lists_from_outside_that_may_be_one(function):
    @function
    def f(a, b, n):
        a[0] = 1.0
        b[0] = 2.0
        seen = a[0]
        for k in range(n):
            b[k] = a[k] + 10.0
            seen += a[k]
        b.append(seen)
        return seen, a[0], len(a)

    one, other = [0.5] * 40, [0.25] * 40
    return [f(one, other, 3), f(one, one, 3), f(other, one, 2)], one, other


@scenario
def lists_that_change_their_length(function):
    @function
    def f(x):
        kept = positive(x)
        first = kept[0]
        kept.insert(0, 9.0)
        seen = [first, kept[0]]
        kept.pop(0)
        kept.reverse()
        seen += [kept[0]]
        kept.sort()
        seen += [kept[0]]
        kept[:] = [8.0]
        return seen, kept[0], len(kept)

    return [f(X), f(-X)]


@scenario
def a_key_that_is_new_in_a_loop(function):
    @function
    def f(n, key):
        seen = {"a": 1}
        for k in range(n):
            seen["a"] = seen["a"] * 2
            if key in seen:
                seen[key] += k
            else:
                seen[key] = len(seen) * 100
        return seen, len(seen)

    return [f(n, key) for n in (0, 1, 4) for key in ("a", "b")]


@scenario
def a_test_of_a_loop_that_stores(function):
    @function
    def f(n):
        seen = {"a": 1}

        def below():
            seen["a"] = seen["a"] + 10
            return seen["a"] < n

        while below():
            seen["a"] = 1 if seen["a"] > 50 else seen["a"]
            n -= 1
        return seen["a"], n

    return [f(n) for n in (0, 12, 100)]


test = PROGRAMS.test()


def test_what_is_stored_is_not_read_again():
    @rt.function(engine="numpy")
    def f(x):
        kept = positive(x)
        kept[0] = 2
        return kept[0] + kept[0] + kept[1] * kept[1]

    assert f(X) == 4 + 4
    (concrete,) = f.concrete_functions
    assert [op.name for op in concrete.graph.operations()].count("list.getitem") == 1


def test_a_loop_carries_the_items_of_a_dict():
    @rt.function(engine="numpy")
    def f(w, b, n):
        speed = {"w": w * 0, "b": b * 0, "steps": 0}
        for _ in range(n):
            for name in ("w", "b"):
                speed[name] += 1.0  # in place
            speed["w"] = speed["w"] * 2
            speed["steps"] += 1
        return speed["w"].sum(), speed["b"], speed["steps"], list(speed)

    total, b, steps, names = f(X, X[:2], 3)
    assert (total, b.tolist(), steps, names) == (70.0, [3.0, 3.0], 3, ["w", "b", "steps"])
    (concrete,) = f.concrete_functions
    assert not [op for op in concrete.graph.operations() if op.name in ("dict.getitem", "list.len")]
