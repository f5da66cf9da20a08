"""What `make demo` runs: one function through every stage, then two real programs.

python examples/demo.py
"""

import numpy as np

import autograph
import edit_distance
import mandelbrot
import runtime as rt


@rt.function
def first_root(values, guess):
    """Newton's method for the square root of the first value that has one."""
    for value in values:
        if value < 0.0:
            continue
        while abs(guess * guess - value) > 1e-12:
            guess = (guess + value / guess) / 2.0
        return guess
    return 0.0


def title(text: str) -> None:
    """A line that is easy to find again in what scrolled by."""
    print(f"\n\n=== {text} ".ljust(100, "=") + "\n")


def main() -> None:
    """Print the stages of `first_root`, then run two examples beside plain Python."""
    values, guess = np.array([-4.0, 2.0, 9.0]), 1.0
    title("1. A function with control flow that depends on data, converted to calls that can be staged")
    print(autograph.to_code(first_root.python_function))
    title("2. The same as a graph, traced for an array of any length")
    print(first_root.get_concrete_function(rt.TensorSpec([None], "float64"), guess).graph)
    title("3. Its result, compiled, and plain Python's")
    print(first_root(values, guess), first_root.python_function(values, guess))
    title("4. The edit distance between two printings of a sonnet")
    edit_distance.main()
    title("5. The Mandelbrot set")
    mandelbrot.main()


if __name__ == "__main__":
    main()
