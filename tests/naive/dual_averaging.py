"""Cost-sensitive regularised dual averaging, CSRDA I to IV (Chen et al. 2023; Xiao 2010)."""

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from .linear import Linear
from .losses import binary_loss, binary_slope, target
from .method import Method
from .turn import Turn

Array = npt.NDArray[np.float64]


@dataclass
class CSRDA(Method):
    """Weights from the mean gradient of all rows, small ones set to zero.

    Form 1 asks a margin of rho of a positive, 2 weighs it by rho, 3 weighs every class by its
    frequency, 4 is 2 on half the squared loss.
    """

    form: int = 2
    l1: float | None = None
    gamma: float | None = None
    n_p: float = 0.5
    n_n: float = 0.5
    gradients: Array = field(default_factory=lambda: np.zeros(0), init=False)  # their sum

    @property
    def two_classes_only(self) -> bool:
        """There is no form for more classes."""
        return True

    @property
    def can_average(self) -> bool:
        """The gradients are averaged already."""
        return False

    @property
    def can_project(self) -> bool:
        """The weights are not stepped."""
        return False

    def check(self, learner: str) -> None:
        """Fill in the values of the reading."""
        super().check(learner)
        if learner in ("kernel", "fourier"):
            raise ValueError(f"CSRDA knows linear learners only, not {learner!r}.")
        if self.form == 1 and learner != "svm":
            raise ValueError(f"CSRDA I needs the hinge loss; learner={learner!r} has another.")
        if self.l1 is None:
            self.l1 = 0.0 if self.paper else 1e-3
        if self.gamma is None:
            self.gamma = 1e-3 if self.paper and self.form in (1, 2) else 0.1

    def weight_and_goal(self, turn: Turn) -> tuple[float, float]:
        """Return the weight of a row and the margin asked of it."""
        positives, negatives = turn.positives_and_negatives()
        rho = (self.n_p * negatives) / (self.n_n * positives) if turn.is_positive else 1.0
        if self.form == 1:
            return 1.0, rho
        if self.form == 3:
            n, own = (self.n_p, positives) if turn.is_positive else (self.n_n, negatives)
            return n * (positives + negatives) / own, 1.0
        return rho, 1.0

    def learn(self, turn: Turn) -> float:
        """Add a gradient, renew the weights; the length is a convention, for there is no step."""
        model = turn.model
        if not isinstance(model, Linear):
            raise TypeError("CSRDA needs linear weights.")
        y, f = target(turn.up), float(model.score(0, turn.z)[0])
        weight, goal = self.weight_and_goal(turn)
        slope = binary_slope(model.loss, y, f, goal)
        if self.form == 4:
            slope *= binary_loss(model.loss, y, f)
        x = model.features(turn.z)
        if len(self.gradients) == 0:
            self.gradients = np.zeros(len(x))
        self.gradients = self.gradients + turn.v * weight * slope * x
        model.weights[0] = self.weights(turn.t)[None, :]
        return turn.eta * turn.v * weight * abs(slope) * float(np.linalg.norm(x))

    def weights(self, t: int) -> Array:
        """Return -(sqrt(t)/gamma) sign(gbar) max(|gbar| - l1, 0), gbar = gradients / t."""
        mean = self.gradients / t
        threshold, gamma = float(self.l1 or 0.0), float(self.gamma or 0.0)
        return np.asarray(-(math.sqrt(t) / gamma) * np.sign(mean) * np.maximum(np.abs(mean) - threshold, 0.0))
