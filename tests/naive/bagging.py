"""Members that learn on their own: OB, OKB, OOB, OUB, OWOB, OWUB, OUOB, OEB, WEOB1, WEOB2."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .ensemble import Ensemble, decided, hard_score, seen_classes
from .ledger import Label, Ledger
from .shares import Shares, admitted, decayed
from .turn import Turn

Array = npt.NDArray[np.float64]


def geometric_mean(values: list[float]) -> float:
    """Return (product)^(1/number)."""
    return float(math.prod(values) ** (1 / len(values)))


@dataclass
class OB(Ensemble):
    """Online bagging (Oza & Russell 2001)."""

    def rate(self, turn: Turn, member: int, right: bool) -> float:
        """Return 1."""
        return 1.0


@dataclass
class OKB(OB):
    """Online bagging with votes by Cohen's kappa (after Cano & Krawczyk 2020)."""

    decay: float = 1.0

    def __post_init__(self) -> None:
        self.confusion: list[dict[tuple[int, int], float]] = [{} for _ in range(self.size)]  # (true, decided)

    def watch(self, turn: Turn, f: Array) -> None:
        """Count the decisions."""
        for m, row in enumerate(f):
            table = {cell: n * self.decay for cell, n in self.confusion[m].items()}
            cell = (turn.up, decided(row, turn.order, turn.positive))
            table[cell] = table.get(cell, 0.0) + 1
            self.confusion[m] = table

    def votes(self, book: Ledger) -> Array:
        """Return kappa, at least 0."""
        if len(seen_classes(book)) < 2:
            return np.zeros(self.size)
        return np.array([max(0.0, kappa(table)) for table in self.confusion])


def kappa(table: dict[tuple[int, int], float]) -> float:
    """Return (p_o - p_e) / (1 - p_e) of a confusion table; 0 where p_e = 1.

    Both parts are taken times n^2, so that whole counts give an exact 0; less than a millionth, which faded counts may give,
    counts as 0.
    """
    n = sum(table.values())
    classes = {c for cell in table for c in cell}
    agreed = sum(value for (true, said), value in table.items() if true == said)
    chance = 0.0
    for c in classes:
        row = sum(value for (true, _), value in table.items() if true == c)
        column = sum(value for (_, said), value in table.items() if said == c)
        chance += row * column
    above = n * agreed - chance
    if abs(above) <= 1e-6 * n * n or chance == n * n:
        return 0.0
    return above / (n * n - chance)


class Recalls:
    """Decayed recalls of some voters, .5 at the start of a class."""

    def __init__(self, voters: int) -> None:
        self.of: list[dict[Label, float]] = [{} for _ in range(voters)]

    def watch(self, label: Label, right: list[bool], decay: float) -> None:
        """Move the recall of the row's class."""
        for recall, ok in zip(self.of, right, strict=True):
            recall[label] = decay * recall.get(label, 0.5) + (1 - decay) * ok

    def gmeans(self, book: Ledger) -> Array:
        """Return the geometric mean over the classes seen, 0 before two."""
        seen = seen_classes(book)
        if len(seen) < 2:
            return np.zeros(len(self.of))
        return np.array([geometric_mean([recall[c] for c in seen]) for recall in self.of])


@dataclass
class Sharing(Ensemble):
    """Keeps decayed shares of the classes, moved before they are used."""

    decay: float = 0.9

    def __post_init__(self) -> None:
        self.shares: Shares = {}
        self.recalls = Recalls(self.size)

    def watch(self, turn: Turn, f: Array) -> None:
        """Move the shares and the recalls."""
        self.shares = decayed(admitted(self.shares, turn.label), turn.label, self.decay)
        self.recalls.watch(turn.label, self.rights(turn, f), self.decay)

    def share(self, label: Label, ledger: Ledger) -> float:
        """Return the decayed share."""
        return self.shares.get(label, 0.0)

    def over(self, label: Label) -> float:
        """Return the rate that lifts every class to the largest (Wang, Minku & Yao 2015)."""
        return max(self.shares.values()) / self.shares[label]

    def under(self, label: Label) -> float:
        """Return the rate that lowers every class to the smallest."""
        return min(self.shares.values()) / self.shares[label]


@dataclass
class OOB(Sharing):
    """Oversampling-based online bagging."""

    ir: float | None = None

    def rate(self, turn: Turn, member: int, right: bool) -> float:
        """Return the form of 2015; the paper has that of 2013 but for the kernel learner."""
        if self.paper and self.learner != "kernel":
            return 1 / self.shares[turn.label] if turn.is_minority(self.ir) else 1.0
        return self.over(turn.label)


