"""Conway's Life, from a random soup until nothing new happens.

A board that equals itself two generations ago stays as it is for ever, blinkers aside.

    python examples/life.py
"""

import numpy as np

import runtime as rt
from beside import beside_python


def next_generation(board):
    """The board after one step; outside of it, all is dead."""
    padded = np.zeros((board.shape[0] + 2, board.shape[1] + 2), dtype=board.dtype)
    padded[1:-1, 1:-1] = board
    rows = padded[:-2] + padded[1:-1] + padded[2:]
    neighbours = rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:] - board
    return np.where((neighbours == 3) | ((board == 1) & (neighbours == 2)), 1, 0)


@rt.function
def settle(board, limit):
    """Run until the board repeats after one step or two; the last board and the generations it took."""
    before = np.zeros_like(board)
    for generation in range(limit):
        following = next_generation(board)
        if np.all(following == before) or np.all(following == board):
            return following, generation
        before = board
        board = following
    raise RuntimeError(f"still changing after {limit} generations")


def picture(board: np.ndarray) -> str:
    """Two rows of cells to a line of text."""
    blocks = " \N{UPPER HALF BLOCK}\N{LOWER HALF BLOCK}\N{FULL BLOCK}"
    pairs = board[::2] + 2 * board[1::2]
    return "\n".join("".join(blocks[pair] for pair in line).rstrip() for line in pairs)


def main(rows: int = 60, columns: int = 100, seed: int = 1, limit: int = 20_000, engine: str = "auto") -> int:
    """Settle a random soup; returns the number of generations."""
    soup = (np.random.default_rng(seed).random((rows, columns)) < 0.35).astype(np.int64)
    board, generations = beside_python(settle, soup, limit, engine=engine)
    print(f"{int(soup.sum())} cells settled to {int(board.sum())} in {generations} generations:")
    print(picture(board))
    return generations


if __name__ == "__main__":
    main()
