"""Graphs and numbers for TensorBoard: GraphDef protocol buffers, and files of events."""
