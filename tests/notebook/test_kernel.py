"""In a notebook: a real IPython kernel runs the cells, as Jupyter would send them."""

import textwrap
from dataclasses import dataclass, field
from queue import Empty
from typing import Any

import pytest

pytest.importorskip("ipykernel", reason="the kernel of Jupyter's notebooks is not installed")
manager = pytest.importorskip("jupyter_client.manager", reason="Jupyter's client is not installed")


@dataclass
class Said:
    """What one cell put on the page."""

    text: str = ""
    data: dict[str, Any] = field(default_factory=dict)
    error: str = ""
    traceback: str = ""


class Notebook:
    def __init__(self, client):
        self.client = client

    def cell(self, source, kept=True):
        """Run a cell, which the history keeps, and wait until the kernel is idle again."""
        said = Said()
        asked = self.client.execute(textwrap.dedent(source), store_history=kept)
        while True:
            message = self.client.get_iopub_msg(timeout=60)
            if message["parent_header"].get("msg_id") != asked:
                continue
            content = message["content"]
            match message["msg_type"]:
                case "stream":
                    said.text += content["text"]
                case "execute_result" | "display_data":
                    said.data = content["data"]
                case "error":
                    said.error = f"{content['ename']}: {content['evalue']}"
                    said.traceback = "\n".join(content["traceback"])
                case "status" if content["execution_state"] == "idle":
                    return said


@pytest.fixture(scope="module")
def notebook():
    # Sockets in a directory of their own: no port of the machine is taken.
    kernels = manager.KernelManager(kernel_name="python3", transport="ipc")
    kernels.start_kernel()
    client = kernels.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        page = Notebook(client)
        ready = page.cell("%colors NoColor\nimport numpy as np\nimport autograph, runtime as rt")
        assert not ready.error, ready.traceback
        yield page
    except Empty as silence:
        raise AssertionError("the kernel does not answer") from silence
    finally:
        client.stop_channels()
        kernels.shutdown_kernel(now=True)


def test_a_function_of_a_cell_is_converted_and_staged(notebook):
    said = notebook.cell(
        """
        @rt.function
        def halve(x):
            steps = 0
            while x > 1:
                x = x / 2
                steps += 1
            print('steps', steps)
            return x
        halve(10.0), halve(np.float64(3)), halve.trace_count
        """
    )
    assert said.error == ""
    assert said.text == "steps 4\nsteps 2\n"
    assert said.data["text/plain"] == "(0.625, np.float64(0.75), 2)"


def test_a_cell_may_import_what_its_functions_call(notebook):
    said = notebook.cell(
        """
        import numpy as np
        import runtime as rt
        try:
            import math as m
        except ImportError:
            m = None

        def helper(x):
            return np.sqrt(np.sum(x))

        class Scaled:
            def by(self, x):
                return np.mean(x) * m.floor(2.5)

        @rt.function
        def first(x):
            if np.sum(x) > 0:
                return helper(x) + Scaled().by(x)
            return np.zeros(3)
        first(np.array([1.0, 3.0])), first.trace_count
        """
    )
    assert said.error == "", said.traceback
    assert said.data["text/plain"] == "(np.float64(6.0), 1)"


def test_a_cell_run_again_with_other_source_is_another_function(notebook):
    notebook.cell("def f(x):\n    return 1 if x > 0 else 2\n")
    assert "ag__.if_exp(x > 0, lambda: 1, lambda: 2)" in notebook.cell("print(autograph.to_code(f))").text
    notebook.cell("def f(x):\n    return 10 if x > 0 else 20\n")
    said = notebook.cell("rt.function(f)(np.float64(1)), rt.function(f)(np.float64(-1))")
    assert said.data["text/plain"] == "(10, 20)"


def test_lambdas_of_one_line_are_told_apart(notebook):
    notebook.cell("pair = [lambda x: x + 1 if x > 0 else x, lambda x: x * 2 if x > 0 else -x]")
    said = notebook.cell("[rt.function(f)(np.float64(3)) for f in pair]")
    assert said.data["text/plain"] == "[np.float64(4.0), np.float64(6.0)]"


def test_an_error_names_the_cell_and_the_line(notebook):
    said = notebook.cell(
        """
        @rt.function
        def bad(x):
            for i in range(3):
                if x > i:
                    y = open('nowhere')
            return x
        bad(np.float64(2))
        """
    )
    assert said.error.startswith("StagingError"), said.error
    assert "y = open('nowhere')" in said.error


def test_a_run_time_error_has_the_users_line(notebook):
    said = notebook.cell(
        """
        @rt.function
        def pick(x, i):
            y = x * 2
            return y[i]
        pick(np.arange(3.0), 7)
        """
    )
    assert said.error.startswith("IndexError: index 7 is out of bounds for axis 0 with size 3")
    assert "return y[i]" in said.traceback


@pytest.mark.parametrize(
    "magic",
    ["%%time", "%%capture page", "%%capture page\n%%time", "%%timeit -n1 -r1", "%%prun -q", "%%python_"],
)
def test_a_function_under_a_magic_has_a_source(notebook, magic):
    """In the cell itself, and where it is called first in a later cell; line magics and `!` in it, too."""
    notebook.cell("from IPython.core.magic import register_cell_magic")
    notebook.cell(
        "@register_cell_magic\ndef python_(line, cell):\n    exec(compile(cell, '<any>', 'exec'), globals())"
    )
    program = """
        import builtins

        def helper(x):
            return x * 3 if x > 0 else -x

        class Scaled:
            def by(self, x):
                return x + 1 if x > 4 else x

        @rt.function
        def big(x):
            return helper(x) + Scaled().by(x)
        builtins.kept = big, helper
        builtins.told = [big(2.0), big(-2.0), rt.function(lambda x: 1 if x > 0 else 2)(3.0)]
        """
    said = notebook.cell(magic + textwrap.dedent(program))
    assert said.error == "", said.traceback
    assert notebook.cell("told").data["text/plain"] == "[8.0, 0.0, 1]"
    assert notebook.cell("rt.function(kept[1])(5), kept[0](7.0)").data["text/plain"] == "(15, 29.0)"


def test_a_function_under_a_magic_that_no_history_keeps(notebook):
    program = "%%time\n@rt.function\ndef unkept(x):\n    return x + 1 if x > 0 else x\nkept = unkept(2.0)"
    said = notebook.cell(program, kept=False)
    assert said.error == "", said.traceback
    assert notebook.cell("kept, unkept(-1.0)").data["text/plain"] == "(3.0, -1.0)"


@pytest.mark.parametrize("magic", ["%time", "%timeit -n 1 -r1", "%prun -q"])
def test_a_lambda_in_a_line_magic_has_a_source(notebook, magic):
    said = notebook.cell(f"{magic} told = rt.function(lambda x: x + 1 if x > 0 else x)(3.0)")
    assert said.error == "", said.traceback
