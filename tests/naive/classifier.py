"""One row at a time: score, see, weigh, step, remember."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .average import averaged, rate_of, with_one_more_class
from .ledger import Label, Ledger
from .losses import LEARNERS, binary_loss, slopes, target
from .scaler import Scaler
from .scores import Scored, arranged, sign
from .weighting import HGD, OGD, Row

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Settings:
    """The keyword arguments of `NaiveClassifier`, with their defaults."""

    standardize: str | None = "center"
    fit_intercept: bool = True
    average: bool | float = True
    unit_rows: bool = False
    eta0: float = 0.3
    learning_rate: str = "constant"
    power_t: float = 0.5
    radius: float | None = None
    positive: Label = None
    classes: Iterable[Label] | None = None


class NaiveClassifier:
    """A linear online classifier, slow and plain.

    Parameters
    ----------
    method
        "hgd" or "ogd"; `method_params` are its parameters.
    learner
        "perceptron", "svm", "logistic" or "softmax".
    settings
        See `Settings`.
    """

    def __init__(
        self,
        method: str = "hgd",
        learner: str = "logistic",
        *,
        method_params: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        if learner not in LEARNERS:
            raise ValueError(f"learner={learner!r} is not one of {LEARNERS}.")
        self.method: OGD = {"ogd": OGD, "hgd": HGD}[method](**(method_params or {}))
        self.learner = learner
        self.settings = Settings(**settings)
        self.rate = rate_of(self.settings.average)
        self.book = Ledger()
        self.order: list[Label] = []  # classes as they arrived
        self.t = 0
        self.weights: Array = np.empty((0, 0))  # until the first row tells the width
        if self.settings.classes is not None:
            for label in sorted(set(self.settings.classes)):
                self.order.append(label)
                self.book.admit(label)

    @property
    def classes(self) -> list[Label]:
        """Known labels, sorted."""
        return sorted(self.order)

    @property
    def ledger(self) -> dict[Label, dict[str, float]]:
        """Per label: seen, share, pulled, travelled."""
        return {c: self.book.account(c, self.method.share(c, self.book)) for c in self.classes}

    @property
    def gi(self) -> dict[str, float]:
        """Gradient imbalance now (nan where undefined), its two sums and their rows."""
        return self.book.gradient_imbalance(self._positive())

    @property
    def coef(self) -> Array:
        """Output weights in raw units, row length aside: one row, or K rows in label order."""
        factor, _ = self.scaler.raw_units()
        return self._output_rows()[:, : len(factor)] * factor

    @property
    def intercept(self) -> Array:
        """Output intercepts in units of the raw columns."""
        _, shift = self.scaler.raw_units()
        own = self._output_rows()[:, -1] if self.settings.fit_intercept else 0.0
        return np.asarray(own - self.coef @ shift)

    def _output_rows(self) -> Array:
        rows = self._outputs()
        if len(rows) == 1:
            return rows * sign(self.order)
        return rows[[self.order.index(c) for c in self.classes]]

    def learn(self, X: Array, y: Any, sample_weight: Any = None) -> Array:
        """Learn rows in order; return the score of each row before it was learned."""
        X = self._prepared(X)
        labels = y.tolist() if isinstance(y, np.ndarray) else list(y)
        weights = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, float)
        scored = []
        for x, label, v in zip(X, labels, weights, strict=True):
            z = self._features(x)
            scored.append(self._scored(z))
            if v != 0:  # weight 0: scored, otherwise as if it never came
                self._learn_row(x, z, label, float(v))
        return arranged(self.order, scored)

    def decision(self, X: Array) -> Array:
        """Return scores without learning."""
        return arranged(self.order, [self._scored(self._features(x)) for x in self._prepared(X)])

    def _prepared(self, X: Array) -> Array:
        X = np.asarray(X, dtype=np.float64)
        if len(self.weights) == 0:
            self.scaler = Scaler(self.settings.standardize, X.shape[1])
            rows = len(self.order) if len(self.order) > 2 else 1
            self.weights = np.zeros((rows, X.shape[1] + self.settings.fit_intercept))
            self.average = self.weights.copy()
        return X

    def _features(self, x: Array) -> Array:
        z = self.scaler.z(x)
        if self.settings.unit_rows:
            z = z / max(float(np.linalg.norm(z)), 1e-14)
        return np.append(z, 1.0) if self.settings.fit_intercept else z

    def _outputs(self) -> Array:
        return self.weights if self.rate is None else self.average

    def _scored(self, z: Array) -> Scored:
        return self._outputs() @ z, list(self.order)

    def _positive(self) -> Label:
        """Return the positive class; None while it is not known: a lone class is negative."""
        wanted = self.settings.positive
        if len(self.order) < 2 or wanted in self.order:
            return wanted
        return max(self.order)

    def _learn_row(self, x: Array, z: Array, label: Label, v: float) -> None:
        self.t += 1
        self.scaler.see(x)
        self._admit(label)
        internal = self.order.index(label)
        scores = self.weights @ z  # learning uses the raw weights, never the average
        loss = 0.0
        if len(scores) == 1:
            loss = binary_loss(self.learner, target(internal), float(scores[0]))
        a = self.method.weigh(Row(label, self.t, loss, self._positive()), self.book)
        self.book.seen[label] += 1
        self.method.remember(label)
        length = self._step(slopes(self.learner, scores, internal), self._eta() * a * v, z)
        self.book.travelled[label] += length
        if self.method.norm == "plain":
            self.book.pulled[label] += length
        elif a > 0:
            self.book.pulled[label] += a * (length / a) ** 2
        if self.rate is not None:
            self.average = averaged(self.average, self.weights, self.t, self.rate)
        self.book.remember_imbalance(self._positive())

    def _admit(self, label: Label) -> None:
        if label in self.order:
            return
        self.order.append(label)
        self.book.admit(label)
        if len(self.order) > 2:
            self.weights = with_one_more_class(self.weights)
            self.average = with_one_more_class(self.average)

    def _eta(self) -> float:
        s = self.settings
        power = {"constant": 0.0, "sqrt": 0.5, "invscaling": s.power_t}[s.learning_rate]
        return float(s.eta0 / self.t**power)

    def _step(self, g: Array, factor: float, z: Array) -> float:
        """Step every weight vector against its slope; return the length really travelled."""
        if not np.any(g != 0):
            return 0.0
        before = self.weights
        self.weights = before - factor * np.outer(g, z)
        size, radius = float(np.linalg.norm(self.weights)), self.settings.radius
        if radius is not None and size > radius:
            self.weights = self.weights * (radius / size)
            return float(np.linalg.norm(self.weights - before))
        return factor * math.sqrt(float(np.sum(g**2))) * float(np.linalg.norm(z))
