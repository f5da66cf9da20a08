"""TensorFlow's spelling: `import runtime.tf as tf`.

>>> import runtime.tf as tf
>>> @tf.function
... def collatz(n):
...     steps = 0
...     while n > 1:
...         n = n // 2 if n % 2 == 0 else 3 * n + 1
...         steps += 1
...     return steps
>>> collatz(tf.constant(27)).numpy()
np.int32(111)

The meaning is TensorFlow's: tensors do not change, Python side effects happen while tracing, a
Python number as an argument is part of the signature. docs/coming-from-tensorflow.md says where
that differs from `rt.function`.
"""

from __future__ import annotations

import difflib
from typing import Any

from autograph.loading import later, loaded

later(__name__, "exported")

#: module -> the names that are found in it
_HOMES: dict[str, str] = {
    "math": """exp sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh sqrt square negative
        abs sign floor round add subtract multiply divide maximum minimum greater greater_equal less
        less_equal logical_and logical_or logical_not pow truediv not_equal sigmoid reduce_sum
        reduce_prod reduce_max reduce_min reduce_any reduce_all reduce_mean reduce_logsumexp argmax
        argmin cumsum constant convert_to_tensor zeros ones fill zeros_like ones_like eye range
        linspace reshape broadcast_to transpose expand_dims squeeze concat stack unstack split tile
        repeat pad reverse roll gather boolean_mask where one_hot shape size rank sort argsort
        clip_by_value clip_by_norm clip_by_global_norm ensure_shape tensordot einsum norm
        searchsorted meshgrid identity add_n is_tensor""",
    "traces": "init_scope",
    "tensors": "Tensor",
    "variables": "Variable Module",
    "functions": "function TensorSpec",
    "tape": "GradientTape UnconnectedGradients custom_gradient stop_gradient",
    "dtypes": """TensorShape DType int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 half float32
        float64 double complex64 complex128 as_dtype""",
    "debugging": "print Assert",
    "control_flow": "cond case switch_case while_loop map_fn vectorized_map foldl foldr scan",
    "scattering": """gather_nd scatter_nd tensor_scatter_nd_add tensor_scatter_nd_sub
        tensor_scatter_nd_update unique unique_with_counts""",
    "tensor_array": "TensorArray",
    "devices": "device executing_eagerly control_dependencies name_scope",
    "graph_view": "Operation",
    "ragged": "RaggedTensor",
    "graphs": "Graph",
}
#: names that stand under another one in their module
_RENAMED = {
    "bool": ("dtypes", "bool_"),
    "equal": ("math", "equal_"),
    "cast": ("math", "cast_"),
    "matmul": ("math", "matmul_"),
    "slice": ("math", "slice_"),
    "random_normal_initializer": ("keras.initializers", "RandomNormal"),
    "random_uniform_initializer": ("keras.initializers", "RandomUniform"),
    "zeros_initializer": ("keras.initializers", "Zeros"),
    "ones_initializer": ("keras.initializers", "Ones"),
    "constant_initializer": ("keras.initializers", "Constant"),
}
#: names that are modules themselves
_MODULES = {
    *("compat", "train", "math", "nn", "linalg", "random", "debugging", "errors", "dtypes", "config"),
    *("summary", "saved_model", "graph_util", "io", "bitwise", "test", "ragged"),
    *("autograph", "data", "keras", "losses", "optimizers", "metrics", "initializers"),
}
_IN_KERAS = {"losses", "optimizers", "metrics", "initializers"}
_OF_NAME = {name: (module, name) for module, names in _HOMES.items() for name in names.split()} | _RENAMED

#: what is not here, and what to do
_INSTEAD = {
    "sparse": "sparse tensors are not supported: use dense ones",
    "SparseTensor": "sparse tensors are not supported: use dense ones",
    "distribute": "distribution strategies are not supported: there is one device, /device:CPU:0",
    "string": "tensors of strings are not supported: keep strings in Python",
    "strings": "tensors of strings are not supported: keep strings in Python",
    "py_function": "call the Python function outside the tf.function, and pass its result",
    "image": "read and change pictures with NumPy, outside",
    "signal": "call np.fft outside the tf.function",
    "Session": "there are no sessions: call the tf.function",
    "placeholder": "what is fed is an argument of a tf.function",
    "contrib": "it is no part of TensorFlow 2",
    "nest": "optree.tree_map, of the package optree, goes through structures",
    "estimator": "use tf.keras",
    "feature_column": "use tf.keras",
    "numpy_function": "call the Python function outside the tf.function, and pass its result",
}

newaxis = None
__version__ = "2.21.0"


def __getattr__(name: str) -> Any:
    if name in _OF_NAME:
        module, attribute = _OF_NAME[name]
        found = getattr(loaded(f"runtime.tf.{module}"), attribute)
    elif name in _MODULES:
        home = f"keras.{name}" if name in _IN_KERAS else name
        found = loaded(f"runtime.tf.{home}")
    else:
        raise AttributeError(_unknown(name), name=name)
    globals()[name] = found
    return found


def _unknown(name: str) -> str:
    if name in _INSTEAD:
        return f"tf.{name}: {_INSTEAD[name]}"
    nearest = difflib.get_close_matches(name, __dir__(), 1, 0.8)
    hint = f"; the nearest name that there is: tf.{nearest[0]}" if nearest else ""
    return f"runtime.tf has no {name!r}{hint}"


def __dir__() -> list[str]:
    return sorted({*_OF_NAME, *_MODULES, "newaxis"})
