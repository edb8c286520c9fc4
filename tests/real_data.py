"""Real sets for tests: from the folder POISE_DATA names, else from the shared folder beside the repository."""

import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from poise import datasets

FOLDER = Path(os.environ.get("POISE_DATA") or Path(__file__).parents[2] / "shared" / "datasets")


def require(name):
    """Skip the running test, with the reason, where a set is not to be had."""
    if not (FOLDER / f"{name}.npz").is_file():
        pytest.skip(f"{name}.npz is not in {FOLDER}: set POISE_DATA to the folder that holds it")


@cache
def _shuffled(name):
    data = datasets.load(name, folder=FOLDER)
    order = np.random.default_rng(0).permutation(data.n)
    return data.X[order].astype(np.float64), data.y[order]


def load(name, rows=None):
    """Return the first rows of a set in random order, as f64, and their labels."""
    require(name)
    X, y = _shuffled(name)
    return X[:rows].copy(), y[:rows].copy()
