"""Objects, classes and modules in a trace: their attributes, and instances that it makes."""

from autograph.loading import later

later(__name__, "copies", "introspection")
