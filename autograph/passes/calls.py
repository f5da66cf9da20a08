"""Calls.

>>> from autograph.passes.convert_expressions import convert_expressions
>>> from autograph.template import show
>>> show(convert_expressions, "def f(x, *rest, **options): return g(x.sum(), *rest, k=1, **options)")
def f(x, *rest, **options):
    return ag__.converted(g)(ag__.converted(x.sum)(), *rest, k=1, **options)

The class of a value is asked for by a call, too, which may be one of a stage, and so is a special method that
is not called, in place of which a stage may have put a function of its own:

>>> show(convert_expressions, "def f(x): return x.__class__.__name__")
def f(x):
    return ag__.class_of(x).__name__
>>> show(convert_expressions, "def f(x, cls): return cls.__len__(x), cls.__len__")
def f(x, cls):
    return (ag__.converted(cls.__len__)(x), ag__.special_method(cls, '__len__'))
>>> show(convert_expressions, "def f(g, d): return g.__defaults__, d.default_factory is int")
def f(g, d):
    return (ag__.special_method(g, '__defaults__'), ag__.is_(ag__.special_method(d, 'default_factory'), int))
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.static import FRAME_READERS
from autograph.passes.context import Context
from autograph.template import constant, locate, operator, operator_call

# They ask for the frame that calls them, which must be the user's.
_CALLED_DIRECTLY = FRAME_READERS | {"super", "globals", "__import__", "breakpoint"}
_FRAME_METHODS = frozenset({"currentframe"})
# What objects hold that a stage may have put something in the place of, also where it is called.
_HELD = frozenset({
    "default_factory", "__defaults__", "__kwdefaults__", "__cause__", "__context__", "__suppress_context__",
    "__traceback__",
})  # fmt: skip
# What a class holds for Python to call, and where it holds that.
_SPECIAL = frozenset(
    f"__{name}__"
    for name in (
        "dict init eq ne lt le gt ge hash bool len length_hint repr str format "
        "getattr getattribute setattr delattr get call "
        "getitem setitem delitem contains iter next reversed enter exit post_init missing "
        "add sub mul truediv floordiv mod divmod pow matmul and or xor lshift rshift "
        "radd rsub rmul rtruediv rfloordiv rmod rdivmod rpow rmatmul rand ror rxor rlshift rrshift "
        "iadd isub imul itruediv ifloordiv imod ipow imatmul iand ior ixor ilshift irshift "
        "neg pos abs invert index int float complex round trunc floor ceil"
    ).split()
)


def convert_call(node: gast.Call, context: Context) -> Any:
    """`f(x)` becomes `ag__.converted(f)(x)`: the call itself stays in the user's frame."""
    function = node.func
    if not context.options.convert_calls or isinstance(function, gast.Lambda):
        return node
    if isinstance(function, gast.Name) and function.id in _CALLED_DIRECTLY:
        return node
    if isinstance(function, gast.Attribute) and function.attr in _FRAME_METHODS:
        return node
    callee = locate(gast.Call(operator("converted", node), [function], []), function)
    return locate(gast.Call(callee, node.args, node.keywords), node)


def convert_attribute(node: gast.Attribute, context: Context) -> Any:
    """`x.__class__` becomes `ag__.class_of(x)`, and so on."""
    if not isinstance(node.ctx, gast.Load):
        return node
    if node.attr == "__class__":
        return operator_call("class_of", [node.value], node)
    if node.attr in _HELD or (node.attr in _SPECIAL and id(node) not in context.called):
        return operator_call("special_method", [node.value, constant(node.attr, node)], node)
    return node
