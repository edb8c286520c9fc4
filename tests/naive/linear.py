"""Members with a weight vector per output, on the rows themselves or on features of them."""

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from .average import averaged, with_one_more_class

Array = npt.NDArray[np.float64]


class Linear:
    """The weights of all members and their averages.

    Parameters
    ----------
    loss
        A name known to `losses`.
    features
        From a scaled row to the vector that the weights multiply, intercept included.
    shape
        Members, outputs and length of that vector.
    rate
        Smallest rate of the average, None for no averaging.
    radius
        Of the ball that a single member is held to.
    """

    def __init__(
        self,
        loss: str,
        features: Callable[[Array], Array],
        shape: tuple[int, int, int],
        *,
        rate: float | None,
        radius: float | None,
    ) -> None:
        members, outputs, width = shape
        self.loss = loss
        self.features_of = features
        self.rate = rate
        self.radius = radius
        self.weights: list[Array] = [np.zeros((outputs, width)) for _ in range(members)]
        self.average = list(self.weights)
        self.before = self.weights[0]

    def features(self, z: Array) -> Array:
        """Return the vector that the weights multiply."""
        return self.features_of(z)

    def score(self, member: int, z: Array) -> Array:
        """Return the raw outputs of one member."""
        return np.asarray(self.weights[member] @ self.features(z))

    def scores(self, z: Array) -> Array:
        """Return the raw outputs, a row per member."""
        x = self.features(z)
        return np.array([w @ x for w in self.weights])

    def outputs(self, z: Array) -> Array:
        """Return what goes out: from the averages, where there are any."""
        x = self.features(z)
        return np.array([w @ x for w in self.output_weights()])

    def output_weights(self) -> list[Array]:
        """Return the weights behind what goes out."""
        return self.weights if self.rate is None else self.average

    def move(self, member: int, z: Array, g: Array, factor: float) -> float:
        """Step every weight vector against its slope; return the length."""
        if not np.any(g != 0):
            return 0.0
        x = self.features(z)
        self.weights[member] = self.weights[member] - factor * np.outer(g, x)
        return factor * math.sqrt(float(np.sum(g**2))) * float(np.linalg.norm(x))

    def settle(self) -> None:
        """Nothing to settle."""

    def begin(self) -> None:
        """Remember where the only member stands."""
        self.before = self.weights[0]

    def finish(self, length: float, t: int) -> float:
        """Project the only member, average all; return the length really travelled."""
        if self.radius is not None and self.weights[0] is not self.before:
            size = float(np.linalg.norm(self.weights[0]))
            if size > self.radius:
                self.weights[0] = self.weights[0] * (self.radius / size)
                length = float(np.linalg.norm(self.weights[0] - self.before))
        if self.rate is not None:
            rate = self.rate
            self.average = [averaged(a, w, t, rate) for a, w in zip(self.average, self.weights, strict=True)]
        return length

    def add_class(self) -> None:
        """Make room for one more class."""
        self.weights = [with_one_more_class(w) for w in self.weights]
        self.average = [with_one_more_class(w) for w in self.average]
