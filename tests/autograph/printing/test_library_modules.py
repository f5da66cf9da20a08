"""Modules of the standard library, laid out: nothing is lost, nothing is changed that need not be."""

import ast
import difflib
import importlib
import tokenize

import gast
import pytest

from autograph import convert_source
from autograph.modules import add_import
from autograph.passes import convert_tree
from autograph.printing import layout
from tests.autograph.printing.programs import comments_of, structure

MODULES = ["configparser", "dataclasses", "heapq", "statistics", "textwrap"]


@pytest.fixture(params=MODULES, scope="module")
def library(request):
    """The text of a module of the standard library."""
    with tokenize.open(importlib.import_module(request.param).__file__) as stream:
        return stream.read()


@pytest.fixture(scope="module")
def converted(library):
    """Its conversion, in which every statement could be laid out."""

    def refuse(statement):
        raise AssertionError(f"line {statement.lineno} could not be laid out")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "printed_plainly", refuse)
        return convert_source(library)


class TestModules:
    def test_the_text_says_what_the_tree_says(self, library, converted):
        tree = convert_tree(gast.parse(library))
        add_import(tree)
        assert structure(converted) == structure(ast.unparse(gast.gast_to_ast(tree)))
        assert comments_of(converted) == comments_of(library)

    def test_converting_twice_changes_nothing(self, converted):
        assert convert_source(converted) == converted

    def test_only_what_changes_is_in_the_difference(self, library, converted):
        changed = {name for name, node in definitions(converted).items() if "ag__" in ast.dump(node)}
        rows = list(difflib.ndiff(library.splitlines(), converted.splitlines()))
        for name, node in definitions(library).items():
            if name not in changed:
                text = "\n".join(library.splitlines()[node.lineno - 1 : node.end_lineno])
                assert text in converted, name
        assert sum(row.startswith("  ") for row in rows) > 10

    def test_reformatted_input_gives_the_same_program(self, library, converted):
        reformatted = ast.unparse(ast.parse(library))
        assert structure(convert_source(reformatted)) == structure(converted)


def definitions(text):
    return {
        node.name: node for node in ast.parse(text).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    }
