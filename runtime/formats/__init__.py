"""How a graph is shown, written and read: text, DOT, SVG, HTML."""
