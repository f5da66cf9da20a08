"""The public names of both packages: loaded when first used, and shown by every tool that lists names."""

from __future__ import annotations

import inspect
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import pytest

import autograph
import runtime

ROOT = Path(__file__).parents[1]
PACKAGES = pytest.mark.parametrize("package", [autograph, runtime], ids=lambda package: package.__name__)


@pytest.mark.parametrize("name", {home: name for name, home in runtime._HOMES.items()}.values())
def test_a_name_of_each_module_may_be_the_first(name: str) -> None:
    done = subprocess.run([sys.executable, "-c", f"import runtime; runtime.{name}"], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


@PACKAGES
def test_the_lists_of_names_agree(package):
    """Those for type checkers, for loading, and for tools that do not run the file."""
    text = Path(package.__file__).read_text()
    imported = re.findall(r"^ *from \S+ import (\w+) as \1$", text, re.M)
    assert sorted({*imported, "__version__"}) == sorted(package.__all__) == sorted(set(package.__all__))
    assert package._HOMES.keys() <= set(package.__all__)


@PACKAGES
def test_help_and_completion_show_the_public_names_with_what_they_are(package):
    public = [name for name in dir(package) if not name.startswith("__")]
    assert sorted(public) == sorted(set(package.__all__) - {"__version__"})
    shown = pydoc.plain(pydoc.render_doc(package))
    for name in public:
        if inspect.ismodule(getattr(package, name)):
            assert re.search(rf"^    {name}$", shown, re.M)  # among the contents of the package
            continue
        first_line = inspect.cleandoc(getattr(package, name).__doc__).splitlines()[0]
        assert re.search(rf"^    (class )?{name}\(", shown, re.M) and first_line in shown


def test_the_version_is_that_of_the_distribution():
    from importlib.metadata import PackageNotFoundError, version

    assert runtime.__version__ == autograph.__version__
    try:
        assert version("autograph-runtime") == autograph.__version__
    except PackageNotFoundError:
        pass  # run from a checkout


def test_the_reference_pages_show_them_and_doctests_as_code(tmp_path):
    pytest.importorskip("mkdocs")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(tmp_path)],
        cwd=ROOT, env={"NO_MKDOCS_2_WARNING": "1", "PATH": ""}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for package in (autograph, runtime):
        page = (tmp_path / "reference" / package.__name__ / "index.html").read_text()
        wanted = {
            f"{package.__name__}.{name}"
            for name in package.__all__
            if name not in ("__version__", "debugging")
        }
        assert wanted - set(re.findall(r'id="([^"]+)"', page)) == set()
        assert "<blockquote>" not in page and '<span class="gp">' in page  # a prompt, coloured
    assert re.findall(r'<h2 id="([^"]+)"', page)[0] == "runtime.function"
    drawn = [*(tmp_path / "pictures").iterdir()]
    assert len(drawn) >= 13 and max(picture.stat().st_size for picture in drawn) < 100_000
    assert "Conv2D(filters" in (tmp_path / "reference" / "tf" / "index.html").read_text()
