"""A plugin (`python -m pytest -p tests.entered_at_once`): machine code takes the calls of each function from
its second entry on, where in a program it does so after some hundred calls.
"""

from runtime.functions import dispatch

dispatch.OFTEN = 1
