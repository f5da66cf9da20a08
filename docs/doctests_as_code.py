"""On the reference pages: doctests in docstrings are blocks of code, which Markdown takes for quotations."""

from __future__ import annotations

import re
from typing import Any

import griffe

#: a prompt, and all lines after it up to an empty one
_DOCTEST = re.compile(r"^>>> .*(?:\n(?!\s*$).+)*", re.MULTILINE)


class DoctestsAsCode(griffe.Extension):
    """Found by mkdocstrings: see mkdocs.yml."""

    def on_instance(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if obj.docstring:
            obj.docstring.value = _DOCTEST.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)
