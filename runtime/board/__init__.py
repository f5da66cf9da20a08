"""Graphs and numbers for TensorBoard: GraphDef protocol buffers, and files of events.

`runtime/formats/graph_def.py` makes a GraphDef of a graph and `read_graph_def.py` the graph
again; blocks, which are open, are closed there: functions of the library, to which the values
of blocks around are handed. TensorBoard shows these beside the graph. What reads or writes
protocol buffers is imported where it is used, behind `autograph/optional_packages.py`, which
says how to install the package.
"""
