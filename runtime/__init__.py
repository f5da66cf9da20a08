"""Arrays, graphs and engines: ``@runtime.function`` makes ordinary Python over arrays fast.

>>> import numpy as np
>>> import runtime as rt
>>> @rt.function
... def relu(x):
...     if x.sum() > 0:
...         return x
...     return 0 * x
>>> relu(np.array([1.0, 2.0]))
array([1., 2.])
"""

from runtime.eager import run_functions_eagerly as run_functions_eagerly
from runtime.function import ConcreteFunction as ConcreteFunction
from runtime.function import Function as Function
from runtime.function import function as function
from runtime.functional import cond as cond
from runtime.functional import while_loop as while_loop
from runtime.signature import TensorSpec as TensorSpec
from runtime.tensor import Tensor as Tensor
from runtime.tensor import constant as constant
