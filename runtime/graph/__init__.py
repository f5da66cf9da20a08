"""The graph and what is computed about it."""

from runtime.graph.core import Block as Block
from runtime.graph.core import Graph as Graph
from runtime.graph.core import Location as Location
from runtime.graph.core import Operation as Operation
from runtime.graph.core import Value as Value
from runtime.graph.core import walk as walk
