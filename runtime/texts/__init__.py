"""Text of what a trace knows: `str`, `repr`, `ascii`, `format`, `%`, `str.join` and f-strings.

* Of anything that holds staged values it is an operation (`texts.py`; formats by `%`:
  `percent_texts.py`, by `str.format`: `format_strings.py`). The `repr` of a staged value that
  Python's own code asks for in the name of the program is refused.
* An own `__str__` that changes something is a call; any other one is left to the run
  (`own_texts.py`).
"""

from autograph.loading import later

later(__name__, "own_texts", "percent_texts", "texts")
