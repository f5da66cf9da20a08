"""The rewrites, in their order. Each takes a tree and gives a tree; in between, the tree is a program.

>>> import gast
>>> from autograph.template import show
>>> show(convert_tree, "def f(x): return not x")
def f(x):
    return ag__.not_(x)

`get_state`, `set_state` and `names` are left out where there is no state. Compiled code, not
text, says `ag__.branch(cond, body, orelse, ...)()` for `if_stmt`, so that branches run in the
user's own frame; a branch that ends in an `if` is a link, `(body,)`, that gives back what runs
next (`ag__.elif_branch`; `passes/flatten_chains.py`). `PIPELINE` is the list of the passes. Between
them the tree stays a Python program, but for a `for` loop's "go on?".

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

later(__name__, "bind_in_functions", "close_with", "comprehensions", "conditions")
later(__name__, "convert_item_stores", "convert_try", "expand_bindings", "fstrings")
later(__name__, "guard_reads", "lower_match", "lower_patterns", "mark_variables", "push_yields")
later(__name__, "rename_comprehension_variables", "watch_tries")
from autograph.analysis.names import COMPREHENSIONS
from autograph.passes import (
    close_with,
    convert_item_stores,
    expand_bindings,
    flatten_chains,
    lower_match,
    mark_variables,
    push_yields,
    rename_comprehension_variables,
)
from autograph.passes.context import Context as Context
from autograph.passes.context import Options as Options
from autograph.passes.context import SharedVariables
from autograph.passes.convert_control_flow import convert_control_flow
from autograph.passes.convert_expressions import convert_expressions
from autograph.passes.flatten_chains import flatten_chains as _flatten_chains
from autograph.passes.lower_jumps import lower_jumps
from autograph.passes.mark_for_stage import mark_for_stage as _mark_for_stage

# `_`: the attribute without it may be the module of that name.
Rewrite = Callable[[gast.Module, Context], gast.Module]


def _has(*kinds: type[gast.AST]) -> Callable[[Context], bool]:
    return lambda context: context.has(*kinds)


def _note_shared_variables(tree: gast.Module, context: Context) -> gast.Module:
    context.shared = SharedVariables(context)
    return tree


#: for which programs a pass is, and the pass; the modules of those written as functions are loaded for these
PIPELINE: list[tuple[Callable[[Context], bool], Rewrite]] = [
    (lambda c: c.options.inside_out, lambda tree, c: push_yields.push_yields(tree, c)),
    (lambda c: c.options.close_with, lambda tree, c: close_with.close_with(tree, c)),
    # gives `if` statements
    (_has(gast.Match), lambda tree, c: lower_match.lower_match(tree, c)),
    # gives loops, `if`s and item stores
    (_has(gast.NamedExpr, gast.Match), lambda tree, c: expand_bindings.expand_bindings(tree, c)),
    # here all functions are the user's, or stand for an expression that binds
    (lambda c: "variables" in c.options.marks and c.declares(), _note_shared_variables),
    # of `if`s, those of `match` included
    (Context.may_have_long_chain, lambda tree, c: flatten_chains.split_long_chains(tree, c)),
    # rebinds containers, which the passes below must know
    (
        _has(gast.Subscript, gast.Attribute, gast.Match, gast.NamedExpr),
        lambda tree, c: convert_item_stores.convert_item_stores(tree, c),
    ),
    # from here on no jump leaves a statement that becomes a call
    (lambda c: True, lower_jumps),
    # moves blocks into closures: before there are thunks, which look like closures
    (lambda c: True, convert_control_flow),
    # late: the passes above write plain Python tests
    (lambda c: True, convert_expressions),
    # after all closures and thunks are made
    (
        _has(*COMPREHENSIONS),
        lambda tree, c: rename_comprehension_variables.rename_comprehension_variables(tree, c),
    ),
    # what more a stage is to see: none of it is in text for people
    (lambda c: c.options.for_stage, _mark_for_stage),
    (lambda c: c.shared is not None, lambda tree, c: mark_variables.mark_variables(tree, c)),
    (lambda c: c.options.flatten_chains, lambda tree, c: _flatten_chains(tree)),
]


def convert_tree(
    tree: gast.Module, options: Options | None = None, context: Context | None = None
) -> gast.Module:
    """Convert every function in a tree, in place. What was converted before is left as it is."""
    context = context or Context(tree, options)
    for is_for, rewrite in PIPELINE:
        if is_for(context):
            tree = rewrite(tree, context)
    return tree
