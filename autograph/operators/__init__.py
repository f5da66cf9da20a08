"""What converted code calls at run time: `import autograph.operators as ag__` is all that it needs.

The operators:

    ag__.if_stmt(cond, body, orelse, get_state, set_state, names)
    ag__.while_stmt(test, body, get_state, set_state, names)            test() -> value
    ag__.for_stmt(iterable, test, body, get_state, set_state, names)
        (test: None, or "go on?"; body(item))
    ag__.try_stmt(body, handlers, orelse, finalbody, get_state, set_state, names)
    ag__.if_exp(cond, then, orelse)      ag__.and_(a, *thunks)   ag__.or_(a, *thunks)
        ag__.not_(a)
    ag__.converted(f)(*args, **kwargs)
        (every call and decorator; not `super()`, see below)
    ag__.set_item(target, key, value) -> target       ag__.del_item(target, key) -> target
    ag__.aug_item(target, key, operator.iadd, value) -> target
    ag__.store_item(target, key, value)  update_item  remove_item
        (the target's variable cannot be rebound)
    ag__.set_item(x, key, value, held=x)
        (what was computed may have rebound `x`: it stays so)
    ag__.kept(ag__.set_item(x, key, value, held=ag__.BOTH), x)
        (the store may rebind `x`, a global: it is read after it)
    ag__.all_true(a, *thunks)   ag__.any_true(a, *thunks)
        (`and`, `or` in a test: truth is asked once)
    ag__.last_true(a, *thunks)   ag__.last_false(a, *thunks)
        (`and` whose false, `or` whose true value nobody wants: `a and b or c`)
    ag__.assert_stmt(test, message_thunk)     ag__.raise_stmt(exception, cause)
        (either may be missing)
    ag__.fstr('x = ', (x, conversion, spec), ...)     ag__.formatted(x)
        (formatted before the next is evaluated)
    ag__.percent('%d of %s', values)
        (an f-string, as CPython makes one, where a later value may act: '%s %s' % (a, f(a)))
    ag__.in_(a, b)  ag__.not_in(a, b)  ag__.is_(a, b)  ag__.is_not(a, b)
    ag__.list_comp(element, iterable, keep, unpack='a, b')  set_comp  dict_comp  generator
        (`keep`, `unpack`: may be missing)
    ag__.each(element, iterable, ...)
        (the element of a `for` that another `for` follows)
    ag__.match_sequence(x, 2)   match_class(x, C)   match_keys(d, keys)
        (what patterns ask; `matched_attributes`, `matched_items`, `index_from_end`: what they
         read)
    ag__.Undefined('y')    ag__.bound(y)  -> y, or raises UnboundLocalError when y is Undefined
                           ag__.bound_free(y)   the same for a variable of an enclosing function

Code converted for a stage that asks for marks (`conversion_of(f, marked=True)`) has besides:

    ag__.made([...])   ag__.get_item(c, key)   ag__.unpack(value, before, after)
    ag__.plus(a, b)  ag__.times(a, b)  ag__.remainder(a, b)  ag__.equal(a, b)
        ag__.not_equal(a, b)  ag__.less(a, b)
    ag__.minus(a, b)  ag__.either(a, b)  ag__.both(a, b)  ag__.one_of_both(a, b)   (`-`, `|`, `&`,
    `^`) ag__.divided(a, b)  ag__.power(a, b)  ag__.negative(a)   (and so for each operator of
    Python's) ag__.starred(f)(*ag__.star(items))   ag__.set_of([1, *ag__.star(items)])
    ag__.merge({1: 2}, other)
        (`{1: 2, **other}`)

Compiled code, not text, has `ag__.iadd(items, other)` for `items += other`
(`passes/mark_for_stage.py`; the other operators as well): one that may change a container, an
array or an object is seen wherever it stands.

    ag__.give(consumer, item)
        (a `yield` of a generator that was turned inside out)
    ag__.class_of(x)
        (`x.__class__`, as `type(x)` gives it for a stage's values)
    ag__.special_method(cls, '__eq__')
        (`cls.__eq__` that is not called, `cls.__dict__`, `f.__defaults__`, `error.__cause__`: a
        stage
         may have put something there)
    ag__.stored_to(o, 'a').a = v
        (a stage sees each store to an attribute; `passes/mark_for_stage.py`)
    ag__.read_from(o).a
        (and each read, where a stage asks for that: `conversion_of(f, marked=True)`)
    ag__.new_variables(lambda: (x, y))
    ag__.stored_variable(lambda: x)
    ag__.stored_global('n')
        (then each store to a variable that functions share, too; `passes/mark_variables.py`)

Code converted with `close_with` (no part of the pipeline either; a trace asks for it where the
exit of a `with` may swallow):

    ag__.with_stmt(manager, with_body, swallowed_body, else_body, get_state, set_state, names)

An example of the shape:

    def relu_like(x):
        y = ag__.Undefined('y')

        def get_state():
            return (y,)

        def set_state(state):
            nonlocal y
            y, = state

        def then_body():
            nonlocal y
            y = x

        def else_body():
            nonlocal y
            y = 0
        ag__.if_stmt(x > 0, then_body, else_body, get_state, set_state, ('y',))
        return y

On plain Python values every operator does exactly what the statement it replaces does.
Operators are *values first*: they run as Python until a value is claimed by a registered stage,
then hand over:

* `if_stmt(cond, ...)`: a stage that claims `cond` gets it; otherwise `if cond: body() else:
  orelse()`.
* `while_stmt`: evaluates `test()` each time round (and once more after it was found claimed:
  the variables are set back, and an active stage gets `checkpoint()` before and
  `rollback(checkpoint)` after the evaluation that is void). While the value is plain, Python
  loops. The first time it is claimed, the stage takes over *from the current state* (so a loop
  that begins in Python and becomes staged is peeled).
* `for_stmt`: an active stage is offered the loop first and may decline (NotImplemented), or
  give an iterator to be taken in place of the iterable; then Python iterates; when `test()`
  turns out staged after k items, the stage gets the rest (`for_rest`).
* `converted(f)` gives what to call in place of `f`: the converted function where `f` is a
  user's, `f` itself where it is not to be converted. The call itself then stands in the user's
  own frame: no frame of ours lies between caller and callee, so that `locals()`,
  tracebacks see what they see
  without us, recursion goes as deep, and arguments are passed once. While a stage is active,
  `converted(f)` gives what the stage wants: `stage.enter(f, converted)` for user functions, and
  for others a callable that offers the call to `stage.call(f, args, kwargs)` (NotImplemented:
  just call it). `ag__.call(f, *args, **kwargs)` is both steps in one, for stages and for
  people.
* Frame-dependent calls written by name and without arguments stay where they are: `super()`
  becomes `super(__class__, self)` (its first parameter) so that it may stand in a body closure;
  a function that uses `locals()`, `vars()`, `dir()`, `eval` or `exec` by those names has
  nothing moved out of it.

Attributes (`obj.a`, `obj.a = v`) and variables stay as they are in text; compiled code marks them
(`stored_to`, `read_from`; `stored_variable` for those that functions share), so that a stage sees
them. Subscript *stores* become `set_item`
(rebinding a local name: `x = ag__.set_item(x, i, v)`, so that immutable arrays such as JAX's
can be updated); subscript *reads* stay as they are.

What is found out about a code object is kept by its identity (`code_objects.py`): to compare two
equal ones that nest deeply, as converted code does, takes CPython time that doubles with each
level.
"""

