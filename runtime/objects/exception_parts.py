"""Exceptions as parts, of which a run makes equal ones.

>>> from runtime.ops.exceptions import rebuild
>>> error = KeyError("k")
>>> error.add_note("from the table")
>>> again = rebuild(*parts(error))
>>> again, again.__notes__, again is error
(KeyError('k'), ['from the table'], False)
"""

from __future__ import annotations

from typing import Any

from runtime.ops.exceptions import rebuild
from runtime.ops.instances import exception_attributes
from runtime.ops.template import Make
from runtime.tracer.spec import make_template


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
