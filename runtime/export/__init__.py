"""Graphs in the formats of other runtimes.

* **ONNX** (`export/`). `onnx_table.py` has a rule for each operation (the longer
  ones stand in `onnx_reductions.py`, `onnx_shapes.py` and so on); `onnx_graph.py` the blocks:
  `If`, `Loop`; `onnx_writes.py` the writes, each a new version of the array that its holder's
  name stands for from then on; `onnx_model.py` the inputs and outputs. Regions are open in ONNX
  as they are here. The package is loaded on the first export.
"""
