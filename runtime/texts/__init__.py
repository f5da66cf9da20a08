"""Text of what a trace knows: `str`, `repr`, `ascii`, `format`, `%`, `str.join` and f-strings.

* Of anything that holds staged values it is an operation (`texts.py`; formats by `str.format`,
  too). The `repr` of a staged value that Python's own code asks for in the name of the program is
  refused.
* What the user's own `__str__` and their like say is left to the run; one that changes something
  is refused (`own_texts.py`).
"""

from autograph.loading import later

later(__name__, "own_texts", "texts")
