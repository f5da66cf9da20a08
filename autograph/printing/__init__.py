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
"""

from autograph.printing.layout import module_text as module_text
from autograph.printing.layout import part_text as part_text
