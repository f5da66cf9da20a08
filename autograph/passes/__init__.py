"""The rewrites, in their order. Each takes a tree and gives a tree; in between, the tree is a program.

>>> import gast
>>> from autograph.template import show
>>> show(convert_tree, "def f(x): return not x")
def f(x):
    return ag__.not_(x)

`get_state`, `set_state` and `names` are left out where there is no state. Compiled code, not
text, says `ag__.branch(cond, body, orelse, ...)()` for `if_stmt`, so that branches run in the
user's own frame; a branch that ends in an `if` is a link, `(body,)`, that gives back what runs
next (`ag__.elif_branch`; `passes/flatten_chains.py`). The passes, in `autograph/passes`, from
first to last: `lower_match`, `expand_bindings` (of assignment expressions: statements, or a
function called in their place, `bind_in_functions`), `split_long_chains` (of `elif`),
`convert_item_stores`, `lower_jumps` (return, break, continue, loop `else`),
`convert_control_flow`, `convert_expressions` (a table of rules). Between them the tree stays a
Python program, but for a `for` loop's "go on?".

The state of a statement is what it may rebind and somebody may read afterwards, or its blocks
may read first (liveness). A name that closures of the user share, or a `nonlocal` or `global`
one, counts as read everywhere. A name not surely bound (definite assignment) is `Undefined`
from the start, and guarded by `bound` where it is read. Statements stay Python where they must
(`analysis/static.py` says which): a `yield` or `await` inside, a jump out of a `finally`, a
call that gives frames or counts them (`sys._getframe`, `inspect.stack`,
`warnings.warn(stacklevel=...)`), a static test, a class body, and everything in a function that
calls `locals()`. The parts of a `try` that stays stand in `with ag__.python_try(reason):`, so
that a stage refuses what would pass its handlers by.
"""

from __future__ import annotations

from collections.abc import Callable

import gast

from autograph.loading import later

later(__name__, "bind_in_functions", "close_with", "closures", "comparisons", "comprehensions")
later(__name__, "conditional_expressions", "convert_item_stores", "convert_try", "convert_with")
later(__name__, "exceptions", "expand_bindings", "fstrings", "guard_reads", "logic")
later(__name__, "lower_match", "lower_patterns", "mark_variables", "push_yields")
later(__name__, "rename_comprehension_variables", "split_long_chains", "watch_containers")
later(__name__, "watch_tries")
from autograph.analysis.names import COMPREHENSIONS
from autograph.passes import (
    close_with,
    convert_item_stores,
    convert_with,
    expand_bindings,
    lower_match,
    push_yields,
    rename_comprehension_variables,
    split_long_chains,
)
from autograph.passes import mark_variables as variables
from autograph.passes import watch_containers as watched
from autograph.passes.context import Context as Context
from autograph.passes.context import Options as Options
from autograph.passes.convert_control_flow import convert_control_flow
from autograph.passes.convert_expressions import convert_expressions
from autograph.passes.flatten_chains import flatten_chains as _flatten_chains
from autograph.passes.lower_jumps import lower_jumps
from autograph.passes.mark_attributes import mark_attributes
from autograph.passes.mark_in_place import mark_in_place as _mark_in_place

# `_`: the attribute without it may be the module of that name.
Rewrite = Callable[[gast.Module, Context], gast.Module]


def _where_there_is(*kinds: type[gast.AST]) -> Callable[[Rewrite], Rewrite]:
    """A pass for programs that have such nodes: its module is loaded for one of these."""
    return lambda rewrite: lambda tree, context: rewrite(tree, context) if context.has(*kinds) else tree


@_where_there_is(gast.Match)
def _lower_match(tree: gast.Module, context: Context) -> gast.Module:
    return lower_match.lower_match(tree, context)


@_where_there_is(gast.NamedExpr, gast.Match)
def _expand_bindings(tree: gast.Module, context: Context) -> gast.Module:
    return expand_bindings.expand_bindings(tree, context)


def _split_long_chains(tree: gast.Module, context: Context) -> gast.Module:
    return split_long_chains.split_long_chains(tree, context) if context.may_have_long_chain() else tree


@_where_there_is(gast.Subscript, gast.Attribute, gast.Match, gast.NamedExpr)
def _convert_item_stores(tree: gast.Module, context: Context) -> gast.Module:
    return convert_item_stores.convert_item_stores(tree, context)


@_where_there_is(gast.With, gast.Try, gast.TryStar)
def _convert_with(tree: gast.Module, context: Context) -> gast.Module:
    return convert_with.convert_with(tree, context)


@_where_there_is(*COMPREHENSIONS)
def _rename_comprehension_variables(tree: gast.Module, context: Context) -> gast.Module:
    return rename_comprehension_variables.rename_comprehension_variables(tree, context)


PIPELINE: list[Rewrite] = [
    _lower_match,  # gives `if` statements
    _expand_bindings,  # gives loops, `if`s and item stores
    _split_long_chains,  # of them, `match` included
    _convert_item_stores,  # rebinds containers, which the passes below must know
    lower_jumps,  # from here on no jump leaves a statement that becomes a call
    convert_control_flow,  # moves blocks into closures: before there are thunks, which look like closures
    _convert_with,
    convert_expressions,  # late: the passes above write plain Python tests
    _rename_comprehension_variables,  # after all closures and thunks are made
]


def convert_tree(tree: gast.Module, options: Options | None = None) -> gast.Module:
    """Convert every function in a tree, in place. What was converted before is left as it is."""
    context = Context(tree, options)
    if context.options.inside_out:
        tree = push_yields.push_yields(tree, context)
    if context.options.close_with:
        tree = close_with.close_with(tree, context)
    shared = None
    for rewrite in PIPELINE:
        tree = rewrite(tree, context)
        if rewrite is _expand_bindings and "variables" in context.options.marks and context.declares():
            shared = variables.SharedVariables(context)  # its functions bind variables, too
    if context.options.mark_in_place:
        tree = _mark_in_place(tree, context)
    if context.options.marks & watched.KINDS:
        tree = watched.watch_containers(tree, context)
    if shared is not None:
        tree = variables.mark_variables(tree, context, shared)
    if context.options.mark_in_place:
        tree = mark_attributes(tree, context)
    if context.options.flatten_chains:
        tree = _flatten_chains(tree)
    return tree
