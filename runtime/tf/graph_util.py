"""`tf.graph_util`: a graph from a GraphDef that `as_graph_def` has made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from autograph.optional_packages import needing
from runtime.graph import Value
from runtime.graph.functions import rename
from runtime.tf import debugging as debugging  # functions that a graph may call
from runtime.tf import random as random
from runtime.tf.graphs import default_graph
from runtime.tf.names import function_of, refusing
from runtime.tf.tensors import SymbolicTensor, convert, value_in
from runtime.tf.traces import function_name

if TYPE_CHECKING:
    from tensorboard.compat.proto.graph_pb2 import GraphDef as GraphDef


def import_graph_def(
    graph_def: Any,
    input_map: Mapping[str, Any] | None = None,
    return_elements: Sequence[str] | None = None,
    name: str | None = None,
) -> list[Any] | None:
    """Add the operations of a GraphDef to the default graph, with ``name`` ("import") before their names.

    input_map: tensors of the default graph that take the place of some of the GraphDef's, by their names.
    return_elements: the names of the tensors (`y:0`) and operations (`y`) that are wanted as a list.
    """
    with needing("tensorboard", "tf.graph_util.import_graph_def"):
        from runtime.export.read_graph_def import read_graph_def
    trace = default_graph()._trace
    given: dict[str, Value] = {
        key.removesuffix(":0"): value_in(trace, convert(tensor)) for key, tensor in (input_map or {}).items()
    }
    for node in graph_def.node:  # the counter of random numbers is that of this process
        if (node.name, node.op) == ("random_state", "Placeholder"):
            given.setdefault(node.name, trace.read(random._state))
    read = read_graph_def(graph_def, function_of, given)
    rename(read.graph, function_name)
    trace.functions |= read.graph.functions
    prefix = "import/" if name is None else name and name.rstrip("/") + "/"
    trace.body.params += read.graph.params
    for op in read.graph.body.operations:
        trace.block.append(op)
    for key, value in read.named.items():
        if key not in given and ":" not in key:
            trace.names[value] = prefix + key
    if return_elements is None:
        return None
    found: list[Any] = []
    for wanted in return_elements:
        key = wanted.removesuffix(":0")
        if key not in read.named and key not in read.operations:
            raise ValueError(f"Requested return_element {wanted!r} not found in graph_def.")
        by_tensor = ":" in wanted
        found.append(SymbolicTensor(read.named[key], trace) if by_tensor else read.operations[key])
    return found


def __getattr__(name: str) -> Any:
    if name != "GraphDef":
        return _missing(name)
    with needing("tensorboard", "GraphDef"):
        from tensorboard.compat.proto.graph_pb2 import GraphDef
    return GraphDef


_missing = refusing(__name__, "tf.graph_util")
