"""Let a stage see operators, containers, reads and stores of attributes: a table of nodes and operators.

>>> show(mark_for_stage, '''
... def f(self, x, i, **named):
...     items = [x]
...     items += [x.size]
...     self.n += g(*items)
...     del x.cache
...     table = {"a": items[1:]}
...     return table["a"][i] + items, (x, i) < (i, x)
... ''')
def f(self, x, i, **named):
    named = ag__.made(named)
    items = ag__.made([x])
    items = ag__.iadd(items, ag__.made([ag__.read_from(x).size]))
    ag__.stored_to(self, 'n').n = ag__.iadd(ag__.read_from(self).n, ag__.starred(g)(*ag__.star(items)))
    del ag__.stored_to(x, 'cache').cache
    table = ag__.made({'a': ag__.get_item(items, ag__.slice(1, None))})
    return (ag__.plus(ag__.get_item(ag__.get_item(table, 'a'), i), items), ag__.less((x, i), (i, x)))

Only in the code that runs while a stage is active: on plain values Python does all this by itself, so that
no text that we print has it. `+=` and stores to attributes are marked for every stage, the rest for one that
asks (`Stage.marks`). Items that are stored (`x[i] += 1`) are the business of `convert_item_stores`.

`stored_to` and `read_from` give the object itself, or what a stage puts in its place; the access stands in
the user's own frame. So they may stand wherever an attribute may (the target of a `for` or a `with`), and an
AttributeError is raised where it is without us. They are all that is marked in class bodies and decorators.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.code_objects import MARKS
from autograph.passes import convert_item_stores
from autograph.passes.context import Context, Options
from autograph.passes.convert_item_stores import index_expression
from autograph.template import assign, constant, is_operator_call, locate, name, operator_call
from autograph.template import show as show
from autograph.walking import Transformer, walk

#: what is called in the place of each operator
_OPERATORS = {
    gast.Add: "plus", gast.Mult: "times", gast.Mod: "remainder", gast.Sub: "minus", gast.Div: "divided",
    gast.FloorDiv: "floor_divided", gast.Pow: "power", gast.MatMult: "matrix_product",
    gast.LShift: "left_shift", gast.RShift: "right_shift",
    gast.BitOr: "either", gast.BitAnd: "both", gast.BitXor: "one_of_both",
    gast.USub: "negative", gast.UAdd: "positive", gast.Invert: "inverted",
    gast.Eq: "equal", gast.NotEq: "not_equal",
    gast.Lt: "less", gast.LtE: "less_equal", gast.Gt: "greater", gast.GtE: "greater_equal",
}  # fmt: skip
_IN_PLACE = {
    gast.Add: "iadd", gast.Sub: "isub", gast.Mult: "imul", gast.MatMult: "imatmul", gast.Div: "itruediv",
    gast.FloorDiv: "ifloordiv", gast.Mod: "imod", gast.Pow: "ipow", gast.LShift: "ilshift",
    gast.RShift: "irshift", gast.BitAnd: "iand", gast.BitOr: "ior", gast.BitXor: "ixor",
}  # fmt: skip
#: what these make is Python's own
_DISPLAYS = (gast.Constant, gast.JoinedStr, gast.List, gast.Tuple, gast.Dict, gast.Set)


def mark_for_stage(tree: gast.Module, context: Context | None = None) -> gast.Module:
    """Mark every function."""
    context = context or Context(tree, Options(marks=MARKS))
    mark = _Mark(context)
    for function in context.functions:  # outer ones first, with what is in them
        mark.visit(function)
    mark.all = False
    for node in walk(tree):
        if isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)):
            mark.visit(node)
    return tree


class _Mark(Transformer):
    """Rewrites the statements of functions, and of the closures that the passes made of them.

    `all`: or attributes alone, in class bodies and decorators, whose functions are on the list of functions.
    """

    def __init__(self, context: Context) -> None:
        self.context = context
        self.all = True
        self.count = 0
        self.users = set(map(id, context.functions))
        self.seen: set[int] = set()

    def asks(self, mark: str) -> bool:
        """Is the stage to see this here?"""
        return self.all and mark in self.context.options.marks

    def _begins(self, node: Any) -> bool:
        """Is this the time to mark a function?"""
        if id(node) in self.seen or (not self.all and id(node) in self.users):
            return False
        self.seen.add(id(node))
        for defaults in (node.args.defaults, node.args.kw_defaults):
            defaults[:] = self._all(defaults)
        return True

    def _attributes(self, visit: Any, part: Any) -> Any:
        """Mark attributes alone."""
        before, self.all = self.all, False
        made = visit(part)
        self.all = before
        return made

    def visit_ClassDef(self, node: gast.ClassDef) -> Any:
        return self._attributes(self.generic_visit, node)

    def visit_FunctionDef(self, node: Any) -> Any:
        if self._begins(node):
            node.body = self._keywords_made(node) + [*self._all(node.body)]
            node.decorator_list[:] = self._attributes(lambda part: [*self._all(part)], node.decorator_list)
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def _keywords_made(self, node: Any) -> list[Any]:
        """`named = ag__.made(named)` for `**named`, a dict that the call has made."""
        parameter = node.args.kwarg
        if parameter is None or not self.asks("containers"):
            return []
        made = self._made(name(parameter.id, node))
        return [locate(gast.Assign([name(parameter.id, node, gast.Store())], made, None), node)]

    def visit_Lambda(self, node: gast.Lambda) -> gast.Lambda:
        if self._begins(node):
            node.body = self.visit(node.body)
        return node

    def visit_AnnAssign(self, node: gast.AnnAssign) -> gast.AnnAssign:
        if node.value is not None:
            node.value = self.visit(node.value)
            node.target = self._attributes(self.visit, node.target)
        return node

    def visit_match_case(self, node: gast.match_case) -> gast.match_case:
        if node.guard is not None:  # a pattern has room for names and attributes only
            node.guard = self.visit(node.guard)
        node.body[:] = self._all(node.body)
        return node

    def visit_Attribute(self, node: gast.Attribute) -> gast.Attribute:
        if id(node) in self.seen:
            return node
        self.seen.add(id(node))
        is_ours = _is_of_ours(node.value)
        node.value = self.visit(node.value)
        if is_ours:
            return node
        if not isinstance(node.ctx, gast.Load):
            node.value = operator_call("stored_to", [node.value, constant(node.attr, node)], node.value)
        elif "attributes" in self.context.options.marks and not isinstance(node.value, _DISPLAYS):
            node.value = operator_call("read_from", [node.value], node.value)
        return node

    def visit_AugAssign(self, node: gast.AugAssign) -> Any:
        target, made = node.target, []
        if isinstance(target, gast.Subscript) or not self.all:
            return self.generic_visit(node)
        if isinstance(target, gast.Name):
            read: Any = name(target.id, target)
        else:
            owner = target.value
            if not isinstance(owner, gast.Name) or convert_item_stores.keeps_owner(node):  # evaluated once
                held = self.context.fresh("owner")
                made.append(assign(held, owner, owner))
                owner = target.value = name(held, owner)
            read = locate(gast.Attribute(name(owner.id, owner), target.attr, gast.Load()), target)
        changed = operator_call(_IN_PLACE[type(node.op)], [read, node.value], node)
        return [*self._all([*made, locate(gast.Assign([target], changed, None), node)])]

    def visit_List(self, node: gast.List) -> Any:
        self.generic_visit(node)
        return self._made(node) if isinstance(node.ctx, gast.Load) else node

    def visit_ListComp(self, node: Any) -> Any:
        self.generic_visit(node)
        return self._made(node)

    def visit_SetComp(self, node: gast.SetComp) -> Any:
        self.generic_visit(node)
        if not self.asks("containers"):
            return node
        items = locate(gast.ListComp(node.elt, node.generators), node)
        return self._made(operator_call("set_of", [items], node))

    def visit_DictComp(self, node: gast.DictComp) -> Any:
        self.generic_visit(node)
        if not self.asks("containers"):
            return node
        pair = locate(gast.Tuple([node.key, node.value], gast.Load()), node.key)
        pairs = locate(gast.ListComp(pair, node.generators), node)
        return self._made(operator_call("dict_of", [pairs], node))

    def visit_Dict(self, node: gast.Dict) -> Any:
        self.generic_visit(node)
        if not self.asks("containers") or all(isinstance(key, gast.Constant) for key in node.keys):
            return self._made(node)
        return self._made(_merged(node))

    def visit_Set(self, node: gast.Set) -> Any:
        self.generic_visit(node)
        if not self.asks("containers") or all(isinstance(item, gast.Constant) for item in node.elts):
            return self._made(node)
        items = locate(gast.List(node.elts, gast.Load()), node)
        return self._made(operator_call("set_of", [items], node))

    def visit_Tuple(self, node: gast.Tuple) -> Any:
        self.generic_visit(node)
        starred = any(isinstance(item, gast.Starred) for item in node.elts)
        return self._made(node) if starred and isinstance(node.ctx, gast.Load) else node

    def visit_Starred(self, node: gast.Starred) -> gast.Starred:
        self.generic_visit(node)
        if isinstance(node.ctx, gast.Load) and self.asks("containers"):
            node.value = operator_call("star", [node.value], node)
        return node

    def visit_Call(self, node: gast.Call) -> gast.Call:
        self.generic_visit(node)
        if not self.asks("containers"):
            return node
        for keyword in node.keywords:
            if keyword.arg is None:
                keyword.value = operator_call("double_star", [keyword.value], keyword.value)
        if any(isinstance(arg, gast.Starred) for arg in node.args):
            callee = node.func.args if is_operator_call(node) else [node.func]  # ag__.converted(f)(*items)
            node.func = operator_call("starred", callee, node.func)
        return node

    def _made(self, node: Any) -> Any:
        return operator_call("made", [node], node) if self.asks("containers") else node

    def visit_Subscript(self, node: gast.Subscript) -> Any:
        if isinstance(node.slice, gast.Tuple):  # an index, not a tuple of the program
            node.value = self.visit(node.value)
            node.slice.elts = [self.visit(part) for part in node.slice.elts]
        else:
            self.generic_visit(node)
        if not isinstance(node.ctx, gast.Load) or not self.asks("items"):
            return node
        return operator_call("get_item", [node.value, index_expression(node.slice)], node)

    def visit_Assign(self, node: gast.Assign) -> Any:
        self.generic_visit(node)
        target = node.targets[0]
        if self.asks("containers") and len(node.targets) == 1 and isinstance(target, (gast.Tuple, gast.List)):
            starred = any(isinstance(part, gast.Starred) for part in walk(target))
            if starred or not isinstance(node.value, gast.Tuple):
                return self._taken_apart(node, target)
        return node

    def _taken_apart(self, node: gast.Assign, target: Any) -> list[Any]:
        """Level by level: a variable holds what is to be taken apart again, and what comes after it."""
        inner: list[Any] = []
        for place, element in enumerate(target.elts):
            part = element.value if isinstance(element, gast.Starred) else element
            if inner or isinstance(part, (gast.Tuple, gast.List)):
                held = self.context.fresh("part", self.count)
                self.count += 1
                rest = locate(gast.Assign([part], name(held, part), None), part)
                inner += (
                    self._taken_apart(rest, part) if isinstance(part, (gast.Tuple, gast.List)) else [rest]
                )
                stored = name(held, part, gast.Store())
                is_star = isinstance(element, gast.Starred)
                target.elts[place] = locate(gast.Starred(stored, gast.Store()), part) if is_star else stored
        node.value = _unpacked(target, node.value)
        return [node, *inner]

    def visit_UnaryOp(self, node: gast.UnaryOp) -> Any:
        self.generic_visit(node)
        if isinstance(node.op, gast.Not) and self.asks("truth"):
            node.operand = operator_call("truth", [node.operand], node.operand)
        if (
            not self.asks("arithmetic")
            or isinstance(node.op, gast.Not)
            or isinstance(node.operand, gast.Constant)
        ):
            return node
        return operator_call(_OPERATORS[type(node.op)], [node.operand], node)

    def visit_If(self, node: Any) -> Any:
        """A test of a statement that stays Python's, since there is a `yield` in it, say."""
        self.generic_visit(node)
        if self.asks("truth"):
            node.test = operator_call("truth", [node.test], node.test)
        return node

    visit_While = visit_IfExp = visit_Assert = visit_If

    def visit_BoolOp(self, node: gast.BoolOp) -> gast.BoolOp:
        self.generic_visit(node)
        if self.asks("truth"):
            node.values[:-1] = [operator_call("truth", [value], value) for value in node.values[:-1]]
        return node

    def visit_BinOp(self, node: gast.BinOp) -> Any:
        self.generic_visit(node)
        if not self.asks("arithmetic"):
            return node
        return operator_call(_OPERATORS[type(node.op)], [node.left, node.right], node)

    def visit_Compare(self, node: gast.Compare) -> Any:
        self.generic_visit(node)
        if not self.asks("compare") or len(node.ops) != 1 or type(node.ops[0]) not in _OPERATORS:
            return node  # longer chains are taken apart where a stage may claim an operand
        return operator_call(_OPERATORS[type(node.ops[0])], [node.left, node.comparators[0]], node)


