"""Every operation, defined once, by family. ``REGISTRY`` maps names to definitions.

>>> sorted(name for name in REGISTRY if name.startswith("py.f"))
['py.float', 'py.floordiv']
"""

from autograph.loading import later

later(__name__, "companions")

from runtime.ops.definition import REGISTRY as REGISTRY
from runtime.ops.definition import Dynamic as Dynamic
from runtime.ops.definition import Effects as Effects
from runtime.ops.definition import OpDef as OpDef
from runtime.ops.definition import op as op
from runtime.ops.template import Hole as Hole
from runtime.ops.template import Make as Make
from runtime.ops.template import Template as Template

#: The modules that define operations. Until one defines the name that is asked for, they are loaded in
#: this order: what most programs need comes first.
FAMILIES = (
    "control_flow",
    "calling",
    "python_numbers",
    "python_comparison",
    "ranges",
    "conversion",
    "python_conversion",
    "effects",
    "elementwise",
    "comparison",
    "scalars",
    "reduction",
    "indexing",
    "memory",
    "shape",
    "creation",
    "items",
    "containers",
    "container_arrays",
    "objects",
    "python_math",
    "strings",
    "trying",
    "products",
    "joining",
    "sorting",
    "along_axis",
    "shapes_like",
    "recurrence",
    "flat",
    "linalg",
    "python_complex_math",
    "stacks",
    "buffers",
    "shadows",
    "patches",
    "differentiation",
    "companions",
)
REGISTRY.await_families(f"{__name__}.{module}" for module in FAMILIES)
