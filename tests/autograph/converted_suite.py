"""Run a test module of CPython's own with a standard module converted in place.

    python -m tests.autograph.converted_suite heapq test_heapq

    python -m tests.autograph.converted_suite test.test_generators test_generators

converts the tests themselves. Test modules import some modules afresh, to test the Python and the C
implementation side by side; those fresh modules are converted too.
"""

import importlib
import signal
import sys
import unittest

import autograph
from autograph.modules import functions_of

#: tests that run the same code over and over for seconds, and none of it converted: the C implementation's
SKIPPED = {"test_statistics": {"TestNormalDistC": ("test_inv_cdf", "test_overlap")}}


def skip_tests(test_name: str) -> None:
    tests = importlib.import_module(f"test.{test_name}")
    for class_name, names in SKIPPED.get(test_name, {}).items():
        for name in names:
            setattr(getattr(tests, class_name), name, unittest.skip("of C, and slow")(lambda self: None))


def convert_and_run(module_name: str, test_name: str, *options: str) -> int:
    from test.support import import_helper

    # A stage that claims nothing, and for which the operators must run all the same.
    autograph.register_stage(autograph.Stage())
    converted = []

    def convert(module):
        converted.append(autograph.convert_module(module))
        return module

    import_fresh = import_helper.import_fresh_module

    def import_fresh_and_convert(name, *args, **kwargs):
        module = import_fresh(name, *args, **kwargs)
        return convert(module) if name == module_name and module is not None else module

    import_helper.import_fresh_module = import_fresh_and_convert
    convert(importlib.import_module(module_name))
    skip_tests(test_name)
    run = unittest.main(f"test.{test_name}", argv=["unittest", *options], exit=False)
    functions = [f for module in converted for f in functions_of(module)]
    assert any(autograph.is_converted_code(f.__code__) for f in functions), "nothing was converted"
    return 0 if run.result.wasSuccessful() and run.result.testsRun else 1


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it in what it runs behind
    sys.exit(convert_and_run(*sys.argv[1:]))