import sys
from typing import TYPE_CHECKING

from autograph.loading import later, loaded

later(__name__, "marks", "subscripts")
from autograph.operators.calls import call as call
from autograph.operators.calls import class_of as class_of
from autograph.operators.calls import converted as converted
from autograph.operators.calls import special_method as special_method
from autograph.operators.containers import both as both
from autograph.operators.containers import dict_of as dict_of
from autograph.operators.containers import divided as divided
from autograph.operators.containers import double_star as double_star
from autograph.operators.containers import either as either
from autograph.operators.containers import equal as equal
from autograph.operators.containers import floor_divided as floor_divided
from autograph.operators.containers import get_item as get_item
from autograph.operators.containers import greater as greater
from autograph.operators.containers import greater_equal as greater_equal
from autograph.operators.containers import iadd as iadd
from autograph.operators.containers import iand as iand
from autograph.operators.containers import ifloordiv as ifloordiv
from autograph.operators.containers import ilshift as ilshift
from autograph.operators.containers import imatmul as imatmul
from autograph.operators.containers import imod as imod
from autograph.operators.containers import imul as imul
from autograph.operators.containers import inverted as inverted
from autograph.operators.containers import ior as ior
from autograph.operators.containers import ipow as ipow
from autograph.operators.containers import irshift as irshift
from autograph.operators.containers import isub as isub
from autograph.operators.containers import itruediv as itruediv
from autograph.operators.containers import ixor as ixor
from autograph.operators.containers import left_shift as left_shift
from autograph.operators.containers import less as less
from autograph.operators.containers import less_equal as less_equal
from autograph.operators.containers import made as made
from autograph.operators.containers import matrix_product as matrix_product
from autograph.operators.containers import merge as merge
from autograph.operators.containers import minus as minus
from autograph.operators.containers import negative as negative
from autograph.operators.containers import not_equal as not_equal
from autograph.operators.containers import one_of_both as one_of_both
from autograph.operators.containers import plus as plus
from autograph.operators.containers import positive as positive
from autograph.operators.containers import power as power
from autograph.operators.containers import remainder as remainder
from autograph.operators.containers import right_shift as right_shift
from autograph.operators.containers import set_of as set_of
from autograph.operators.containers import star as star
from autograph.operators.containers import starred as starred
from autograph.operators.containers import times as times
from autograph.operators.containers import unpack as unpack
from autograph.operators.control_flow import branch as branch
from autograph.operators.control_flow import elif_branch as elif_branch
from autograph.operators.control_flow import for_stmt as for_stmt
from autograph.operators.control_flow import if_stmt as if_stmt
from autograph.operators.control_flow import while_stmt as while_stmt
from autograph.operators.undefined import Undefined as Undefined
from autograph.operators.undefined import bound as bound
from autograph.operators.undefined import bound_free as bound_free

