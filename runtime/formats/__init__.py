"""How a graph is drawn, and read back: DOT, GraphDef; its text, which it writes itself.

* `parse.py` reads the text that `runtime/graph/text.py` writes.
* `dot.py` is for Graphviz; `pictures.py` has the colours.
* `graph_def.py` makes a GraphDef, the protocol buffer of TensorBoard; `pictures.py` says what
  its nodes are called, where the stage of TensorFlow's spelling gives names of its own.
* `shown.py` is the class of the graphs that users see.
"""
