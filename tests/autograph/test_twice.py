"""What is converted is not converted again."""

import types

import autograph
from autograph.source import register_source

TEXT = "def f(x):\n    return 1 if not x else 2\n\n\ndef g(x):\n    return f(x)\n"


def load(text):
    module = types.ModuleType("twice")
    exec(compile(text, register_source(text), "exec"), module.__dict__)
    return module


def test_the_converted_function_is_its_own_conversion():
    f = load(TEXT).f
    once = autograph.convert(f)
    assert autograph.convert(once) is once
    assert autograph.convert(autograph.convert(once)) is once
    assert autograph.original(once) is f


def test_its_text_is_that_of_the_original():
    f = load(TEXT).f
    assert autograph.to_code(autograph.convert(f)) == autograph.to_code(f)


def test_functions_of_converted_text_are_converted():
    module = load(autograph.convert_source(TEXT))
    assert autograph.convert(module.f) is module.f
    assert autograph.convert(module.f)(0) == 1


def test_a_module_twice():
    module = load(TEXT)
    code = autograph.convert_module(module).f.__code__
    assert autograph.convert_module(module).f.__code__ is code
    assert module.g(0) == 1
