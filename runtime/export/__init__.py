"""Graphs in the formats of other runtimes.

* **ONNX**. `onnx_table.py` has a rule for each operation (the longer
  ones stand in `onnx_arrays.py`, `onnx_shapes.py` and so on); `onnx_graph.py` the blocks:
  `If`, `Loop`; `onnx_writes.py` the writes, each a new version of the array that its holder's
  name stands for from then on; `onnx_model.py` the inputs and outputs. Regions are open in ONNX
  as they are here. The package is loaded on the first export.
* **TensorBoard** shows files of events (`events.py`). `runtime/formats/graph_def.py` makes a
  GraphDef, a protocol buffer, of a graph and `read_graph_def.py` the graph again; blocks, which are
  open, are closed there: functions of the library, to which the values of blocks around are handed.
  TensorBoard shows these beside the graph. What reads or writes protocol buffers is imported where
  it is used, behind `autograph/optional_packages.py`, which says how to install the package.
"""
