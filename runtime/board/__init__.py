"""Graphs and numbers for TensorBoard: files of events.

`runtime/formats/graph_def.py` makes a GraphDef of a graph; blocks, which are open, are closed
there: functions of the library, to which the values of blocks around are handed. What writes
protocol buffers is imported where it is used, behind `autograph/optional_packages.py`, which says
how to install the package.
"""