def _unpacked(target: Any, value: Any) -> Any:
    """`ag__.unpack(value, before)`, or `(value, before, after)` where a starred variable takes the rest."""
    stars = [k for k, element in enumerate(target.elts) if isinstance(element, gast.Starred)]
    counts = [len(target.elts)] if not stars else [stars[0], len(target.elts) - stars[0] - 1]
    for star in stars:  # its variable gets a list
        target.elts[star] = target.elts[star].value
    return operator_call("unpack", [value, *[constant(count, value) for count in counts]], value)


def _merged(node: gast.Dict) -> Any:
    """`ag__.merge(ag__.merge({1: 2}, other), ag__.dict_of([(x, 4)]))` for `{1: 2, **other, x: 4}`."""
    made: Any = None
    pairs: list[Any] = []
    for key, value in [*zip(node.keys, node.values, strict=True), (None, None)]:
        if key is not None:
            pairs.append((key, value))
            continue
        if pairs or made is None:
            part = _dict_of(pairs, node)
            made = part if made is None else operator_call("merge", [made, part], node)
            pairs = []
        if value is not None:
            made = operator_call("merge", [made, value], node)
    return made


def _dict_of(pairs: list[Any], at: Any) -> Any:
    """A dict display without `**`. The hash of a key may be known only at run time."""
    if all(isinstance(key, gast.Constant) for key, _ in pairs):
        return locate(gast.Dict([key for key, _ in pairs], [value for _, value in pairs]), at)
    items = [locate(gast.Tuple([key, value], gast.Load()), key) for key, value in pairs]
    return operator_call("dict_of", [locate(gast.List(items, gast.Load()), at)], at)


def _is_of_ours(owner: Any) -> bool:
    """Is it `ag__`, whose operators are called, or `super(...)`?"""
    if isinstance(owner, gast.Call) and isinstance(owner.func, gast.Name):
        return owner.func.id == "super"
    return isinstance(owner, gast.Name) and owner.id == "ag__"
