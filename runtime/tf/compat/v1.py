"""`tf.compat.v1`: the explicit style. All other names are those of `tf`."""

from __future__ import annotations

import importlib
from typing import Any

from runtime.tf import graph_util
from runtime.tf.compat import summary as summary
from runtime.tf.graph_util import import_graph_def as import_graph_def
from runtime.tf.graphs import Graph as Graph
from runtime.tf.graphs import Session as Session
from runtime.tf.graphs import constant_initializer as constant_initializer
from runtime.tf.graphs import default_graph as get_default_graph  # noqa: F401
from runtime.tf.graphs import get_variable as get_variable
from runtime.tf.graphs import global_variables as global_variables
from runtime.tf.graphs import global_variables_initializer as global_variables_initializer
from runtime.tf.graphs import glorot_uniform_initializer as glorot_uniform_initializer
from runtime.tf.graphs import ones_initializer as ones_initializer
from runtime.tf.graphs import placeholder as placeholder
from runtime.tf.graphs import random_normal_initializer as random_normal_initializer
from runtime.tf.graphs import random_uniform_initializer as random_uniform_initializer
from runtime.tf.graphs import variable_scope as variable_scope
from runtime.tf.graphs import zeros_initializer as zeros_initializer


def __getattr__(name: str) -> Any:
    if name == "GraphDef":  # it needs an extra, which the rest does not
        return graph_util.GraphDef
    return getattr(importlib.import_module("runtime.tf"), name)
