"""The turn of one row: what a method sees of it, and the steps it may take."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from .draws import Draws
from .ledger import Label, Ledger
from .losses import slopes

Array = npt.NDArray[np.float64]


class Model(Protocol):
    """The weights of all members, linear or kernel.

    A row z is scaled and has no intercept. A member has one output for up to two classes, else
    one per class.
    """

    loss: str

    def score(self, member: int, z: Array) -> Array:
        """Return the raw outputs of one member, which steer learning."""

    def scores(self, z: Array) -> Array:
        """Return the raw outputs, a row per member."""

    def outputs(self, z: Array) -> Array:
        """Return what goes out, a row per member: from averaged weights, where there are any."""

    def move(self, member: int, z: Array, g: Array, factor: float) -> float:
        """Step every output against its slope g; return the length."""

    def settle(self) -> None:
        """Take note that the steps at one row (or synthetic row) are done."""

    def begin(self) -> None:
        """Take note that a row begins."""

    def finish(self, length: float, t: int) -> float:
        """Project and average after all steps of a row; return the length really travelled."""

    def add_class(self) -> None:
        """Make room for one more class than two (or more)."""

    def features(self, z: Array) -> Array:
        """Return the vector that linear weights multiply."""


@dataclass(frozen=True)
class Turn:
    """A row to be learned; counts are those before it, its label is already known to the ledger."""

    label: Label
    z: Array
    t: int  # rows learned, with this one
    eta: float
    v: float  # the weight of the row
    order: list[Label]  # classes as they arrived
    positive: Label
    book: Ledger
    model: Model
    draws: Draws

    @property
    def up(self) -> int:
        """The internal number of the class."""
        return self.order.index(self.label)

    @property
    def is_positive(self) -> bool:
        """Whether formulas call this row "+1"."""
        return bool(self.label == self.positive)

    @property
    def many(self) -> bool:
        """Whether there are more than two classes."""
        return len(self.order) > 2

    def counts(self) -> dict[Label, float]:
        """Return N per class from 1, over the classes seen before and the row's own."""
        return {c: 1.0 + n for c, n in self.book.seen.items() if n > 0 or c == self.label}

    def positives_and_negatives(self) -> tuple[float, float]:
        """Return N_+ and N_-, both from 1."""
        seen = self.book.seen
        positives = seen.get(self.positive, 0)
        return 1.0 + positives, 1.0 + sum(seen.values()) - positives

    def ratio(self, ir: float | None) -> float:
        """Return the class ratio R: the given one, or the running one, at least 1."""
        if ir is not None:
            return ir
        n_p, n_n = self.positives_and_negatives()
        return max(1.0, n_n / n_p)

    def is_minority(self, ir: float | None) -> bool:
        """Whether the row is of the smaller of two classes; equal: of the positive one."""
        if ir is not None:
            return self.is_positive == (ir > 1)
        own = self.book.seen[self.label]
        other = sum(self.book.seen.values()) - own
        return own < other or (own == other and self.is_positive)

    def step(self, member: int, weight: float = 1.0, *, z: Array | None = None, goals: Array | None = None) -> float:
        """Let a member step at the row (or at a synthetic one) by its own loss; return the length."""
        z = self.z if z is None else z
        g = slopes(self.model.loss, self.model.score(member, z), self.up, goals)
        return self.move(member, g, weight, z=z)

    def move(self, member: int, g: Array, weight: float, *, z: Array | None = None) -> float:
        """Let a member step by given slopes; return the length."""
        return self.model.move(member, self.z if z is None else z, g, self.eta * weight * self.v)

    def repeat(self, member: int, k: int, mode: str) -> float:
        """Let a member take k steps, the loss renewed before each, or one step of weight k."""
        if mode == "weight":
            return self.step(member, float(k)) if k > 0 else 0.0
        return sum(self.step(member) for _ in range(k))
