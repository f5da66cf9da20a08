"""Every operation, defined once, by family. ``REGISTRY`` maps names to definitions.

>>> sorted(name for name in REGISTRY if name.startswith("py.f"))
['py.float', 'py.floordiv']
"""

from runtime.ops import (
    along_axis,
    buffers,
    calling,
    companions,
    comparison,
    container_arrays,
    containers,
    control_flow,
    conversion,
    creation,
    differentiation,
    effects,
    elementwise,
    flat,
    indexing,
    items,
    joining,
    linalg,
    memory,
    objects,
    patches,
    products,
    python_comparison,
    python_complex_math,
    python_conversion,
    python_math,
    python_numbers,
    ranges,
    recurrence,
    reduction,
    scalars,
    shadows,
    shape,
    shapes_like,
    sorting,
    stacks,
    strings,
    trying,
)
from runtime.ops.definition import REGISTRY as REGISTRY
from runtime.ops.definition import Dynamic as Dynamic
from runtime.ops.definition import Effects as Effects
from runtime.ops.definition import OpDef as OpDef
from runtime.ops.definition import op as op
from runtime.ops.library_rules import arrays as arrays
from runtime.ops.library_rules import calculus as calculus
from runtime.ops.library_rules import fft as fft
from runtime.ops.library_rules import linalg as library_linalg  # noqa: F401
from runtime.ops.library_rules import signal as signal
from runtime.ops.library_rules import special as special
from runtime.ops.library_rules import statistics as statistics
from runtime.ops.template import Hole as Hole
from runtime.ops.template import Make as Make
from runtime.ops.template import Template as Template

#: the modules that define operations, in the order of their families
FAMILIES = (
    python_numbers,
    python_comparison,
    python_conversion,
    python_math,
    python_complex_math,
    ranges,
    conversion,
    elementwise,
    scalars,
    comparison,
    recurrence,
    reduction,
    strings,
    trying,
    indexing,
    shape,
    shapes_like,
    joining,
    creation,
    items,
    linalg,
    products,
    patches,
    sorting,
    along_axis,
    memory,
    flat,
    effects,
    objects,
    containers,
    container_arrays,
    control_flow,
    calling,
    stacks,
    buffers,
    shadows,
    differentiation,
    companions,
)
