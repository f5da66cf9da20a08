# ruff: noqa: UP031, UP036  # old Pythons must be able to read this file
"""AutoGraph: Python control flow that asks its values what it means.

>>> import autograph
>>> def sign(x):
...     if x < 0:
...         return -1
...     return 1
>>> autograph.convert(sign)(-5)
-1
"""

import sys

#: of the distribution, which holds `autograph` and `runtime`
__version__ = "0.1.0"

# This file is written such that every Python can read it, and say that it is too old for the others.
if sys.version_info < (3, 11):
    _message = "autograph needs Python 3.11 or newer, and this is Python %d.%d.%d" % sys.version_info[:3]
    if sys.argv[:1] in (["-m"], ["-c"]):  # python -m autograph
        sys.stderr.write(_message + "\n")
        raise SystemExit(2)
    raise ImportError(_message)

from typing import TYPE_CHECKING

from autograph.errors import ArgumentError as ArgumentError
from autograph.errors import AutographError as AutographError
from autograph.errors import ConversionError as ConversionError
from autograph.errors import InternalError as InternalError
from autograph.errors import SourceChangedError as SourceChangedError
from autograph.errors import SourceNotFoundError as SourceNotFoundError
from autograph.errors import SourceSyntaxError as SourceSyntaxError
from autograph.errors import StagingError as StagingError
from autograph.loading import later, loaded

if TYPE_CHECKING:
    from autograph.api import convert as convert
    from autograph.api import do_not_convert as do_not_convert
    from autograph.api import original as original
    from autograph.api import to_code as to_code
    from autograph.api import was_converted as was_converted
    from autograph.code_objects import is_converted_code as is_converted_code
    from autograph.conversion import Converted as Converted
    from autograph.conversion import conversion_of as conversion_of
    from autograph.modules import convert_module as convert_module
    from autograph.modules import convert_source as convert_source
    from autograph.operators.calls import converted_later as converted_later
    from autograph.registry import register_stage as register_stage
    from autograph.registry import trace_of as trace_of
    from autograph.registry import unregister_stage as unregister_stage
    from autograph.source import register_source as register_source
    from autograph.staging import Stage as Stage
    from autograph.staging import State as State

# Where the other names live. They are loaded when first used, so that `import autograph` costs a few
# milliseconds in a program that converts nothing.
_HOMES = {
    "convert": "api",
    "do_not_convert": "api",
    "original": "api",
    "to_code": "api",
    "was_converted": "api",
    "converted_later": "operators.calls",
    "Converted": "conversion",
    "conversion_of": "conversion",
    "is_converted_code": "code_objects",
    "convert_module": "modules",
    "convert_source": "modules",
    "register_source": "source",
    "Stage": "staging",
    "State": "staging",
    "register_stage": "registry",
    "trace_of": "registry",
    "unregister_stage": "registry",
}

# Written out, for tools that read it without running it.
__all__ = [
    "ArgumentError",
    "AutographError",
    "ConversionError",
    "Converted",
    "InternalError",
    "SourceChangedError",
    "SourceNotFoundError",
    "SourceSyntaxError",
    "Stage",
    "StagingError",
    "State",
    "__version__",
    "conversion_of",
    "convert",
    "convert_module",
    "convert_source",
    "converted_later",
    "do_not_convert",
    "is_converted_code",
    "original",
    "register_source",
    "register_stage",
    "to_code",
    "trace_of",
    "unregister_stage",
    "was_converted",
]


# These convert, which a program may never do.
later(__name__, "conversion", "emit", "mangling", "modules", "optional_packages", "passes")
later(__name__, "settling")
later(__name__, "source", "typed")


if not TYPE_CHECKING:  # or a misspelt name would be fine for type checkers

    def __getattr__(name):  # type: (str) -> object
        home = _HOMES.get(name)
        if home is None:
            message = "module 'autograph' has no attribute %r" % name
            raise AttributeError(message, name=name, obj=sys.modules[__name__])
        value = getattr(loaded("autograph." + home), name)
        globals()[name] = value
        return value


def __dir__():  # type: () -> list[str]
    return __all__ + [name for name in globals() if name.startswith("__") and name not in __all__]
