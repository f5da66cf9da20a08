"""The native engine: a graph becomes one machine-code function.

    graph -> loop-nest form (loops.py, lower.py) -> LLVM (codegen.py and its neighbours) -> code (jit.py)

``compile(graph)`` gives an ``Executable``; every operation that has no machine code is a call of its NumPy
kernel from inside the compiled function. LLVM is loaded when the first function compiles.
"""

from autograph.loading import later

later(__name__, "buffers", "functions", "items", "lists")

from runtime.engines.native.executable import Executable as Executable
from runtime.engines.native.executable import compile as compile
from runtime.engines.native.executable import supports as supports
from runtime.engines.native.executable import unsupported as unsupported
