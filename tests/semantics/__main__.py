"""Say how the cases stand: `python -m tests.semantics [--update] [NAME...]`."""

from tests.features.__main__ import run_command
from tests.semantics import test_cases

if __name__ == "__main__":
    run_command("tests.semantics", test_cases.CASES, list(test_cases.CASES), __file__)
