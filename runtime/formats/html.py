"""A graph as HTML: its text in colour with control flow that folds, and its picture.

``to_html`` is one page that needs nothing else; ``to_fragment`` is what a notebook shows.

>>> from runtime.formats.parse import parse
>>> page = to_html(parse('''
... graph double(x: float) -> float:
...     y: float = py.mul(x, 2.0)
...     return y
... '''))
>>> page.startswith("<!DOCTYPE html>"), "<details" in page, "http-equiv" in page
(True, True, False)
"""

from __future__ import annotations

import re
from html import escape

from runtime.formats.svg import to_svg
from runtime.graph import Graph, Location
from runtime.graph.text import INDENT, Writer

#: with more operations than this a notebook gets the text unfolded and the picture folded
LARGE = 60


def to_html(graph: Graph) -> str:
    """A complete page."""
    title = escape(f"graph {graph.name}")
    home = graph.writer().home
    source = f"<p class='home'>{escape(home[0])}</p>" if home else ""
    return (
        "<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
        f"<title>{title}</title>\n<style>{PAGE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{title}</h1>\n{source}\n{to_fragment(graph, page=True)}</main>\n</body>\n</html>\n"
    )


def to_fragment(graph: Graph, page: bool = False) -> str:
    """A ``<div>`` with its own style: the picture, and the text that folds."""
    operations = sum(1 for part in graph.whole() for _ in part.operations())
    picture_open = " open" if page or operations <= LARGE else ""
    text_open = " open" if page or operations > LARGE else ""
    return (
        f"<div class='rt-graph'><style>{STYLE}</style>\n"
        f"<details{text_open}><summary class='part'>text</summary>\n"
        f"<div class='listing'>{listing(graph)}</div></details>\n"
        f"<details{picture_open}><summary class='part'>picture</summary>\n"
        f"<div class='picture'>{to_svg(graph)}</div></details>\n</div>\n"
    )


def listing(graph: Graph) -> str:
    """The lines of the text form; what is indented under a line folds away with it."""
    writer = graph.writer()
    writer.text()
    lines = [(_depth(text), text.strip(), location) for text, location in writer.lines]
    out: list[str] = []
    _fold(lines, 0, lines[0][0], out, writer)
    return "\n".join(out)


def _depth(text: str) -> int:
    return (len(text) - len(text.lstrip(" "))) // len(INDENT)


def _fold(
    lines: list[tuple[int, str, Location | None]], start: int, depth: int, out: list[str], writer: Writer
) -> int:
    """Write the lines from ``start`` that are at ``depth`` or deeper; returns where they end."""
    k = start
    while k < len(lines) and lines[k][0] >= depth:
        _, text, location = lines[k]
        line = _line(text, location, writer)
        if k + 1 < len(lines) and lines[k + 1][0] > depth:
            out.append(f"<details open><summary>{line}</summary><div class='in'>")
            k = _fold(lines, k + 1, depth + 1, out, writer)
            out.append("</div></details>")
        else:
            out.append(f"<div class='line'>{line}</div>")
            k += 1
    return k


def _line(text: str, location: Location | None, writer: Writer) -> str:
    if location is None:
        return f"<code>{highlighted(text)}</code>"
    place = escape(f"{location} in {location.function}", quote=True)
    return (
        f"<code title='{place}'>{highlighted(text)}</code><small># {escape(writer.comment(location))}</small>"
    )


_WORDS = re.compile(
    r"""(?P<string>b?'(?:[^'\\]|\\.)*'|b?"(?:[^"\\]|\\.)*")
      | (?P<keyword>\b(?:graph|function|if|else|while|for|in|range|with|test|body|block|yield|return|never)\b
                    (?![.=\w]))
      | (?P<type>(?<=:[ ])[A-Za-z]\w*(?:\[[^\]]*\])?(?=[ ,)=]|$)|(?<=->[ ])[^:]+)
      | (?P<op>(?:@|\b)[A-Za-z_][\w.]*(?=\())
      | (?P<number>(?<![\w.])-?\d[\w.]*(?:e-\d+)?|\b(?:True|False|None|nan|inf)\b)""",
    re.VERBOSE,
)


def highlighted(text: str) -> str:
    """Escaped text with its words in spans.

    >>> highlighted("y: int = py.add(x, 1)")
    "y: <i class='type'>int</i> = <i class='op'>py.add</i>(x, <i class='number'>1</i>)"
    """
    pieces, end = [], 0
    for match in _WORDS.finditer(text):
        pieces.append(escape(text[end : match.start()], quote=False))
        pieces.append(f"<i class='{match.lastgroup}'>{escape(match.group(), quote=False)}</i>")
        end = match.end()
    return "".join(pieces) + escape(text[end:], quote=False)


STYLE = """
.rt-graph { font: 13px/1.55 ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
  color: #1f2733; background: #fff; border: 1px solid #d5dae3; border-radius: 6px; overflow: hidden; }
.rt-graph .part { background: #f5f6f9; color: #5b6577; padding: 3px 12px; cursor: pointer;
  font-size: 11px; border-bottom: 1px solid #e4e8ef; }
.rt-graph .listing { padding: 10px 14px; overflow-x: auto; white-space: nowrap; }
.rt-graph .listing code { font: inherit; background: none; color: inherit; padding: 0; border: 0; }
.rt-graph .listing summary { cursor: pointer; list-style: none; margin-left: -12px; }
.rt-graph .listing summary::-webkit-details-marker { display: none; }
.rt-graph .listing summary::before { content: '\\25be'; color: #9aa4b5; display: inline-block; width: 12px; }
.rt-graph .listing details:not([open]) > summary::before { content: '\\25b8'; }
.rt-graph .listing details:not([open]) > summary code::after { content: ' \\2026'; color: #9aa4b5; }
.rt-graph .in { margin-left: 2px; padding-left: 26px; border-left: 1px solid #e4e8ef; }
.rt-graph .listing { padding-left: 26px; }
.rt-graph .line:hover, .rt-graph .listing summary:hover { background: #f4f8ff; }
.rt-graph small { color: #9aa4b5; margin-left: 28px; font-size: 11px; }
.rt-graph i { font-style: normal; }
.rt-graph .keyword { color: #8a3ffc; } .rt-graph .type { color: #7a8496; } .rt-graph .op { color: #0b5cad; }
.rt-graph .number { color: #b4540a; } .rt-graph .string { color: #2a7d3f; }
.rt-graph .picture { padding: 8px; overflow: auto; text-align: center; }
.rt-graph .picture svg { max-width: none; }
"""

PAGE = """
body { margin: 0; background: #f0f2f6; color: #1f2733; font-family: system-ui, sans-serif; }
main { max-width: 1200px; margin: 28px auto; padding: 0 16px; }
h1 { font-size: 20px; margin: 0 0 2px; } .home { color: #5b6577; margin: 0 0 14px; font-size: 13px; }
"""
