"""Comprehensions and generator expressions.

>>> from autograph.passes.convert_expressions import convert_expressions
>>> from autograph.template import show
>>> show(convert_expressions, '''
... def f(x, rows):
...     total = sum(v * v for v in x if v > 0)
...     found = {v for row in rows for v in row if v}
...     return [total + i * a for i, (a, _) in enumerate(found)]
... ''')
def f(x, rows):
    total = ag__.converted(sum)(ag__.generator(lambda v: v * v, x, lambda v: v > 0))
    found = ag__.set_comp(lambda row: ag__.each(lambda v: v, row, lambda v: v), rows)
    return ag__.list_comp(lambda i, a, _: total + i * a, ag__.converted(enumerate)(found), unpack='i, (a, _)')

What a closure of the user's keeps of a comprehension's variables, it would keep for each item apart; and what
an assignment expression binds is a variable of the function around (most of those have become loops by then).
Such comprehensions stay, and so does one over a literal, whose length and items are known:

>>> show(convert_expressions, '''
... def f(x):
...     return [lambda: v for v in x], [(y := v) for v in x], [v for v in (1, 2)]
... ''')
def f(x):
    return ([lambda: v for v in x], [(y := v) for v in x], [v for v in (1, 2)])
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.names import Collector, is_eager_call
from autograph.analysis.static import counts_frames, own_nodes
from autograph.passes.context import Context
from autograph.passes.thunks import can_be_thunks, make_thunk
from autograph.template import constant, locate, name, operator_call, unparse
from autograph.walking import children, walk

_KINDS = {
    gast.ListComp: "list_comp",
    gast.SetComp: "set_comp",
    gast.DictComp: "dict_comp",
    gast.GeneratorExp: "generator",
}

_TARGETS = (gast.Name, gast.Tuple, gast.List, gast.Starred, gast.expr_context)


def may_be_call(node: Any, context: Context) -> bool:
    """Does the comprehension, as the user wrote it, mean the same with its parts as lambdas?"""
    parts = parts_of(node)
    if not can_be_thunks(*parts) or any(generator.is_async for generator in node.generators):
        return False
    if any(map(counts_frames, own_nodes(node))) or _is_over_literal(node):
        return False
    targets = [n for g in node.generators for n in walk(g.target)]
    if not all(
        isinstance(n, (gast.Name, gast.Tuple, gast.List, gast.Starred, gast.expr_context)) for n in targets
    ):
        return False
    if reads_ahead(node):
        return False
    variables = {n.id for n in targets if isinstance(n, gast.Name)}
    return not any(keeps_variables(part, variables, context) for part in parts)


def reads_ahead(node: Any) -> bool:
    """Is a variable of a later `for` read, or bound, before that? It then has the value of the last turn."""
    before: set[str] = set()
    for number, generator in enumerate(node.generators):
        if number:
            before |= _names(generator.iter)
        own = _names(generator.target)
        if number and own & before:
            return True
        before |= own.union(*map(_names, generator.ifs))
    return False


def _names(node: Any) -> set[str]:
    return {inner.id for inner in walk(node) if isinstance(inner, gast.Name)}


def parts_of(node: Any) -> list[Any]:
    """What is evaluated for each item; not the first iterable, which is evaluated outside."""
    parts = [node.key, node.value] if isinstance(node, gast.DictComp) else [node.elt]
    for number, generator in enumerate(node.generators):
        parts += [*generator.ifs, *([generator.iter] if number else [])]
    return parts


def _is_over_literal(node: Any) -> bool:
    if isinstance(node, gast.GeneratorExp) or any(generator.ifs for generator in node.generators):
        return False
    return all(_is_taken_apart_here(generator) for generator in node.generators)


def _is_taken_apart_here(generator: Any) -> bool:
    """Is it over a literal whose items are there to be seen, too, where they are taken apart?"""
    if not _is_literal(generator.iter):
        return False
    items = getattr(generator.iter, "elts", [])
    if isinstance(generator.target, gast.Name):
        return True
    is_flat = all(isinstance(part, gast.Name) for part in getattr(generator.target, "elts", [None]))
    return is_flat and bool(items) and all(isinstance(item, (gast.Tuple, gast.List)) for item in items)


def _is_literal(node: Any) -> bool:
    return isinstance(node, (gast.Constant, gast.Tuple, gast.List, gast.Dict))


def keeps_variables(part: Any, variables: set[str], context: Context) -> bool:
    """May a closure in `part` see one of the variables after the item is done?"""
    pending = [part]
    collector = Collector()
    while pending:
        node = pending.pop()
        if isinstance(node, gast.Lambda):
            reads, *_ = collector.free(node)
            if reads & variables:
                return True
        elif isinstance(node, gast.GeneratorExp):
            if collector.collect(node).captures & variables:
                return True
        elif isinstance(node, gast.Call) and is_eager_call(node):
            for argument in node.args:
                if isinstance(argument, gast.GeneratorExp):
                    pending += children(argument)
                else:
                    pending.append(argument)
            pending += [node.func, *node.keywords]
            continue
        pending += children(node)
    return False


def join_tests(node: gast.comprehension) -> None:
    """The `if`s of one `for` become one test."""
    if len(node.ifs) > 1:
        node.ifs[:] = [locate(gast.BoolOp(gast.And(), list(node.ifs)), node.ifs[0])]


def convert_comprehension(node: Any, context: Context) -> Any:
    """`[v for v in x if t]` becomes `ag__.list_comp(lambda v: v, x, lambda v: t)`."""
    if id(node) not in context.comprehensions:
        return node
    if isinstance(node, gast.DictComp):
        element = locate(gast.Tuple([node.key, node.value], gast.Load()), node.key)
    else:
        element = node.elt
    kinds = [_KINDS[type(node)], *["each"] * (len(node.generators) - 1)]
    for kind, generator in zip(reversed(kinds), reversed(node.generators), strict=True):
        element = _call(kind, element, generator, node, context)
    return element


def _call(kind: str, element: Any, generator: Any, at: Any, context: Context) -> Any:
    names = _variables(generator.target, context)
    arguments = [_lambda(names, element, context), generator.iter]
    if generator.ifs:
        arguments.append(_lambda(names, generator.ifs[0], context))
    made = operator_call(kind, arguments, at)
    if not isinstance(generator.target, gast.Name):
        text = unparse(generator.target).removeprefix("(").removesuffix(")")
        made.keywords.append(locate(gast.keyword("unpack", constant(text, at)), at))
    return made


def _variables(target: Any, context: Context) -> list[str]:
    """The names of the target in order. Of a name that occurs twice, the last one counts."""
    nodes = _names_in_order(target)
    last = {node.id: node for node in nodes}
    for number, node in enumerate(nodes):
        if last[node.id] is not node:
            node.id = context.fresh(node.id, number + 1)
    return [node.id for node in nodes]


def _names_in_order(target: Any) -> list[Any]:
    if isinstance(target, gast.Name):
        return [target]
    return [node for part in children(target) for node in _names_in_order(part)]


def _lambda(names: list[str], body: Any, context: Context) -> gast.Lambda:
    made = make_thunk(body, context)
    made.args.args = [name(each, body, gast.Param()) for each in names]
    return made
