"""k-means on the handwritten digits that scikit-learn ships: 1797 pictures of 8 by 8 pixels.

Lloyd's algorithm, until no picture changes its cluster. Needs the extra `examples`.

    python examples/kmeans.py
"""

import numpy as np
from sklearn.datasets import load_digits

import runtime as rt
from beside import beside_python

SHADES = " .:-=+*#%@"


@rt.function
def kmeans(points, centers, limit):
    """Move the centers, in place, until no point changes its cluster; the labels and the rounds taken."""
    labels = np.full(len(points), -1)
    moved = len(points)
    rounds = 0
    while moved > 0 and rounds < limit:
        moved = 0
        sums = np.zeros_like(centers)
        counts = np.zeros(len(centers))
        for k in range(len(points)):
            nearest = np.argmin(np.sum((centers - points[k]) ** 2, axis=1))
            if nearest != labels[k]:
                labels[k] = nearest
                moved += 1
            sums[nearest] += points[k]
            counts[nearest] += 1
        for c in range(len(centers)):
            if counts[c] > 0:
                centers[c] = sums[c] / counts[c]
        rounds += 1
    return labels, centers, rounds


def pictures(centers: np.ndarray) -> str:
    """The centers as pictures in a row, two characters to a pixel."""
    shades = np.clip(centers.reshape(-1, 8, 8) / 16.0 * (len(SHADES) - 1), 0, len(SHADES) - 1).astype(int)
    lines = shades.transpose(1, 0, 2)  # line, picture, column
    texts = [["".join(SHADES[shade] * 2 for shade in part) for part in line] for line in lines]
    return "\n".join(" ".join(line).rstrip() for line in texts)


def purity(labels: np.ndarray, truth: np.ndarray, clusters: int) -> float:
    """The share of points that are of the kind that is most frequent in their cluster."""
    members = [truth[labels == c] for c in range(clusters)]
    return float(sum(np.bincount(member).max() for member in members if len(member)) / len(truth))


def main(points: int = 1797, clusters: int = 10, limit: int = 100, engine: str = "auto") -> float:
    """Cluster the first `points` digits; returns the purity of the clusters."""
    digits, truth = load_digits(return_X_y=True)
    digits, truth = digits[:points], truth[:points]
    start = digits[np.random.default_rng(4).choice(points, clusters, replace=False)]
    labels, centers, rounds = beside_python(kmeans, digits, start, limit, engine=engine)
    share = purity(labels, truth, clusters)
    print(
        f"{points} digits in {clusters} clusters after {rounds} rounds; {share:.0%} are with their own kind"
    )
    print(pictures(centers[: clusters // 2]), pictures(centers[clusters // 2 :]), sep="\n\n")
    return share


if __name__ == "__main__":
    main()
