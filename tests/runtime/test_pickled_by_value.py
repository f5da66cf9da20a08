"""Decorated functions of ``__main__`` in a process that has another ``__main__``, and not its files."""

import subprocess
import sys

PROGRAM = '''
import pickle, sys
from cloudpickle import dumps
import autograph
import runtime as rt

def doubled(x):
    return x * 2

CELL = """
class Adder:
    step = 3
    @property
    def twice(self):
        return self.step * 2
    def add(self, x):
        return x + self.twice - self.step if x > 0 else x
adder = Adder()

@rt.function(max_traces=7)
def of_a_cell(x, n):
    return of_a_cell(adder.add(doubled(x)), n - 1) if n > 0 else x

def made(k):
    return rt.function(lambda x: doubled(x) + k if x > 0 else k)
"""
exec(compile(CELL, autograph.register_source(CELL, "<cell 1>"), "exec"))
of_a_cell.note = "kept"

@rt.function
def of_the_program(x):
    return of_a_cell(x, 2) if x > 0 else -x

functions = of_the_program, of_a_cell, made(4), rt.grad(of_the_program), of_the_program
assert pickle.loads(pickle.dumps(of_the_program)) is of_the_program
sys.stdout.buffer.write(dumps(functions))
'''
READER = """
import pickle, sys
program, cell, closure, slope, same = pickle.load(sys.stdin.buffer)
print(program(2.0), program(-1.0), cell(1.0, 1), cell.note, cell.max_traces, closure(5.0), slope(2.0))
print(same is program, program.__globals__["of_a_cell"] is cell, program.trace_count, cell.engine)
"""


def test_functions_of_main_arrive_decorated_and_trace_there(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    sent = subprocess.run([sys.executable, str(file)], capture_output=True, check=True).stdout
    file.unlink()
    read = subprocess.run([sys.executable, "-c", READER], input=sent, capture_output=True)
    assert read.stdout.decode().splitlines() == [
        "17.0 1.0 5.0 kept 7 14.0 4.0",
        "True True 1 auto",
    ], read.stderr.decode()
