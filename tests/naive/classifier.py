"""One row at a time: score, see, weigh, step, remember."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .average import rate_of
from .draws import Draws, start
from .fourier import Fourier, FourierParameters
from .kernel import Kernel, KernelParameters
from .ledger import Label, Ledger
from .linear import Linear
from .losses import LEARNERS, loss_of
from .registry import build
from .scaler import Scaler
from .scores import Scored, arranged, sign
from .turn import Model, Turn

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
    """An online classifier, slow and plain.

    Parameters
    ----------
    method
        A name of `registry.METHODS`; `method_params` are its parameters.
    learner
        A name of `losses.LEARNERS`; `learner_params` are those of "kernel" and "fourier".
    random_state
        Seed of the draws.
    settings
        See `Settings`.
    """

    def __init__(
        self,
        method: str = "hgd",
        learner: str = "logistic",
        *,
        method_params: Mapping[str, Any] | None = None,
        learner_params: Mapping[str, Any] | None = None,
        random_state: int = 0,
        **settings: Any,
    ) -> None:
        if learner not in LEARNERS:
            raise ValueError(f"learner={learner!r} is not one of {LEARNERS}.")
        self.method = build(method, learner, method_params)
        self.learner = learner
        self.learner_params = dict(learner_params or {})
        self.settings = Settings(**settings)
        self._refuse_settings()
        self.seed = random_state
        self.draws = Draws(start(method, random_state))
        self.rate = rate_of(self.settings.average)
        self.book = Ledger()
        self.order: list[Label] = []  # classes as they arrived
        self.t = 0
        self.model: Model | None = None  # until the first row tells the width
        if self.settings.classes is not None:
            for label in sorted(set(self.settings.classes)):
                self._admit(label)

    def _refuse_settings(self) -> None:
        s, kernel = self.settings, self.learner == "kernel"
        if s.average is not False and (kernel or not self.method.can_average):
            raise ValueError(f"average={s.average!r}: neither kernels nor CSRDA are averaged; use average=False.")
        if s.radius is not None and (kernel or not self.method.can_project):
            raise ValueError(f"radius={s.radius!r}: only a single linear model is projected; use radius=None.")
        if self.learner_params and self.learner not in ("kernel", "fourier"):
            raise ValueError(f"learner={self.learner!r} has no parameters.")

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
        if not isinstance(self.model, Linear) or self.method.size > 1 or self.learner == "fourier":
            raise AttributeError("Only a single linear model has weights in raw units.")
        rows = self.model.output_weights()[0]
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
            z = self._scaled(x)
            scored.append(self._scored(z))
            if v != 0:  # weight 0: scored, otherwise as if it never came
                self._learn_row(x, z, label, float(v))
        return arranged(self.order, scored)

    def decision(self, X: Array) -> Array:
        """Return scores without learning."""
        return arranged(self.order, [self._scored(self._scaled(x)) for x in self._prepared(X)])

    def _prepared(self, X: Array) -> Array:
        X = np.asarray(X, dtype=np.float64)
        if self.model is None:
            self.scaler = Scaler(self.settings.standardize, X.shape[1])
            self.model = self._new_model(X.shape[1])
        return X

    def _new_model(self, columns: int) -> Model:
        s = self.settings
        members, outputs = self.method.size, len(self.order) if len(self.order) > 2 else 1
        standard = s.standardize is not None
        if self.learner == "kernel":
            gamma = 1.0 if standard or s.unit_rows else 1 / columns
            shape = (members, outputs, columns)
            return Kernel(KernelParameters(**self.learner_params), shape, bias=s.fit_intercept, gamma=gamma)
        if self.learner == "fourier":
            # z was divided by sqrt(d), but for rows of length 1 and raw ones
            stretch = math.sqrt(columns) if standard and not s.unit_rows else 1.0
            parameters = FourierParameters(**self.learner_params)
            fourier = Fourier(parameters, columns, stretch=stretch, intercept=s.fit_intercept, seed=self.seed)
            return self._new_linear(fourier, (members, outputs, fourier.width))
        return self._new_linear(self._plain, (members, outputs, columns + s.fit_intercept))

    def _new_linear(self, features: Callable[[Array], Array], shape: tuple[int, int, int]) -> Linear:
        return Linear(loss_of(self.learner), features, shape, rate=self.rate, radius=self.settings.radius)

    def _plain(self, z: Array) -> Array:
        return np.append(z, 1.0) if self.settings.fit_intercept else z

    def _scaled(self, x: Array) -> Array:
        z = self.scaler.z(x)
        return z / max(float(np.linalg.norm(z)), 1e-14) if self.settings.unit_rows else z

    def _scored(self, z: Array) -> Scored:
        assert self.model is not None
        f = self.method.score(self.model.outputs(z), self.order, self._positive(), self.book)
        return f, list(self.order)

    def _positive(self) -> Label:
        """Return the positive class; None while it is not known: a lone class is negative."""
        wanted = self.settings.positive
        if len(self.order) < 2 or wanted in self.order:
            return wanted
        return max(self.order)

    def _learn_row(self, x: Array, z: Array, label: Label, v: float) -> None:
        assert self.model is not None
        self.t += 1
        self.scaler.see(x)
        self._admit(label)
        turn = Turn(
            label=label,
            z=z,
            t=self.t,
            eta=self._eta(),
            v=v,
            order=self.order,
            positive=self._positive(),
            book=self.book,
            model=self.model,
            draws=self.draws,
        )
        self.model.begin()
        length = self.model.finish(self.method.learn(turn), self.t)
        self.method.remember(label)
        self.book.seen[label] += 1
        self.book.travelled[label] += length
        self.book.pulled[label] += self.method.pull(length)
        self.book.remember_imbalance(self._positive())

    def _admit(self, label: Label) -> None:
        if label in self.order:
            return
        if len(self.order) >= 2 and self.method.two_classes_only:
            raise ValueError(f"Class {label!r} is the third; this method (or its paper reading) knows two classes only.")
        self.order.append(label)
        self.book.admit(label)
        if len(self.order) > 2 and self.model is not None:
            self.model.add_class()

    def _eta(self) -> float:
        s = self.settings
        power = {"constant": 0.0, "sqrt": 0.5, "invscaling": s.power_t}[s.learning_rate]
        return float(s.eta0 / self.t**power)
