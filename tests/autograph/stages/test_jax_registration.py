"""How the JAX stage gets registered, and what that costs a program without JAX."""

import subprocess
import sys
import textwrap


def run(tmp_path, program):
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(program))
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_convert_finds_jax_where_it_was_imported(tmp_path):
    program = """
        import jax, autograph

        @jax.jit
        @autograph.convert
        def f(x):
            if x > 0:
                return x
            return -x

        print(f(-3.0), [stage.name for stage in autograph.registry.registered_stages()])
    """
    assert run(tmp_path, program) == ["3.0", "['jax']"]


def test_jax_imported_later(tmp_path):
    program = """
        import sys, autograph

        @autograph.convert
        def f(x):
            if x > 0:
                return x
            return -x

        print("jax" in sys.modules, f(-3.0))
        import jax, autograph.stages.jax
        print(jax.jit(f)(-3.0))
    """
    assert run(tmp_path, program) == ["False", "3.0", "3.0"]
