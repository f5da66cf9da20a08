"""Texts in machine code: the same letters, errors and references as in Python."""

import gc
import sys

import pytest

import runtime as rt
from tests.programs import Programs

PROGRAMS = Programs()

WORDS = ["alpha", "béta", "x1", "12", " ", "日本語", "", "Z", "\t", "a b", "²", "x1"]
LONG = ["abc", "de", "日本", "fgh", "ij", "klm", "no", "pq"]

# Which of the texts of a list it is, only a run knows: n is a number of the run.


@PROGRAMS.of((WORDS, 12, 2), (WORDS, 12, 1), (WORDS, 12, -2), (WORDS, 5, 10), (WORDS, 12, -10))
def parts(words, n, i):
    found = []
    for k in range(n):
        word = words[k]
        if len(word) > 1:
            found += [
                word[1],
                word[-1],
                word[i:],
                word[:i],
                word[-i:i],
                word[i:-1],
                word[-100:100],
                word[::2],
            ]
    return found


@PROGRAMS.of((WORDS, 12, 2), (WORDS, 12, 6), (WORDS, 12, 5), (WORDS, 12, 0))
def comparisons(words, n, i):
    found = []
    other = words[i]
    for k in range(n):
        word = words[k]
        if word == other or word == "12":
            found.append("equal")
        found.append((word < other, word <= "b", word > "béta", word >= other, word != other))
        found.append((other in word, "a" in word, word in "alphabet"))
    return found


@PROGRAMS.of((WORDS, 12))
def methods(words, n):
    found, texts = [], []
    for k in range(n):
        word = words[k]
        found.append((word.isdigit(), word.isalpha(), word.isspace(), word.isalnum(), word.isupper()))
        texts += [word.upper(), word.strip(), word.replace("a", "-"), word.center(4, "*"), word * 2]
        found.append((word.startswith("a"), word.count("a", 0, 2), word.find("a")))
    return found, texts


NUMBERS = ["1", " 20 ", "-0", "x", "9" * 19, "7_0", "0x1", "٣"]


@PROGRAMS.of((NUMBERS, 0), (NUMBERS, 1), (NUMBERS, 2), (NUMBERS, 3), (NUMBERS, 6), (NUMBERS, 7))
def numbers(words, k):
    word = words[k]
    return int(word), float(word), ord(word[0]), chr(k + 960), str(k)


@PROGRAMS.of((LONG, 8, 1), (LONG, 8, 2), (LONG, 8, -3), (LONG, 1, 2))
def letter_beyond(words, n, i):
    found = ""
    for k in range(n):
        found += words[k][i]
    return found


@PROGRAMS.of((LONG, 8), (LONG, 0))
def grows_under_two_names(words, n):
    text = kept = ""
    for k in range(n):
        if words[k] != "ij":
            kept = text
            text = text + words[k]
        else:
            text += text
    return text, kept


@PROGRAMS.of(("GATTACA" * 3, 5), ("GATTACA" * 3, 50), ("GAT", 2), ("GAT", 4))
def letters_of_a_known_text(text, n):
    found = {}
    for i in range(n):
        found[text[i]] = found.get(text[i], 0) + 1
    return found


@PROGRAMS.of((LONG, 8, 2.5), (LONG, 0, -0.0), (LONG, 3, float("nan")))
def formatted(words, n, x):
    found = [f"{x}", str(x), f"{x:.2f}|{x!r:>8}", f"{n:04d}{n:,}{n}", f"{n > 2}", f"{x:{n + 9}.1f}", ""]
    for k in range(n):
        word = words[k]
        found += [f"{word}", f"{word!r:>6}<{word!a}{word!s:^7}", f"{(k, word)} {[word, x]}", f"{k * 10**15}"]
    return found


@PROGRAMS.of((LONG, 1, "abc"), (LONG, 0, "x"))
def wrong_format(words, n, other):
    text = ""
    for k in range(n):
        text += f"{k}: {words[k]:d}"
    return text, other


test_program = PROGRAMS.test()


def joined(words, n, i):
    text = "-"
    for k in range(n):
        word = words[k]
        if word.isalpha():
            text += word[i] + word[i:]
    return len(text)


def test_reference_counts():
    compiled = rt.function(joined, engine="native")
    words = [f"wörd{chr(97 + k)}" for k in range(8)]
    counts = []
    for i in (1, 9, 1, 9, 1, 9):
        if i == 9:
            with pytest.raises(IndexError):
                compiled(words, 8, i)
        else:
            assert compiled(words, 8, i) == joined(words, 8, i)
        gc.collect()
        counts.append([sys.getrefcount(word) for word in words])
    assert counts[2:4] == counts[4:]
