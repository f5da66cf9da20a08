"""What the passes share: the functions to convert, fresh names, options."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

from autograph.analysis.names import Collector, Function
from autograph.records import record
from autograph.walking import children, walk

#: how many `elif`s may follow each other; a longer chain is cut
LONGEST_CHAIN = 40


@record
class Wanted:
    """Is the value of an expression wanted, where it is true and where it is false?

    In a test (`if a and b:`) only the truth of each operand matters, and each is asked for it once. Of a
    value (`x = a and b or c`) a false `a` goes to `c` at once.
    """

    when_true: bool
    when_false: bool


VALUE = Wanted(True, True)
TEST = Wanted(False, False)


@record
class Options:
    """What the caller may choose about a conversion."""

    convert_calls: bool = True
    """Send callees through `ag__.converted`, so that what they reach is converted too."""
    inside_out: bool = False
    """The function is a generator, and a consumer is to be handed what it yields."""
    sees_consumer: bool = False
    """That generator is a context manager's: its `try` and `with` see what the consumer raises."""
    close_with: bool = False
    """The block of each `with` is a closure (see passes/close_with.py)."""
    for_stage: bool = False
    """Let a stage see `items += other` and stores to attributes (see passes/mark_for_stage.py)."""
    marks: frozenset[str] = frozenset()
    """What more a stage is to see (`code_objects.MARKS`): operators, containers made, reads of items and
    attributes, stores to variables that functions share (see passes/mark_variables.py)."""
    flatten_chains: bool = False
    """Run the `if`s of an `elif` chain one after the other, not one within the other: for code, not text."""


class Context:
    """One conversion: its options, the user's functions (outer ones first), names that nobody uses yet."""

    def __init__(self, tree: gast.Module, options: Options | None = None) -> None:
        self.options = options or Options()
        self._used, self._kinds = _identifiers(tree)
        self.functions = list(_functions(tree, may_be_converted="ag__" in self._used))
        self.added: set[int] = set()
        """Functions that a pass made, by identity."""
        self._fresh: dict[tuple[str, int], str] = {}
        self._given = set[str]()  # of these
        self._wanted: dict[int, tuple[gast.AST, Wanted]] = {}
        self.comprehensions: dict[int, gast.AST] = {}
        """Those to become calls, by identity."""
        self.called: dict[int, gast.AST] = {}
        """What is called, by identity."""
        self.held: set[str] = set()
        """Names that hold a value within one expression, and are read nowhere else."""
        self.enclosing: Function | None = None
        """The user's function that a rule's node stands in."""
        self.may_assign = True
        """May a rule write an assignment expression here?"""
        self.shared: SharedVariables | None = None
        """What `mark_variables` is to mark."""

    def has(self, *kinds: type[gast.AST]) -> bool:
        """May the program have a node of these kinds? The other passes are not even loaded."""
        return self.options.inside_out or not self._kinds.keys().isdisjoint(kinds)

    def may_have_long_chain(self) -> bool:
        """May the program have an `elif` chain longer than `LONGEST_CHAIN`?"""
        return self.has(gast.Match, gast.NamedExpr) or self._kinds.get(gast.If, 0) > LONGEST_CHAIN

    def declares(self) -> bool:
        """Does one of the user's functions, or a class in it, have a `global` or `nonlocal`?"""
        return any(map(_declares, self.functions))

    def fresh(self, base: str, depth: int = 0) -> str:
        """`base`, or `base_1`, ... when the program has that name; the same answer for the same question.

        >>> context = Context(gast.parse("do_break = 1"))
        >>> context.fresh("do_break"), context.fresh("retval"), context.fresh("retval", depth=1)
        ('do_break_1', 'retval', 'retval_1')
        """
        known = self._fresh.get((base, depth))
        if known is None:
            number = depth
            known = f"{base}_{number}" if number else base
            while known in self._used or known in self._given:
                number += 1
                known = f"{base}_{number}"
            self._fresh[base, depth] = known
            self._given.add(known)
        return known

    def note_test(self, test: Any) -> None:
        """Only the truth of this expression matters."""
        self.note_wanted(test, TEST)

    def note_wanted(self, node: Any, wanted: Wanted) -> None:
        """What of the expression's value is wanted, if not all of it."""
        if wanted != VALUE:
            self._wanted[id(node)] = node, wanted

    def wanted_of(self, node: Any) -> Wanted:
        """What was noted for an expression."""
        return self._wanted[id(node)][1] if id(node) in self._wanted else VALUE

    def add_function(self, function: gast.FunctionDef) -> None:
        """A function that a pass made in the user's place is converted like one of the user's."""
        self.functions.append(function)
        self.added.add(id(function))

    def is_generated_function(self, node: Function) -> bool:
        """Is this one of the closures that a pass made of a block?"""
        return (
            isinstance(node, gast.FunctionDef) and self.is_generated(node.name) and id(node) not in self.added
        )

    def is_used(self, name: str) -> bool:
        """Does the program have this name?"""
        return name in self._used

    def is_generated(self, name: str) -> bool:
        """Was this name made by `fresh`?"""
        return name in self._given


