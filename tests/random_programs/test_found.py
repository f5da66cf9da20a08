"""Programs in which random testing found a bug, as small as they got, by name: they stand in `found/`."""

import pytest

from tests.random_programs.found import (
    containers,
    global_variables,
    handlers,
    local_variables,
    managers,
    objects,
    values,
)
from tests.random_programs.program import HEADER, Program
from tests.random_programs.properties import judge

MODULES = (containers, global_variables, handlers, local_variables, managers, objects, values)
FOUND = {name: text for module in MODULES for name, text in module.PROGRAMS.items()}
CALLS = ("np.array([1.0, -2.0, 0.5]), np.int64(0)", "np.array([-1.0, 2.0, 0.5]), np.int64(2)")
#: what no engine can stage, and why; `convert` alone refuses nothing
REFUSED = {
    "an_exception_whose_argument_counts_its_texts": "changes something, and a text asks for it",
    "a_number_or_none_is_put_into_an_array": "None is stored in an array",
    "a_handler_of_a_tuple_with_a_chosen_class": "or one that only a run knows",
    "a_global_made_in_a_branch_of_a_callee": "the global `made` is assigned under a staged condition",
    "a_test_of_a_while_that_makes_a_global": "the global `tallied` is assigned under a staged condition",
    "a_recursive_function_in_the_test_of_a_generator": "changes `tallied` and is called in a `try`",
}


@pytest.mark.parametrize("name", FOUND)
@pytest.mark.parametrize("engine", ["convert", "native", pytest.param("numpy", marks=pytest.mark.long)])
def test_found(name, engine):
    verdict = judge(Program(HEADER + FOUND[name], CALLS), (engine,))
    if name in REFUSED and engine != "convert":
        assert verdict.status == "refused", f"{verdict}: take it out of REFUSED if it works"
        assert REFUSED[name] in verdict.reason
    else:
        assert verdict.status == "equal", verdict.reason


def test_each_name_stands_once():
    assert len(FOUND) == sum(len(module.PROGRAMS) for module in MODULES)
    assert set(REFUSED) <= set(FOUND)
