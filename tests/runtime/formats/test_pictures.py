"""Pictures are well-formed, complete, and need nothing from outside."""

import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.formats.dot import to_dot
from runtime.formats.layout import Box, place
from runtime.formats.parse import parse
from runtime.formats.shown import ShownGraph
from runtime.formats.svg import to_svg
from tests.runtime.graph.random_graphs import make_graph

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


@settings(max_examples=30)
@given(st.integers(0, 2**32))
def test_svg_is_well_formed_xml(seed):
    root = ElementTree.fromstring(to_svg(make_graph(seed)))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"


def test_svg_shows_operations_blocks_and_lines():
    picture = to_svg(GRAPH)
    for words in ["multiply(x, 2.0)", "negative(x)", ">then<", ">else<", "return y", "relu.py:4 in relu"]:
        assert words in picture
    assert "&lt;s&gt; &amp;" in picture


def test_notebooks_show_a_picture():
    assert ShownGraph.of(GRAPH)._repr_svg_() == to_svg(GRAPH)


def test_dot_nests_clusters_and_quotes():
    text = to_dot(GRAPH)
    assert text.count("subgraph") == 3
    assert text.count("{") == text.count("}")
    assert 'tooltip="relu.py:4"' in text


@pytest.mark.parametrize("count", [0, 1, 7])
def test_boxes_of_a_layer_do_not_overlap(count):
    boxes = [Box(50, 20), *[Box(30 + 7 * k, 20) for k in range(count)]]
    place(boxes, [(0, k) for k in range(1, count + 1)])
    row = sorted(boxes[1:], key=lambda box: box.x)
    assert all(left.x + left.width < right.x for left, right in zip(row, row[1:]))
    assert all(box.y > boxes[0].y for box in row)
