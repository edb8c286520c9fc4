"""Running standardisation of one row at a time, from the rows seen before it."""

import math

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

LIMIT = 5.0  # deviations
GUARD_AFTER = 20  # rows before an extreme value is clipped on its way into the statistics


class Scaler:
    """Mean and population variance of every column, by Welford's recursion.

    Parameters
    ----------
    mode
        "center" (subtract the mean, divide by the deviation), "scale" (divide only) or None.
    columns
        Number of columns.
    """

    def __init__(self, mode: str | None, columns: int) -> None:
        if mode not in (None, "center", "scale"):
            raise ValueError(f"standardize={mode!r} is not 'center', 'scale' or None.")
        self.mode = mode
        self.columns = columns
        self.rows = 0
        self.mean: Array = np.zeros(columns)
        self.m2: Array = np.zeros(columns)

    def variance(self) -> Array:
        """Population variance of every column; zero before the first row."""
        return self.m2 / max(self.rows, 1)

    def z(self, x: Array) -> Array:
        """Return the row as the learner sees it."""
        if self.mode is None:
            return x.copy()
        variance = self.variance()
        known = variance > 0  # a column that never varied says nothing: z = 0
        shifted = x - self.mean if self.mode == "center" else x
        z = np.zeros(self.columns)
        z[known] = np.clip(shifted[known] / np.sqrt(variance[known]), -LIMIT, LIMIT)
        return z / math.sqrt(self.columns)

    def see(self, x: Array) -> None:
        """Take one row into the statistics, extreme values clipped first."""
        x = self._guarded(x)
        self.rows += 1
        before = x - self.mean
        self.mean = self.mean + before / self.rows
        self.m2 = self.m2 + before * (x - self.mean)

    def _guarded(self, x: Array) -> Array:
        # Without this one absurd value poisons the scale for ever.
        if self.rows < GUARD_AFTER:
            return x
        variance = self.variance()
        reach = LIMIT * np.sqrt(variance)
        clip = variance > 0
        if self.mode == "scale":
            clip = clip & (x != 0)  # zeros of a sparse row are not outliers
        return np.where(clip, np.clip(x, self.mean - reach, self.mean + reach), x)

    def raw_units(self) -> tuple[Array, Array]:
        """Return (factor, shift) with z = factor * (x - shift), clipping aside."""
        if self.mode is None:
            return np.ones(self.columns), np.zeros(self.columns)
        variance = self.variance()
        factor = np.zeros(self.columns)
        known = variance > 0
        factor[known] = 1 / (np.sqrt(variance[known]) * math.sqrt(self.columns))
        shift = self.mean if self.mode == "center" else np.zeros(self.columns)
        return factor, shift
