"""Lines over x as a picture: a PNG by matplotlib; as text where no file is asked for or that is missing."""

from collections.abc import Mapping
from typing import Any

import numpy as np

MARKS = "*o+x"


def show_plot(title: str, x: Any, lines: Mapping[str, Any], picture: str | None = None) -> None:
    """Save the lines in the file `picture`, or print them."""
    if picture is not None:
        try:
            from matplotlib.figure import Figure
        except ImportError:
            print("matplotlib, which the extra `examples` brings, is missing; the plot as text:")
        else:
            figure = Figure(figsize=(7, 4))
            axes = figure.add_subplot(title=title)
            for label, y in lines.items():
                axes.plot(x, y, label=label)
            axes.legend()
            figure.savefig(picture)
            print(f"{title}: see {picture}")
            return
    print(title)
    print(text_plot(x, lines))


def text_plot(x: Any, lines: Mapping[str, Any], width: int = 72, height: int = 16) -> str:
    """The lines as characters, and which is whose.

    >>> print(text_plot([0, 1, 2], {"y": [0, 1, 2]}, width=3, height=3))
      *
     *
    *
    * y, from 0 to 2
    """
    low = min(float(np.min(y)) for y in lines.values())
    high = max(float(np.max(y)) for y in lines.values())
    canvas = np.full((height, width), " ")
    columns = np.round(np.interp(x, (np.min(x), np.max(x)), (0, width - 1))).astype(int)
    for mark, y in zip(MARKS, lines.values(), strict=False):
        rows = np.round(np.interp(y, (low, high), (height - 1, 0))).astype(int)
        canvas[rows, columns] = mark
    names = ", ".join(f"{mark} {label}" for mark, label in zip(MARKS, lines, strict=False))
    drawn = "\n".join("".join(row).rstrip() for row in canvas)
    return f"{drawn}\n{names}, from {low:.4g} to {high:.4g}"