@dataclass
class OUB(Sharing):
    """Undersampling-based online bagging."""

    ir: float | None = None

    def rate(self, turn: Turn, member: int, right: bool) -> float:
        """Return the form of 2015; the paper has that of 2013 but for the kernel learner."""
        if self.paper and self.learner != "kernel":
            return 1.0 if turn.is_minority(self.ir) else 1 - self.shares[turn.label]
        return self.under(turn.label)


@dataclass
class OWOB(Sharing):
    """OOB with votes by decayed G-mean."""

    def rate(self, turn: Turn, member: int, right: bool) -> float:
        """Return that of OOB."""
        return self.over(turn.label)

    def votes(self, book: Ledger) -> Array:
        """Return the G-means, or ones in the paper reading."""
        return super().votes(book) if self.paper else self.recalls.gmeans(book)


@dataclass
class OWUB(OWOB):
    """OUB with votes by decayed G-mean."""

    ir: float | None = None

    def rate(self, turn: Turn, member: int, right: bool) -> float:
        """Return that of OUB; in the paper reading 1 for positives, 1/IR for negatives."""
        if self.paper:
            return 1.0 if turn.is_positive else 1 / turn.ratio(self.ir)
        return self.under(turn.label)


@dataclass
class WEOB(Sharing):
    """OOB and OUB together, each half voting by the decayed G-mean of its decision.

    WEOB1 weighs the halves, WEOB2 (`best`) takes the better one (Wang, Minku & Yao 2015).
    """

    best: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self.recalls = Recalls(2)

    @property
    def size(self) -> int:
        """Members of both halves."""
        return 2 * self.members

    def rights(self, turn: Turn, f: Array) -> list[bool]:
        """Return how each member did: not used."""
        return [False] * self.size

    def watch(self, turn: Turn, f: Array) -> None:
        """Move the shares, and the recalls of the halves."""
        self.shares = decayed(admitted(self.shares, turn.label), turn.label, self.decay)
        right = []
        for half in (f[: self.members], f[self.members :]):
            score = hard_score(half, np.ones(self.members), turn.order, turn.positive)
            right.append(decided(score, turn.order, turn.positive) == turn.up)
        self.recalls.watch(turn.label, right, self.decay)

    def rate(self, turn: Turn, member: int, right: bool) -> float:
        """Return the rate of the half."""
        return self.over(turn.label) if member < self.members else self.under(turn.label)

    def votes(self, book: Ledger) -> Array:
        """Return the votes of the halves, given to their members."""
        over, under = self.recalls.gmeans(book).tolist()
        if over + under == 0:
            return np.ones(self.size)
        halves = [over >= under, over < under] if self.best else [over / (over + under), under / (over + under)]
        return np.repeat(np.array(halves, dtype=np.float64), self.members)


@dataclass
class OUOB(Ensemble):
    """Online UnderOverBagging (Wang & Pineau 2016): member m samples at m/M."""

    ir: float | None = None

    def rate(self, turn: Turn, member: int, right: bool) -> float:
        """Return a R for positives, a for negatives, a = m/M."""
        a = (member + 1) / self.size
        if turn.many:
            counts = turn.counts()
            return a * (max(counts.values()) / counts[turn.label])
        return a * turn.ratio(self.ir) if turn.is_positive else a


@dataclass
class OEB(Ensemble):
    """Online effective bagging, a stand-in: rates by class and by how the member did."""

    ir: float | None = None

    def __post_init__(self) -> None:
        self.right: list[dict[Label, int]] = [{} for _ in range(self.size)]
        self.total: dict[Label, int] = {}

    @property
    def two_classes_only(self) -> bool:
        """There is no form for more classes."""
        return True

    def watch(self, turn: Turn, f: Array) -> None:
        """Count the right decisions."""
        label = turn.label
        self.total[label] = self.total.get(label, 0) + 1
        for right, ok in zip(self.right, self.rights(turn, f), strict=True):
            right[label] = right.get(label, 0) + ok

    def rate(self, turn: Turn, member: int, right: bool) -> float:
        """Return 1 for positives, 1/IR for negatives; more where the member was wrong."""
        r = 1 / turn.ratio(self.ir)
        if self.paper or right:
            return 1.0 if turn.is_positive else r
        return 2.0 if turn.is_positive else math.sqrt(r)

    def votes(self, book: Ledger) -> Array:
        """Return the G-mean of all decisions so far."""
        seen = seen_classes(book)
        if len(seen) < 2:
            return np.zeros(self.size)
        return np.array([geometric_mean([right[c] / self.total[c] for c in seen]) for right in self.right])
