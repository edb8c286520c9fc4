"""Three streams through OGD and HGD: a table of what each class got, and a figure over time.

    scripts/demo            about ten seconds after set-up
    scripts/demo --quick    fewer rows

The streams: simulated card payments (1 fraud in 500, drifting), and scikit-learn's digits, once "is it an 8?" and once all ten.
"""

import argparse
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from poise import StreamClassifier, metrics
from poise.figures import OverTime
from poise.progress import Progress
from poise.streams import FraudStream

METHODS = ("ogd", "hgd")
WINDOWS = 20
Block = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]


@dataclass(frozen=True)
class Run:
    """One method on one stream: the true labels, the scores before learning, and the seconds it took."""

    labels: np.ndarray[Any, Any]
    scores: np.ndarray[Any, Any]
    seconds: float

    @property
    def many(self) -> bool:
        return self.scores.ndim == 2

    @property
    def called(self) -> np.ndarray[Any, Any]:
        return np.argmax(self.scores, axis=1) if self.many else (self.scores >= 0).astype(int)

    def table(self, part: slice = slice(None)) -> np.ndarray[Any, Any]:
        """Confusion table of some of the rows."""
        classes = np.arange(self.scores.shape[1] if self.many else 2)
        return np.asarray(metrics.confusion_table(self.labels[part], self.called[part], classes))


def digits(times: int, one: bool) -> Iterator[Block]:
    """The 1,797 digits, shuffled, several times over; one class against the rest or all ten."""
    X, y = load_digits(return_X_y=True)
    order = np.concatenate([np.random.default_rng(seed).permutation(len(y)) for seed in range(times)])
    for start in range(0, len(order), 500):
        rows = order[start : start + 500]
        yield X[rows], (y[rows] == 8).astype(int) if one else y[rows]


def run(method: str, blocks: Iterable[Block], classes: int, progress: Progress) -> Run:
    """Test, then train: every row is scored before it is learned."""
    clf = StreamClassifier(method, "softmax" if classes > 2 else "logistic")
    labels, scores, seconds = [], [], 0.0
    for X, y in blocks:
        start = time.perf_counter()
        scores.append(clf.learn(X, y, classes=range(classes)))
        seconds += time.perf_counter() - start
        labels.append(y)
        progress.advance(len(y))
    return Run(np.concatenate(labels), np.concatenate(scores), seconds)


def row(stream: str, method: str, result: Run) -> str:
    """One line of the table."""
    table = result.table()
    recalls = metrics.recall_per_class(table)
    classes = range(result.scores.shape[1]) if result.many else None
    auc = metrics.auc(result.labels, result.scores, classes=classes)
    rate = len(result.labels) / result.seconds
    return (
        f"{stream:22} {method.upper():5} {len(result.labels):>8,} {auc:7.3f} {metrics.gmean(table):7.3f} {metrics.f1(table):6.3f}"
        f" {np.min(recalls):13.3f} {rate:>12,.0f}"
    )


def figure(runs: dict[str, Run]) -> OverTime:
    """G-mean of each twentieth of the fraud stream."""
    n = len(next(iter(runs.values())).labels)
    ends = np.linspace(0, n, WINDOWS + 1).astype(int)
    windows = [slice(a, b) for a, b in pairwise(ends)]
    curves = {name.upper(): np.array([metrics.gmean(result.table(w)) for w in windows]) for name, result in runs.items()}
    return OverTime(ends[1:], curves, measure="G-mean of the last twentieth", title="Card payments, 1 fraud in 500, drifting")


def main() -> int:
    """Run everything and say where the figure is."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="fewer rows")
    options.add_argument("--out", type=Path, default=Path("out"), help="folder for the figure")
    given = options.parse_args()
    n, times = (40_000, 2) if given.quick else (400_000, 10)
    streams: dict[str, tuple[Any, int, int]] = {
        "card fraud 1:500": (lambda: FraudStream(n=n), n, 2),
        "digits, 8 or not": (lambda: digits(times, True), 1797 * times, 2),
        "digits, all ten": (lambda: digits(times, False), 1797 * times, 10),
    }
    total = sum(rows for _, rows, _ in streams.values()) * len(METHODS)
    results: dict[str, dict[str, Run]] = {}
    with Progress(total, "demo") as progress:
        for name, (blocks, _, classes) in streams.items():
            results[name] = {method: run(method, blocks(), classes, progress) for method in METHODS}
    print(f"{'stream':22} {'':5} {'rows':>8} {'AUC':>7} {'G-mean':>7} {'F1':>6} {'worst recall':>13} {'rows/second':>12}")
    for name, runs in results.items():
        for method, result in runs.items():
            print(row(name, method, result))
    given.out.mkdir(parents=True, exist_ok=True)
    path = given.out / "demo.png"
    figure(results["card fraud 1:500"]).save(path)
    print(f"figure: {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
