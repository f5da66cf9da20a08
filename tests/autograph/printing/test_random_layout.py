"""Random programs, with comments and empty lines thrown in, are laid out without losing any."""

import ast
import random

import gast
import pytest

from autograph import convert_source
from autograph.passes import convert_tree
from autograph.printing import layout
from tests.autograph.printing.programs import comments_of, structure
from tests.random_programs.choices import seeded
from tests.random_programs.generator import generate


def with_comments(text, chance):
    """Comments beside and above lines, at their indentation or less, and empty lines."""
    rows = []
    for number, line in enumerate(text.splitlines()):
        indentation = line[: len(line) - len(line.lstrip())]
        if chance.random() < 0.2:
            rows += [""] * chance.randrange(1, 3)
        if chance.random() < 0.3:
            rows.append(f"{indentation[: 4 * chance.randrange(9)]}# above {number}")
        if chance.random() < 0.3:
            line += f"  # beside {number}"
        rows.append(line)
    return "\n".join([*rows, "    # inside", "# at the end", ""])


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed, monkeypatch):
    def refuse(statement):
        raise AssertionError(f"line {statement.lineno} could not be laid out")

    monkeypatch.setattr(layout, "printed_plainly", refuse)
    plain = ast.unparse(ast.parse(generate(seeded(seed), budget=10).source)) + "\n"
    text = with_comments(plain, random.Random(seed))
    assert structure(text) == structure(plain)
    converted = convert_source(text)
    assert comments_of(converted) == comments_of(text)
    assert convert_source(converted) == converted
    body = ast.parse(converted).body
    body = [s for s in body if ast.unparse(s) != "import autograph.operators as ag__"]
    expected = gast.gast_to_ast(convert_tree(gast.parse(plain)))
    assert ast.dump(ast.Module(body, [])) == structure(ast.unparse(expected))
