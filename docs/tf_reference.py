"""The reference page of `runtime.tf`: `make docs` makes it of the names that are there."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import runtime.tf as tf

PAGE = """\
# runtime.tf

TensorFlow's spelling, `import runtime.tf as tf`: all names that there are. [Coming from
TensorFlow](../coming-from-tensorflow.md) says what they mean, and where that differs from
`rt.function`. A name that is not here raises AttributeError, which says the nearest one that is.
An argument `name=` is taken everywhere, and left out below; so are the names of `tf.math` and
others that stand in `tf` itself.
"""
#: what has a text of its own on the page, by where it stands
SHOWN = (
    "functions.function",
    "tape.GradientTape",
    "variables.Variable",
    "tensor_array.TensorArray",
    "data.Dataset",
)
#: modules beside those that `runtime.tf` itself names
INNER = "compat.v1 " + " ".join(
    f"keras.{name}" for name in ("layers", "activations", "callbacks", "models", "datasets", "utils")
)


def page() -> str:
    """Its text."""
    shown = "".join(f"\n::: runtime.tf.{place}\n    options: {{heading_level: 3}}\n" for place in SHOWN)
    parts = [PAGE, "\n## Functions, tapes, variables, data sets\n", shown, table("tf", tf)]
    for name in sorted([*tf._MODULES, *INNER.split()]):
        found: Any = tf
        for step in name.split("."):
            found = getattr(found, step, None)
        if isinstance(found, ModuleType):
            parts.append(table(f"tf.{name}", found))
    return "".join(parts)


def table(name: str, module: ModuleType) -> str:
    """The rows of one module; nothing for one that has none."""
    rows = "".join(f"| `{spelled}` | {said} |\n" for spelled, said in rows_of(module))
    return f"\n## {name}\n\n| name | what it is |\n|---|---|\n{rows}" if rows else ""


def rows_of(module: ModuleType) -> Iterator[tuple[str, str]]:
    """What a user calls, with its arguments, and the first line that it says of itself."""
    for name in dir(module):
        found = getattr(module, name)
        home = getattr(found, "__module__", None) or ""
        is_own = home.startswith("runtime.tf") if module is tf else home == module.__name__
        if name.startswith("_") or name.endswith("_") or not callable(found) or not is_own:
            continue
        if module is not tf and vars(tf).get(name) is found:
            continue  # it is in the first table
        said = (inspect.getdoc(found) or "").partition("\n")[0]
        if isinstance(found, type) and vars(found).get("__doc__") is None:
            said = ""  # that of a class it is derived from
        yield f"{name}{arguments(found)}", said.replace("|", "\\|").replace("<", "&lt;")


def arguments(found: Any) -> str:
    """They are as a call writes them."""
    try:
        signature = inspect.signature(found)
    except ValueError:
        return "(...)"
    taken = [one.replace(annotation=one.empty) for one in signature.parameters.values() if one.name != "name"]
    written = str(signature.replace(parameters=taken, return_annotation=signature.empty))
    return re.sub(r"<class 'numpy.(\w+)'>", r"tf.\1", written).replace("|", "\\|")
