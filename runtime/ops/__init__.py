"""Every operation, defined once, by family. ``REGISTRY`` maps names to definitions.

>>> sorted(name for name in REGISTRY if name.startswith("py.f"))
['py.float', 'py.floordiv']

`runtime/tracer/builder.py: emit(name, inputs, **attributes)` is the only way to add an
operation while tracing.

* NumPy operations bear NumPy's names and work on arrays, NumPy scalars and weak Python numbers:
  `add`, `multiply`, `true_divide`, `less`, `where`, `sum`, `matmul`, `reshape`, `concatenate`.
  Result of rank 0 is a ScalarType, as NumPy has it.
* Operations whose operands are all Python numbers have Python's meaning and are named `py.add`,
  `py.floordiv`, `py.mod`, `py.pow`, `py.lt`, `py.not`, ... (results are NumberTypes; int
  overflow raises OverflowError, `py.floordiv` by zero ZeroDivisionError).
* `constant {value}`; `cast {to: Type}` (a conversion that joins need: int -> float, f32 -> f64,
  Python number -> 0-d scalar; of an array it makes a copy); `py.int`, `py.float`, `py.bool` are
  Python's conversions (of NumPy values too, as `int(x)` does).
* Indexing: `getitem(x, *dynamic) {index}` and `setitem(x, value, *dynamic) {index}`. `index` is
  a tuple of int, slice, None, Ellipsis and `Dynamic(k)` (also inside slices), where
  `Dynamic(k)` stands for the k-th dynamic input (a staged int, scalar or index array). Basic
  indexing with a slice is a view (`view_of=0`); full integer indexing gives a ScalarType; index
  arrays and masks give fresh arrays.
* In-place: `inplace(x, y) {ufunc: "add"}` writes input 0 and has no output; `copyto(dst, src)`.
* `dim(x) {axis}` -> int, the length of a dimension that is not known statically.
* Effects: `print(*values) {template}`, `assert(test, *values) {template}`, `raise(*values)
  {exception, template}`, `format(*values) {template}` -> str, `store_attr(object, *values)
  {name, template}`, `store_item(container, *values) {key, template}`. A
  `Template` (runtime/ops/template.py) is a Python structure with `Hole(k)` for
  the k-th value, to be filled at run time.
"""

from autograph.loading import later

later(__name__, "attribute_places", "buffers", "companions", "containers")
later(__name__, "expressions", "indexing", "objects", "promotion", "stacks", "strings", "threads")

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
    "python_numbers",
    "conversion",
    "effects",
    "elementwise",
    "where",
    "reduction",
    "indexing",
    "memory",
    "shape",
    "creation",
    "containers",
    "objects",
    "python_math",
    "strings",
    "products",
    "joining",
    "sorting",
    "along_axis",
    "reduction_rules",
    "linalg",
    "stacks",
    "buffers",
    "shadows",
    "convolution",
    "differentiation",
    "companions",
    "draws",
)
REGISTRY.await_families(f"{__name__}.{module}" for module in FAMILIES)
