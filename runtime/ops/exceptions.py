"""Exceptions that are made anew at each run, like one that was seen while tracing.

>>> error = KeyError("k")
>>> error.add_note("from the table")
>>> again = rebuild(*parts(error))
>>> again, again.__notes__, again is error
(KeyError('k'), ['from the table'], False)
"""

from __future__ import annotations

from typing import Any

from runtime.objects.instances import exception_attributes, remake_exception
from runtime.ops.objects import ABSENT
from runtime.ops.template import Make, make_template


def parts(error: BaseException) -> tuple[type[BaseException], tuple[Any, ...], dict[str, Any]]:
    """The class, the arguments and the attributes from which ``rebuild`` makes an equal exception."""
    attributes = exception_attributes(error)
    args = attributes.pop("args")
    return type(error), tuple(map(_remade, args)), {k: _remade(v) for k, v in attributes.items()}


def _remade(item: Any) -> Any:
    """Exceptions with staged values inside, such as those of a group, are made anew, too."""
    if isinstance(item, BaseException):
        made = Make(rebuild, parts(item))
        return made if make_template(made)[1] else item
    if type(item) in (list, tuple) and any(isinstance(part, BaseException) for part in item):
        return type(item)(map(_remade, item))
    return item


def rebuild(cls: type[BaseException], args: tuple[Any, ...], attributes: dict[str, Any]) -> BaseException:
    """The inverse of ``parts``. A user's own ``__init__`` is not run again: it may have effects."""
    held = {name: value for name, value in attributes.items() if value is not ABSENT}
    return remake_exception(cls, {"args": args, **held})


def raise_static(builder: Any, error: BaseException) -> None:
    """Append a ``raise`` of an exception that Python code raised while it was traced.

    Staged values among its arguments or attributes are filled in when it is raised.
    """
    from runtime.containers.sites import boxed_again
    from runtime.graph import Operation

    cls, arguments, attributes = parts(error)
    exception = None
    structure: tuple[Any, ...] = (Make(rebuild, (cls, arguments, attributes)),)
    if error.__cause__ is not None:
        structure = (*structure, Make(rebuild, parts(error.__cause__)))
    elif not attributes and cls.__module__ == "builtins":  # as one would write it
        exception, structure = cls, (arguments, {})
    template, leaves = make_template(boxed_again(structure))
    values = tuple([builder.value_of(leaf) for leaf in leaves])
    builder.append(Operation("raise", values, (), {"exception": exception, "template": template}))
