"""What operators, builtins, methods and itertools do with containers and iterators in a trace.

* **Reads, operators, methods** of lists, dicts, sets, deques and tuples: `watching.py`,
  `container_calls.py`, `membership.py` (`in`), `stars.py` (`*items`, displays). Loops over those
  of a run: `container_loops.py`.
* **Folds and sorts**: `sum`, `min`, `max`, `any`, `all`, `sorted` (`folds.py`,
  `iterables/comprehensions.py`).
* **Iterators**: `iter`, `next`, `map`, `filter` (`iterator_calls.py`), itertools
  (`itertools_calls.py`; `streams.py` has those that are generators).
"""

from autograph.loading import later

later(__name__, "container_loops", "membership", "stars", "watching")
