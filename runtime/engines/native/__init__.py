"""The native engine: a graph becomes one machine-code function.

    graph -> loop-nest form (loops.py, lower.py) -> LLVM (codegen.py and its neighbours) -> code (jit.py)

``compile(graph)`` gives an ``Executable``; every operation that has no machine code is a call of its NumPy
kernel from inside the compiled function. LLVM is loaded when the first function compiles
whose code is not on disk.

* **native** (`engines/native/`) makes one LLVM function of a graph. Numbers and scalars live in
  registers, arrays are references to real ndarrays with their pointer, lengths and strides
  loaded once. Elementwise operations and reductions are planned as loop nests (fusion happens
  there, and prints: `executable.loops`), control flow is branches and phis. An operation with
  no lowering is a call of its NumPy kernel from inside the machine code; `executable.fallbacks`
  names them. What goes wrong (a bad index, overflow, a division by zero) calls the kernel too,
  so that both engines raise the same exception with the same text.
* **machine code on disk** (`disk.py`, `elf.py`): the text that LLVM gets is the whole program and names no
  address, so that its digest finds the object code that another process has made of it. Each process traces
  anew, which is what makes the text right, and links the code to its own objects without LLVM.
* **long programs in parts** (`engines/native/parts.py`): each loop becomes a function of its own, two
  with the same text one; what is straight runs once a call, and is not optimised where there is much
  of it. So compiling takes time in proportion to the program's length.
* **The shape of another** (`sum_like`, `broadcast_like`, in which rules of derivatives end) is part
  of a loop, which wants equal lengths; where a run finds others, the kernels do the work.
* **Functions of a graph**: on numpy a list of steps of their own, with fresh registers for each
  call; on native an internal LLVM function that takes and returns registers
  (`engines/native/functions.py`). Calls may be as deep as `sys.getrecursionlimit()`, where a
  call inside a graph counts one; then RecursionError, as in Python. The interpreter, which
  takes several Python frames for one call, raises Python's limit while it runs
  (`engines/depth.py`); machine code also stops before the end of the C stack. Calls that were
  traced into others do not count, so that a recursion through two functions may go deeper than
  in Python, never less deep.
* **convolutions in machine code** (`engines/native/convolution.py`): functions for any number of
  images, rows and columns, compiled at the first convolution of a dtype and called in place of the
  NumPy kernels. Several threads (`ops/threads.py`) take the images of a large one; the
  parts, and the order of their sums, hang on the shapes alone.
* **several threads**: what is written for the iterations of a large nest, or of a loop over `rt.prange`
  that `graph/parallel_loops.py` has checked, becomes a function of a block of iterations (`regions.py`,
  `regions.py`). Threads of Python's (`ops/threads.py`) take blocks in their order; what is a block
  hangs on the number of iterations alone. Each may take the GIL, for what is seldom and for errors.
* **inner loops** leave machine code for nothing that is often written in them. Products of vectors
  (`dots.py`, with NumPy's own bits), items at places and under masks (`gathers.py`), complex
  numbers as pairs of registers (`complex_elements.py`) are members of nests: their errors, aliases
  and layouts are conditions of the nest, and where one fails NumPy's kernels run. Draws of
  generators (`draws.py`) call the C functions behind NumPy's. Other products call NumPy's loop of
  `matmul` by pointer; what many modules call is compiled once a process (`shared.py`). Each way that
  leaves machine code keeps a tally (`slow_path.py`), which `explain()` shows.
* **complex numbers of Python's own** (`engines/native/complexes.py`) are such pairs, too. A quotient,
  power or size that is not finite calls the kernel, which knows what Python raises.
* **lists, dicts, texts and objects in machine code** (`engines/native/objects/`): real objects of
  Python, read and changed where they keep what they hold.
* **buffers in machine code** (`ops/buffers.py`, `engines/native/buffers.py`): a list of numbers
  of one type that is seen by nobody else, by its one name, is memory of 8 bytes an item that
  doubles when it is full, as the stacks of gradients are. The interpreter keeps the list. Lists
  of such lists hold buffers, which are memory from outside to whom asks about aliases. A
  list of arrays is kept by machine code, too: to the graph it is a buffer of copies where
  nobody writes into the arrays after they were put in (`graph/array_contents.py`), so that
  references do.
"""

from autograph.loading import later

later(__name__, "accumulators", "buffers", "codegen", "complexes", "convolution", "creation")
later(__name__, "functions", "inner_axis", "items", "jit", "joining", "llvm", "lower", "nest_plan", "nests")
later(__name__, "complex_elements", "dots", "draws", "gathers", "histograms", "parts")
later(__name__, "products", "regions", "shared", "stacks", "tries", "views")

from runtime.engines.native.executable import Executable as Executable
from runtime.engines.native.executable import compile as compile
from runtime.engines.native.executable import supports as supports
from runtime.engines.native.executable import unsupported as unsupported