class SharedVariables:
    """The variables of each of the user's functions that others may rebind, or that it rebinds for others."""

    def __init__(self, context: Context) -> None:
        self.own: dict[int, list[str]] = {}
        """Of functions, by identity: their own variables, which functions in them declare `nonlocal`."""
        self.stored: dict[int, dict[str, bool]] = {}
        """Of functions, by identity: those and the outer ones that they declare. True: a global."""
        collector = Collector()
        for function in context.functions:
            if isinstance(function, gast.Lambda):
                continue
            scope = collector.scope(function)
            declared = {v for n in walk(function) if isinstance(n, gast.Nonlocal) for v in n.names}
            own = [variable for variable in scope.local if variable in declared]
            stored = dict.fromkeys((*own, *scope.nonlocals), False) | dict.fromkeys(scope.globals, True)
            if own:
                self.own[id(function)] = own
            self.stored[id(function)] = stored


def _functions(node: Any, may_be_converted: bool) -> Iterator[Function]:
    """The functions in a tree, but for those that were converted before, and what is in them."""
    pending = [node]
    while pending:
        node = pending.pop()
        if isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)):
            if may_be_converted and _is_converted(node):
                continue
            yield node
        pending += reversed(list(children(node)))


def _declares(function: Function) -> bool:
    """Does it say `global` or `nonlocal` itself?"""
    if isinstance(function, gast.Lambda) or is_wrapper(function):
        return False
    pending = list(function.body)
    while pending:
        node = pending.pop()
        if isinstance(node, (gast.Global, gast.Nonlocal)):
            return True
        if isinstance(node, gast.stmt) and not isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef)):
            pending += [inner for inner in children(node) if not isinstance(inner, gast.expr)]
    return False


def is_wrapper(node: Any) -> bool:
    """Is this what `emit.wrap` writes around the user's function?"""
    return getattr(node, "is_wrapper", False)


def _is_converted(function: Function) -> bool:
    return any(isinstance(node, gast.Name) and node.id == "ag__" for node in walk(function))


def _identifiers(tree: gast.AST) -> tuple[set[str], dict[type, int]]:
    """The names in a tree, and how many nodes it has of each kind."""
    used: set[str] = set()
    kinds: dict[type, int] = {}
    for node in walk(tree):
        kinds[type(node)] = kinds.get(type(node), 0) + 1
        if isinstance(node, gast.Name):
            used.add(node.id)
        elif isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
            used.add(node.name)
        elif isinstance(node, gast.alias):
            used.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, (gast.MatchAs, gast.MatchStar)):
            used.add(node.name)
        elif isinstance(node, gast.MatchMapping):
            used.add(node.rest)
        elif isinstance(node, (gast.Global, gast.Nonlocal)):
            used.update(node.names)
    return used, kinds
