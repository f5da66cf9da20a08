"""Converted functions on plain Python values beside the originals: what it costs those who stage nothing.

`autograph.convert` keeps the user's own statements for the time when no stage is awake. The text of
`to_code` holds the converted statements only; its ratio is shown for those who ship it.
"""

import statistics

import autograph
from tests.benchmarks.measure import paired, report


def sums(n):
    total = 0
    for i in range(n):
        if i % 3 == 0:
            total += i
        elif i % 5 == 0:
            continue
        else:
            total -= 1
        if total > 10**12:
            break
    return total


def bits(n):
    count = 0
    while n:
        count += n & 3
        n -= 1
        if count > 10**9:
            return count
    return count


def largest(n):
    found = 0.0
    for i in range(n):
        found = max(found, abs(i - 5))
    return found


def bubble(n):
    items = [(i * 7919) % n for i in range(n)]
    for i in range(n):
        for j in range(n - 1 - i):
            if items[j] > items[j + 1]:
                items[j], items[j + 1] = items[j + 1], items[j]
    return items


def words(n):
    counts = {}
    for i in range(n):
        word = "abcdefg"[i % 7]
        if word in counts:
            counts[word] += 1
        else:
            counts[word] = 1
    return [word for word, count in counts.items() if count > 1]


PROGRAMS = ((sums, 20_000), (bits, 20_000), (largest, 20_000), (bubble, 120), (words, 20_000))


def main(rounds: int = 20) -> None:
    ratios, texts = [], []
    for program, n in PROGRAMS:
        namespace: dict = {}
        exec("import autograph.operators as ag__\n" + autograph.to_code(program), namespace)
        text = namespace[program.__name__]
        converted = autograph.convert(program)
        ratios.append(paired(program.__name__, lambda: converted(n), lambda: program(n), rounds).ratio)
        texts.append(paired(program.__name__, lambda: text(n), lambda: program(n), max(2, rounds // 5)).ratio)
    worst = max(ratios)
    report(
        "converted functions beside the originals, slowest",
        f"{worst:.2f} (median {statistics.median(ratios):.2f})",
        "<= 1.50",
        worst <= 1.5,
    )
    print(
        f"  as text: {', '.join(f'{p.__name__} {r:.1f}' for (p, _), r in zip(PROGRAMS, texts, strict=True))}"
    )


if __name__ == "__main__":
    main()