if TYPE_CHECKING:
    from autograph.operators.comprehensions import dict_comp as dict_comp
    from autograph.operators.comprehensions import each as each
    from autograph.operators.comprehensions import generator as generator
    from autograph.operators.comprehensions import give as give
    from autograph.operators.comprehensions import list_comp as list_comp
    from autograph.operators.comprehensions import set_comp as set_comp
    from autograph.operators.exceptions import assert_stmt as assert_stmt
    from autograph.operators.exceptions import context as context
    from autograph.operators.exceptions import python_try as python_try
    from autograph.operators.exceptions import raise_stmt as raise_stmt
    from autograph.operators.exceptions import try_stmt as try_stmt
    from autograph.operators.exceptions import with_stmt as with_stmt
    from autograph.operators.expressions import all_true as all_true
    from autograph.operators.expressions import and_ as and_
    from autograph.operators.expressions import any_true as any_true
    from autograph.operators.expressions import formatted as formatted
    from autograph.operators.expressions import fstr as fstr
    from autograph.operators.expressions import if_exp as if_exp
    from autograph.operators.expressions import in_ as in_
    from autograph.operators.expressions import is_ as is_
    from autograph.operators.expressions import is_not as is_not
    from autograph.operators.expressions import last_false as last_false
    from autograph.operators.expressions import last_true as last_true
    from autograph.operators.expressions import not_ as not_
    from autograph.operators.expressions import not_in as not_in
    from autograph.operators.expressions import or_ as or_
    from autograph.operators.expressions import percent as percent
    from autograph.operators.expressions import truth as truth
    from autograph.operators.marks import new_variables as new_variables
    from autograph.operators.marks import read_from as read_from
    from autograph.operators.marks import stored_global as stored_global
    from autograph.operators.marks import stored_to as stored_to
    from autograph.operators.marks import stored_variable as stored_variable
    from autograph.operators.matching import index_from_end as index_from_end
    from autograph.operators.matching import match_class as match_class
    from autograph.operators.matching import match_keys as match_keys
    from autograph.operators.matching import match_sequence as match_sequence
    from autograph.operators.matching import match_subject as match_subject
    from autograph.operators.matching import matched_attributes as matched_attributes
    from autograph.operators.matching import matched_items as matched_items
    from autograph.operators.subscripts import BOTH as BOTH
    from autograph.operators.subscripts import aug_item as aug_item
    from autograph.operators.subscripts import del_item as del_item
    from autograph.operators.subscripts import kept as kept
    from autograph.operators.subscripts import remove_item as remove_item
    from autograph.operators.subscripts import set_item as set_item
    from autograph.operators.subscripts import store_item as store_item
    from autograph.operators.subscripts import update_item as update_item

# Where the others live. They are loaded when first used: few programs have them all.
_HOMES = {
    "comprehensions": "dict_comp each generator give list_comp set_comp",
    "exceptions": "assert_stmt context python_try raise_stmt try_stmt with_stmt",
    "expressions": "all_true and_ any_true formatted fstr if_exp in_ is_ is_not last_false last_true"
    " not_ not_in or_ percent truth",
    "marks": "new_variables read_from stored_global stored_to stored_variable",
    "matching": "index_from_end match_class match_keys match_sequence match_subject"
    " matched_attributes matched_items",
    "subscripts": "BOTH aug_item del_item kept remove_item set_item store_item update_item",
}

slice = slice  # for `x[a:b] = v`, where the user's module may have a `slice` of its own


if not TYPE_CHECKING:  # or a misspelt name would be fine for type checkers

    def __getattr__(name: str) -> object:
        home = next((home for home, names in _HOMES.items() if name in names.split()), None)
        if home is None:
            message = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(message, name=name, obj=sys.modules[__name__])
        found = globals()[name] = getattr(loaded(f"{__name__}.{home}"), name)
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *" ".join(_HOMES.values()).split()})
