"""A picture is complete."""

from runtime.formats.dot import to_dot
from runtime.formats.parse import parse

GRAPH = parse(
    """
# relu.py
graph relu(x: f64[None,3]) -> f64[None,3]:
    s: f64 = sum(x, axis=None)           # 2
    c: b1 = greater(s, 0.0)              # 3
    y: f64[None,3] = if c:               # 3
        a: f64[None,3] = multiply(x, 2.0)  # 4
        yield a
    else:
        b: f64[None,3] = negative(x)     # 6
        yield b
    print('<s> &', s)  # 7
    return y
"""
)


def test_dot_nests_clusters_and_quotes():
    text = to_dot(GRAPH)
    assert text.count("subgraph") == 3
    assert text.count("{") == text.count("}")
    assert 'tooltip="relu.py:4"' in text
