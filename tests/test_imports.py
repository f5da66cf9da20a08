"""Imports run one way: every import of autograph/ and of runtime/, but for a few that are listed.

Imports inside functions and for type checkers count as well. A module that is loaded at its first use is
imported as any other one, at the top of the file: see autograph/loading.py.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

#: the modules and folders of autograph/, from what all use to what uses all: each imports those before it
ORDER = """
    code_objects registered errors optional_packages locks deep walking loading records plain_items
    staging registry tracebacks settling typed source emit mangling analysis template passes
    conversion config operators api stages modules __init__
    report cli __main__
""".split()

#: imports inside functions: optional packages, and what is only asked for by name
INSIDE_FUNCTIONS = {
    ("autograph.cli.functions", "runtime.types"),
    ("autograph.cli.graph", "runtime"),  # which needs NumPy
    ("autograph.cli.graph", "runtime.formats.dot"),
}

#: the folders and modules of runtime/, likewise
RUNTIME_ORDER = """
    types messages arguments binding ops allowed guards specs graph formats debug
    passes engines gradients heap tracer control_flow staged recording numpy_calls tensor
    state optimizers objects handlers iterables calls outside
    stage functions differentiation saving debugging export tf
""".split()
#: small modules, which stand for no part of the house
UNDRAWN = frozenset("messages arguments optimizers binding debug recording debugging".split())
#: imports inside functions in runtime/, of modules that stand on optional packages
RUNTIME_INSIDE_FUNCTIONS = {
    ("export.onnx", "export.onnx_model"),
    ("formats.shown", "formats.graph_def"),  # TensorBoard
    ("tf.graph_util", "export.read_graph_def"),
    ("tf.graph_view", "formats.graph_def"),
}


@cache
def modules() -> dict[str, Path]:
    """The modules of both packages by name."""
    found = {}
    for path in [*ROOT.glob("autograph/**/*.py"), *ROOT.glob("runtime/**/*.py")]:
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def targets(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """The modules of ours that a statement imports."""
    names = [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert not node.level, "imports name the whole module"
        names = [f"{node.module}.{name}" for name in names]
        names = [name if name in modules() else str(node.module) for name in names]
    yield from (name for name in names if name in modules())


def statements(nodes: Iterable[ast.AST], inside: bool = False) -> Iterator[tuple[bool, ast.AST]]:
    """The imports, and whether each stands in a function."""
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield inside, node
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        yield from statements(ast.iter_child_nodes(node), inside or is_function)


@cache
def imports() -> frozenset[tuple[str, str, bool]]:
    """All imports: who, what, and whether it is done in a function.

    Those by which the files of the two packages themselves tell type checkers the public names do not count.
    """
    found = set()
    for module, path in modules().items():
        for inside, node in statements(ast.parse(path.read_text(encoding="utf-8")).body):
            for target in targets(node):
                # that a module loads the packages that it is in is Python's way
                if target != module and not module.startswith(f"{target}.") and module != "runtime":
                    found.add((module, target, inside))
    return frozenset(found)


def room(module: str) -> str:
    return (module.split(".") + ["__init__"])[1]


def test_each_part_of_autograph_imports_those_before_it():
    known = {room(module) for module in modules() if module.startswith("autograph")}
    assert known == set(ORDER)
    wrong = [
        f"{module} imports {target}"
        for module, target, _ in sorted(imports())
        if module.startswith("autograph.") and target.startswith("autograph")
        if ORDER.index(room(target)) > ORDER.index(room(module))
    ]
    assert wrong == []


@pytest.mark.parametrize("package", ["autograph", "runtime"])
def test_no_module_imports_itself_by_way_of_others(package: str) -> None:
    graph = defaultdict(set)
    for module, target, _ in imports():
        if module.startswith(f"{package}.") and target.startswith(f"{package}."):
            graph[module].add(target)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


def test_autograph_imports_inside_functions_what_is_optional_only():
    found = {
        (module, target) for module, target, inside in imports() if inside and module.startswith("autograph")
    }
    assert found == INSIDE_FUNCTIONS


def test_autograph_imports_nothing_of_runtime_but_for_its_commands():
    found = {
        (module, target)
        for module, target, _ in imports()
        if module.startswith("autograph") and target.startswith("runtime")
    }
    assert {module.split(".")[1] for module, _ in found} == {"cli"}


def place(module: str) -> int:
    """Where a module of runtime/ stands in the order."""
    return RUNTIME_ORDER.index(room(module))


def test_each_room_of_runtime_imports_those_before_it():
    of_runtime = {module for module in modules() if module.startswith("runtime.")}
    assert {room(module) for module in of_runtime} == set(RUNTIME_ORDER)
    wrong = {
        (module, target)
        for module, target, _ in imports()
        if module in of_runtime and target in of_runtime and place(target) > place(module)
    }
    assert not wrong


def test_runtime_imports_inside_functions_what_is_optional_only():
    found = {
        (module.removeprefix("runtime."), target.removeprefix("runtime."))
        for module, target, inside in imports()
        if inside and module.startswith("runtime.") and target.startswith("runtime.")
    }
    assert found == RUNTIME_INSIDE_FUNCTIONS


def test_the_picture_of_the_house_shows_this_order():
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    picture = text.partition("    runtime/  ")[2].partition("\n\n")[0].splitlines()[1:]
    drawn = [name for line in picture for name in line[6:37].strip().split(", ")]
    assert drawn == [name for name in RUNTIME_ORDER if name not in UNDRAWN]
