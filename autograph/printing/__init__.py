"""A converted tree -> text, in which all that conversion left alone stands as the user wrote it.

>>> import ast, gast
>>> from autograph.passes import convert_tree
>>> text = '''LIMIT = 0x10  # sixteen
... def f(x):
...     # not too large
...     y = not x > LIMIT  # nor equal
...     return  y
... '''
>>> print(module_text(convert_tree(gast.parse(text)), ast.parse(text), text), end="")
LIMIT = 0x10  # sixteen
def f(x):
    # not too large
    y = ag__.not_(x > LIMIT)  # nor equal
    return  y

* **Text** (`printing/`): `autograph convert` lays a converted module out beside its original. A
  node is unchanged when the same structure stands at the same place in the original
  (`fingerprints.py`); such statements and expressions are emitted as the user's text, others by
  `ast.unparse`. A statement that became several (`carriers.py`) hands the comments above it to
  the first, the one behind it to the last. What is printed is parsed again and compared with
  its tree; what differs is printed plainly.
"""

from autograph.printing.layout import module_text as module_text
from autograph.printing.layout import part_text as part_text
