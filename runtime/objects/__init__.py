"""Objects, classes and modules in a trace: their attributes, and instances that it makes."""
