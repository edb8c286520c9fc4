"""Exponential average of the weights, a plain mean at the start."""

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

DEFAULT_RATE = 0.002  # a memory of 500 rows


def rate_of(average: bool | float) -> float | None:
    """Return the smallest rate, or None when there is no averaging."""
    if average is False:
        return None
    return DEFAULT_RATE if average is True else float(average)


def averaged(before: Array, weights: Array, t: int, rate: float) -> Array:
    """Return wbar_t = (1 - r_t) wbar_{t-1} + r_t w_t with r_t = max(1/t, rate)."""
    r = max(1 / t, rate)
    return (1 - r) * before + r * weights


def with_one_more_class(weights: Array) -> Array:
    """Return the weights (or their average) with zeros for a new class.

    Two classes share one vector w; it splits into -w/2 and +w/2 when a third arrives.
    """
    if len(weights) == 1:
        weights = np.vstack([-weights / 2, weights / 2])
    return np.vstack([weights, np.zeros(weights.shape[1])])
