"""Members that are sums of kernels at rows that once moved them."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class KernelParameters:
    """The parameters of the learner "kernel"."""

    kernel: str = "rbf"
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 1.0
    budget: int | None = None
    drop: str = "oldest"

    def __post_init__(self) -> None:
        if self.kernel not in ("rbf", "poly", "linear"):
            raise ValueError(f"kernel={self.kernel!r} is not 'rbf', 'poly' or 'linear'.")
        if self.drop not in ("oldest", "smallest"):
            raise ValueError(f"drop={self.drop!r} is not 'oldest' or 'smallest'.")


class Kernel:
    """Support vectors, shared by all members, their coefficients, and a bias.

    Parameters
    ----------
    shape
        Members, outputs and columns.
    bias
        Whether there is a feature of value 1 beside the kernel's.
    gamma
        Takes the place of the parameter's "scale".
    """

    loss = "svm"

    def __init__(self, parameters: KernelParameters, shape: tuple[int, int, int], *, bias: bool, gamma: float) -> None:
        members, outputs, columns = shape
        self.parameters = parameters
        self.gamma = gamma if parameters.gamma == "scale" else float(parameters.gamma)
        self.has_bias = bias
        self.rows: Array = np.empty((0, columns))
        self.coefficients: Array = np.empty((0, members, outputs))
        self.bias: Array = np.zeros((members, outputs))
        self.fresh: Array | None = None  # a row that is just moving members, and its coefficients
        self.fresh_coefficients: Array = np.zeros((members, outputs))

    def kernel(self, rows: Array, z: Array) -> Array:
        """Return k(row, z) for every row."""
        p = self.parameters
        if p.kernel == "rbf":
            return np.asarray(np.exp(-self.gamma * np.sum((rows - z) ** 2, axis=1)))
        if p.kernel == "poly":
            return np.asarray((self.gamma * (rows @ z) + p.coef0) ** p.degree)
        return np.asarray(rows @ z)

    def features(self, z: Array) -> Array:
        """There are none."""
        raise ValueError("learner='kernel' has no weight vector.")

    def scores(self, z: Array) -> Array:
        """Return the outputs, a row per member."""
        f = self.bias + np.tensordot(self.kernel(self.rows, z), self.coefficients, axes=1)
        if self.fresh is not None:
            f = f + self.kernel(self.fresh[None, :], z)[0] * self.fresh_coefficients
        return np.asarray(f)

    def score(self, member: int, z: Array) -> Array:
        """Return the outputs of one member."""
        return np.asarray(self.scores(z)[member])

    def outputs(self, z: Array) -> Array:
        """Return the same as `scores`: there is no averaging."""
        return self.scores(z)

    def move(self, member: int, z: Array, g: Array, factor: float) -> float:
        """Step every output against its slope; return the length in the space of the kernel."""
        if not np.any(g != 0):
            return 0.0
        if self.fresh is None:
            self.fresh = z
            self.fresh_coefficients = np.zeros_like(self.bias)
        self.fresh_coefficients[member] -= factor * g
        square = float(self.kernel(z[None, :], z)[0])
        if self.has_bias:
            self.bias[member] -= factor * g
            square += 1
        return factor * math.sqrt(float(np.sum(g**2))) * math.sqrt(square)

    def settle(self) -> None:
        """Make a row that moved anything a support vector; a full budget drops one first."""
        if self.fresh is None:
            return
        if self.parameters.budget is not None and len(self.rows) >= self.parameters.budget:
            sizes = np.sum(np.abs(self.coefficients), axis=(1, 2))
            k = 0  # rows stand in their order of arrival; the oldest of those that are as small as the smallest
            if self.parameters.drop == "smallest":
                k = int(np.flatnonzero(sizes <= np.min(sizes) * (1 + 1e-9))[0])
            self.rows = np.delete(self.rows, k, axis=0)
            self.coefficients = np.delete(self.coefficients, k, axis=0)
        self.rows = np.vstack([self.rows, self.fresh])
        self.coefficients = np.concatenate([self.coefficients, self.fresh_coefficients[None]])
        self.fresh = None

    def begin(self) -> None:
        """Nothing to remember."""

    def finish(self, length: float, t: int) -> float:
        """Settle the row."""
        self.settle()
        return length

    def add_class(self) -> None:
        """Make room for one more class; a two-class coefficient b splits into -b/2, +b/2."""
        if self.bias.shape[1] == 1:
            self.bias = np.concatenate([-self.bias / 2, self.bias / 2], axis=1)
            self.coefficients = np.concatenate([-self.coefficients / 2, self.coefficients / 2], axis=2)
        self.bias = np.concatenate([self.bias, np.zeros((len(self.bias), 1))], axis=1)
        zeros = np.zeros((len(self.rows), len(self.bias), 1))
        self.coefficients = np.concatenate([self.coefficients, zeros], axis=2)
