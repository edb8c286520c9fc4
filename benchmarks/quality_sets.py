"""The real sets of the quality benchmark, their order, and the measures of one run."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from poise import metrics
from poise.datasets import load, names

LARGEST = 25_000
Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]
BESIDE = Path(__file__).resolve().parents[2] / "shared" / "datasets"


@dataclass(frozen=True)
class Stream:
    """Rows in the order in which they are learned."""

    name: str
    X: Floats
    y: Labels


@dataclass(frozen=True)
class Measured:
    """What one run attained, from the scores of the rows before they were learned."""

    auc: float
    gmean: float
    f1: float
    balanced: float


def folder() -> Path:
    """Give the folder of the sets: POISE_DATA, or the one beside the repository."""
    return Path(os.environ.get("POISE_DATA") or BESIDE)


def missing(wanted: list[str]) -> list[str]:
    """Name the sets whose file is not there."""
    return [name for name in wanted if not (folder() / f"{name}.npz").is_file()]


def present() -> list[str]:
    """Name all sets whose file is there, from the most even to the most imbalanced."""
    absent = set(missing(names()))
    return [name for name in names() if name not in absent]


def stored(name: str) -> Stream:
    """Read a set in file order; its values are kept as stored, in double precision."""
    bunch = load(name, folder=folder())
    return Stream(name, np.asarray(bunch.X, dtype=np.float64), np.asarray(bunch.y))


def reordered(stream: Stream, order: npt.NDArray[np.int64]) -> Stream:
    """Give the rows in another order."""
    return Stream(stream.name, stream.X[order], stream.y[order])


def shuffled(stream: Stream, seed: int) -> Stream:
    """Permute the rows; the seed alone decides how."""
    return reordered(stream, np.random.default_rng(seed).permutation(len(stream.y)))


def small() -> list[Stream]:
    """Read every set of at most 25,000 rows, shuffled with seed 0."""
    streams = (stored(name) for name in present())
    return [shuffled(stream, 0) for stream in streams if len(stream.y) <= LARGEST]


def measure(y: Labels, scores: Floats) -> Measured:
    """Measure one run: label 1 is the positive class, and a score of 0 or more calls it."""
    counts = metrics.confusion(y, (scores >= 0).astype(np.int64))
    return Measured(
        metrics.auc(y, scores),
        metrics.gmean(counts),
        metrics.f1(counts),
        metrics.balanced_accuracy(counts),
    )
