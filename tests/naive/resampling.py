"""One model, rows learned again, dropped or made up: OSMOTE, OOR, OUR, OHR."""

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from .ledger import Label, Ledger
from .method import Method, repeat_mode
from .shares import Shares, admitted, decayed
from .turn import Turn

Array = npt.NDArray[np.float64]


def nearest(rows: list[Array], z: Array, k: int) -> list[Array]:
    """Return the k rows next to z, nearest first; of equals the older first."""
    distances = [math.fsum(((row - z) ** 2).tolist()) for row in rows]
    places = sorted(range(len(rows)), key=lambda i: (distances[i], i))
    return [rows[i] for i in places[:k]]


@dataclass
class OSMOTE(Method):
    """Synthetic minority rows between a row and earlier ones near it (Chawla et al. 2002)."""

    neighbors: int = 3
    buffer: int | None = None
    ir: float | None = None
    rows: dict[Label, list[Array]] = field(default_factory=dict, init=False)  # oldest first

    def learn(self, turn: Turn) -> float:
        """Step at the row, then at the synthetic ones."""
        length = turn.step(0)
        turn.model.settle()
        counts = turn.counts()
        rare = counts[turn.label] < max(counts.values()) if turn.many else turn.is_minority(self.ir)
        if not rare:
            return length
        near = nearest(self.rows.setdefault(turn.label, []), turn.z, self.neighbors)
        for z in self._synthetic(turn, near):
            length += turn.step(0, z=z)
            turn.model.settle()
        self._push(turn)
        return length

    def _synthetic(self, turn: Turn, near: list[Array]) -> list[Array]:
        draws, x = turn.draws, turn.z
        if self.paper:
            hit = draws.uniform() < self._probability(turn)
            if not hit or not near:
                return []
            near = [near[math.floor(draws.uniform() * len(near))]]
        elif turn.many:
            counts = turn.counts()
            if not draws.uniform() < 1 - counts[turn.label] / max(counts.values()):
                return []
        return [x + draws.uniform() * (b - x) for b in near]

    def _probability(self, turn: Turn) -> float:
        r = turn.ratio(self.ir)
        return 1 - 1 / max(r, 1 / r)

    def _push(self, turn: Turn) -> None:
        rows = self.rows[turn.label]
        rows.append(turn.z)
        most = (None if self.paper else 100) if self.buffer is None else self.buffer
        if most is not None:
            del rows[: max(0, len(rows) - most)]


@dataclass
class Repeating(Method):
    """Learns a row k times, k drawn by its class."""

    ir: float | None = None
    repeat_mode: str | None = None

    def check(self, learner: str) -> None:
        """Check the mode of repeats too."""
        super().check(learner)
        self.mode_of_repeats = repeat_mode(self.repeat_mode, "weight" if self.paper else "sequential")

    def rate(self, turn: Turn) -> float | None:
        """Return the Poisson rate of a row; None means exactly once, without a draw."""
        raise NotImplementedError

    def learn(self, turn: Turn) -> float:
        """Draw and repeat."""
        rate = self.rate(turn)
        k = 1 if rate is None else turn.draws.poisson(rate)
        return turn.repeat(0, k, self.mode_of_repeats)


@dataclass
class OOR(Repeating):
    """Oversamples the positives, or every class but the largest."""

    def rate(self, turn: Turn) -> float | None:
        """Return R for a positive."""
        if not turn.many:
            return turn.ratio(self.ir) if turn.is_positive else None
        counts = turn.counts()
        top = max(counts.values())
        return None if counts[turn.label] == top else top / counts[turn.label]


@dataclass
class OUR(Repeating):
    """Undersamples the negatives, or every class but the smallest."""

    def rate(self, turn: Turn) -> float | None:
        """Return 1/R for a negative."""
        if not turn.many:
            return None if turn.is_positive else 1 / turn.ratio(self.ir)
        counts = turn.counts()
        bottom = min(counts.values())
        return None if counts[turn.label] == bottom else bottom / counts[turn.label]


@dataclass
class OHR(Repeating):
    """Over- and undersampling, by the fall of a coin or both at once."""

    mode: str | None = None
    decay: float = 0.9
    shares: Shares = field(default_factory=dict, init=False)  # with the paper's coin

    @property
    def two_classes_only(self) -> bool:
        """There is no form for more classes."""
        return True

    def check(self, learner: str) -> None:
        """Choose the mode of the reading."""
        super().check(learner)
        paper = "literal" if learner == "kernel" else "shares"
        default = paper if self.paper else "coin"
        self.mode_in_use = default if self.mode is None else self.mode
        if self.mode not in (None, "coin", "sqrt", "literal"):
            raise ValueError(f"mode={self.mode!r} is not 'coin', 'sqrt' or 'literal'.")

    def rate(self, turn: Turn) -> float | None:
        """Return the rate of the row, after the coin where there is one."""
        r = turn.ratio(self.ir)
        if self.mode_in_use == "literal":
            return r if turn.is_positive else 1 / r
        if self.mode_in_use == "sqrt":
            return math.sqrt(r) if turn.is_positive else 1 / math.sqrt(r)
        heads = turn.draws.uniform() < 0.5
        if self.mode_in_use == "shares":
            return self._rate_by_share(turn, heads)
        if heads:
            return r if turn.is_positive else None
        return None if turn.is_positive else 1 / r

    def _rate_by_share(self, turn: Turn, heads: bool) -> float | None:
        self.shares = decayed(admitted(self.shares, turn.label), turn.label, self.decay)
        own, minority = self.shares[turn.label], turn.is_minority(self.ir)
        if heads:
            return 1 / own if minority else None
        return None if minority else 1 - own

    def share(self, label: Label, ledger: Ledger) -> float:
        """Return the decayed share where the coin of the paper needs it."""
        return self.shares.get(label, 0.0) if self.mode_in_use == "shares" else super().share(label, ledger)
