"""Where a value from outside is found, and what must still hold of it at each call: pure data.

* **Paths and guards** (`paths.py`). Everything that a trace reads from outside has a path (an
  argument, a global, a cell, then attributes and items). A plain value is a guard on its path.
  All guards of a trace are one generated Python expression.
* **Keys** (`keys.py`). No path leads to a key of a dict: a guard says which keys there are, as
  strictly as a program can tell them apart.
* **Constants** (`keys.py`). Objects of the standard library that never change (a Fraction,
  a date, a path) are part of the signature, or guarded, by what tells two of them apart; their
  classes are not watched, and their methods simply run, but for those that ask the world.
* What functions and classes say of themselves (`descriptions.py`), arrays of types that have no
  staged value (`runtime/messages.py`).
"""

from autograph.loading import later

later(__name__, "keys")
