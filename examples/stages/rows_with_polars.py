"""Polars: a function of one row, with `if` and `for`, becomes an expression over columns."""

import time

import polars as pl

from autograph.stages import SelectStage


def literal(value):
    return value if isinstance(value, pl.Expr) else pl.lit(value)


class PolarsStage(SelectStage):
    name, types, plain = "polars", (pl.Expr,), (bool, int, float, str, type(None))

    def where(self, condition, a, b):
        return pl.when(condition).then(literal(a)).otherwise(literal(b))

    def both(self, a, b):
        return a & b

    def either(self, a, b):
        return a | b

    def negate(self, a):
        return ~a.fill_null(False)  # `when` takes a null for false

    def is_(self, a, b):
        return (b if a is None else a).is_null() if a is None or b is None else super().is_(a, b)


stage = PolarsStage()

BANDS = [(10_000, 0.0), (30_000, 0.2), (80_000, 0.35), (10_000_000, 0.45)]


def tax(income, children):
    """What to pay for an income: each band of it has a rate, children lower the first ones."""
    if income is None:
        return None
    total, low = 0.0, 0.0
    for high, rate in BANDS:
        if children is not None and children > 2 and rate < 0.3:
            rate = rate / 2
        if income <= low:
            break
        total += (min(income, high) - low) * rate
        low = high
    return total


def main(rows=1_000_000):
    frame = pl.select(income=pl.int_range(rows) * 7919 % 200_000, children=pl.int_range(rows) % 5)
    frame = frame.with_columns(income=pl.when(pl.col("income") % 97 > 0).then(pl.col("income")))
    times = [time.perf_counter()]
    made = frame.select(tax=stage.convert(tax)(pl.col("income"), pl.col("children")))["tax"]
    times.append(time.perf_counter())
    plain = frame.select(
        tax=pl.struct("income", "children").map_elements(lambda row: tax(**row), return_dtype=pl.Float64)
    )["tax"]
    times.append(time.perf_counter())
    assert made.equals(plain)
    took, took_plain = times[1] - times[0], times[2] - times[1]
    print(f"{rows} rows: {1e3 * took:.0f} ms, {1e3 * took_plain:.0f} ms with map_elements: the same taxes")
    return made


if __name__ == "__main__":
    main()
