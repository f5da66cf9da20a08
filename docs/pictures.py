"""The pictures of docs/gallery.md: `make docs` draws them, from what the programs in examples/ compute.

It needs matplotlib and scikit-learn, which the extra `docs` brings.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from graph_boxes import graph_svg
from matplotlib.figure import Figure

import runtime as rt
from tests.guide.markdown import read_blocks

GALLERY = Path(__file__).with_name("gallery.md")

#: the examples that draw lines themselves: what their `main` gets for a quick build
PLOTTED: dict[str, dict[str, Any]] = {
    "fit_growth": {},
    "throw_ball": {},
    "sample_posterior": {},
    "train_network": {},
    "find_sphere": {"size": 12, "steps": 60},
    "average_rhythm": {},
}


def pictures() -> Iterator[tuple[str, bytes]]:
    """The name of each file, and what is in it."""
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "the same each time"})
    with contextlib.redirect_stdout(io.StringIO()):
        for name, graph in graphs().items():
            yield f"{name}.svg", graph_svg(graph).encode()
        draws: tuple[Callable[[Figure], None], ...] = (mandelbrot, life, kmeans, newton, collatz)
        for draw in draws:
            figure = Figure(figsize=(7, 3.2), layout="constrained")
            draw(figure)
            yield f"{draw.__name__}.svg", written(figure)
        for name, options in PLOTTED.items():
            yield f"{name}.svg", plotted(name, options)


def written(figure: Figure) -> bytes:
    """The figure as SVG."""
    file = io.BytesIO()
    figure.savefig(file, format="svg", metadata={"Date": None}, dpi=144)
    return file.getvalue()


def graphs() -> dict[str, Any]:
    """The function of the gallery's first block, and its gradient."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "gallery.py")
        path.write_text(read_blocks(GALLERY.read_text(encoding="utf-8"))[0].text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location("gallery", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        root = module.root.python_function
        return {
            "root": rt.function(root).get_concrete_function(2.0).graph,
            "gradient": rt.function(rt.grad(root)).get_concrete_function(2.0).optimized,
        }


def example(name: str) -> Any:
    """The module, which runs its decorated function only, without plain Python beside it."""
    module = importlib.import_module(name)
    module.beside_python = lambda function, *arguments, **_: function(*arguments)  # type: ignore[attr-defined]
    return module


def plotted(name: str, options: dict[str, Any]) -> bytes:
    """The plot that an example makes itself."""
    drawn: list[bytes] = []

    def show_plot(title: str, x: Any, lines: dict[str, Any], picture: str | None = None) -> None:
        figure = Figure(figsize=(7, 3.2), layout="constrained")
        axes = figure.add_subplot(title=title)
        for label, y in lines.items():
            axes.plot(x, y, label=label)
        axes.legend()
        drawn.append(written(figure))

    module = example(name)
    module.show_plot = show_plot
    module.main(**options)
    return drawn[0]


def mandelbrot(figure: Figure) -> None:
    """A picture whose points took so many steps."""
    real, imaginary = np.linspace(-2.2, 0.8, 240), np.linspace(1.2, -1.2, 110)
    times = example("mandelbrot").escape_times(real, imaginary, 500)
    figure.add_subplot().imshow(np.log1p(times), extent=(-2.2, 0.8, -1.2, 1.2), cmap="magma", aspect="auto")


def life(figure: Figure) -> None:
    """The soup, and what it settled to."""
    soup = (np.random.default_rng(1).random((60, 100)) < 0.35).astype(np.int64)
    board, generations = example("life").settle(soup, 20_000)
    for place, (title, shown) in enumerate(
        {"a soup": soup, f"{generations} generations later": board}.items()
    ):
        axes = figure.add_subplot(1, 2, place + 1, title=title, xticks=[], yticks=[])
        axes.imshow(shown, cmap="binary", interpolation="nearest")


def kmeans(figure: Figure) -> None:
    """The middle of each cluster of digits."""
    from sklearn.datasets import load_digits

    digits, _ = load_digits(return_X_y=True)
    start = digits[np.random.default_rng(4).choice(len(digits), 10, replace=False)]
    _, centers, _ = example("kmeans").kmeans(digits, start, 100)
    for place, center in enumerate(centers):
        axes = figure.add_subplot(2, 5, place + 1, xticks=[], yticks=[])
        axes.imshow(center.reshape(8, 8), cmap="binary")


def newton(figure: Figure) -> None:
    """Where the comet is, once a year."""
    module = example("newton")
    solution, _ = module.eccentric_anomaly(
        np.linspace(0.0, 2 * np.pi, 76, endpoint=False), module.ECCENTRICITY
    )
    axes = figure.add_subplot(title="Halley's comet, once a year")
    axes.plot(
        np.cos(solution) - module.ECCENTRICITY, np.sqrt(1 - module.ECCENTRICITY**2) * np.sin(solution), "."
    )
    axes.plot(0, 0, "o", color="orange", label="the sun")
    axes.legend()


def collatz(figure: Figure) -> None:
    """How long each chain is."""
    starts = np.arange(1, 5000)
    lengths, _ = example("collatz").chain_lengths(starts)
    axes = figure.add_subplot(xlabel="start", ylabel="numbers in the chain")
    axes.plot(starts, lengths, ",", rasterized=True)
