"""Random Fourier features beside the row itself (Rahimi & Recht 2007)."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .draws import Draws, mix64, start

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class FourierParameters:
    """The parameters of the learner "fourier"."""

    features: int = 256
    gamma: float | str = "scale"


def normals(draws: Draws, n: int) -> Array:
    """Return n normal numbers, two from each pair of uniform ones (Box & Muller)."""
    found: list[float] = []
    while len(found) < n:
        u1, u2 = 1 - draws.uniform(), draws.uniform()
        r = math.sqrt(-2 * math.log(u1))
        found += [r * math.cos(2 * math.pi * u2), r * math.sin(2 * math.pi * u2)]
    return np.array(found[:n])


class Fourier:
    """The features [z, sqrt(2/D) cos(W' zeta + b), 1].

    Parameters
    ----------
    columns
        Of a row.
    stretch
        From the row as a linear learner sees it to zeta.
    """

    def __init__(self, parameters: FourierParameters, columns: int, *, stretch: float, intercept: bool, seed: int) -> None:
        d, n = columns, parameters.features
        gamma = 1 / d if parameters.gamma == "scale" else float(parameters.gamma)
        base = start("fourier", seed)
        rows = [normals(Draws(mix64(base ^ mix64(j + 1))), n) for j in range(d)]
        self.directions: Array = math.sqrt(2 * gamma) * np.array(rows)
        draws = Draws(base)
        self.shifts: Array = np.array([2 * math.pi * draws.uniform() for _ in range(n)])
        self.scale = math.sqrt(2 / n)
        self.stretch = stretch
        self.end: Array = np.ones(1 if intercept else 0)
        self.width = d + n + len(self.end)

    def __call__(self, z: Array) -> Array:
        """Return the features of a row."""
        waves = self.scale * np.cos(self.directions.T @ (z * self.stretch) + self.shifts)
        return np.concatenate([z, waves, self.end])
