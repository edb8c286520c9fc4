"""How hard a row may pull: OGD, HGD and CSOGD."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from .ledger import Label, Ledger
from .losses import binary_loss, target
from .method import Method
from .shares import PHANTOM, Shares, admitted, decayed
from .turn import Turn


@dataclass(frozen=True)
class Row:
    """What a method may know of a row."""

    label: Label
    t: int = 1
    loss: float = 0.0
    positive: Label = None


def harmonized(y: Label, base: float, sums: Mapping[Label, float], form: str) -> float:
    """Return HGD's weight of a row of class y from the pull sums of all classes.

    Zhou et al. 2025: 2 rho S_-/S for a positive and 2 S_+/S for a negative. "complement"
    extends that to C classes; "printed" is their C-class rule (two classes: the binary one).
    """
    c = len(sums)
    total = sum(sums.values())
    if form == "inverse":
        return base * total / (c * sums[y])
    if form == "printed" and c > 2:
        return base * c * sums[y] / total
    if form in ("complement", "printed"):
        return base * c / (c - 1) * (total - sums[y]) / total
    raise ValueError(f"multiclass={form!r} is not 'complement', 'inverse' or 'printed'.")


@dataclass
class OGD(Method):
    """Online gradient descent (Zinkevich 2003): every row pulls with weight 1."""

    weight: float = field(default=1.0, init=False)  # of the last row

    @property
    def two_classes_only(self) -> bool:
        """Both readings are the same and know any number of classes."""
        return False

    def weigh(self, row: Row, ledger: Ledger) -> float:
        """Return 1."""
        return 1.0

    def learn(self, turn: Turn) -> float:
        """Take one step of the weight."""
        f = turn.model.score(0, turn.z)
        loss = binary_loss(turn.model.loss, target(turn.up), float(f[0])) if len(f) == 1 else 0.0
        self.weight = self.weigh(Row(turn.label, turn.t, loss, turn.positive), turn.book)
        return turn.step(0, self.weight)


@dataclass
class HGD(OGD):
    """Harmonized gradient descent (Zhou et al. 2025).

    Parameters
    ----------
    clamp
        Largest weight; "assumption4" clips to [1/R, 2R], R the largest class ratio so far.
    norm
        "plain" sums step lengths, "squared" sums a * (length without a)^2.
    memory
        Forgetting factor of the class shares; None counts all rows alike.
    multiclass
        "complement", "inverse" or "printed".
    variant
        "hgd", or "ohgd" for the rule of the 2023 predecessor.
    """

    clamp: float | str | None = 100.0
    norm: str = "plain"
    memory: float | None = None
    multiclass: str = "complement"
    variant: str = "hgd"
    ratio: float = field(default=1.0, init=False)  # R
    shares: Shares = field(default_factory=dict, init=False)  # p, with memory

    def weigh(self, row: Row, ledger: Ledger) -> float:
        """Return the weight a of a row, from counts and sums before it."""
        if self.memory is not None:
            self.shares = admitted(self.shares, row.label)
        if self.variant == "ohgd":
            return ohgd(row, ledger)
        members = [c for c, n in ledger.seen.items() if n > 0 or c == row.label]
        counts = {c: 1.0 + ledger.seen[c] for c in members}
        sums = {c: 1.0 + ledger.pulled[c] for c in members}
        if len(members) == 1:  # so that two classes are always there
            counts[PHANTOM] = sums[PHANTOM] = 1.0
        if self.memory is None:
            base = max(counts.values()) / counts[row.label]
        else:
            base = max(self.shares.values()) / max(self.shares[row.label], 1e-3)
        self.ratio = max(self.ratio, max(counts.values()) / min(counts.values()))
        return self._clamped(harmonized(row.label, base, sums, self.multiclass))

    def _clamped(self, a: float) -> float:
        if self.clamp is None:
            return a
        if self.clamp == "assumption4":  # Zhou et al. 2025, Assumption 4
            return min(max(a, 1 / self.ratio), 2 * self.ratio)
        return min(a, float(self.clamp))

    def remember(self, label: Label) -> None:
        """Let the shares forget: p_c = m p_c + (1 - m) [y = c], after they were used."""
        if self.memory is not None:
            self.shares = decayed(self.shares, label, self.memory)

    def pull(self, length: float) -> float:
        """Return the length, or the weight times the squared length without it."""
        if self.norm == "plain":
            return length
        return self.weight * (length / self.weight) ** 2 if self.weight > 0 else 0.0

    def share(self, label: Label, ledger: Ledger) -> float:
        """Return the remembered share with memory, the share of the rows seen without."""
        if self.memory is None:
            return super().share(label, ledger)
        return self.shares.get(label, 0.0)


def ohgd(row: Row, ledger: Ledger) -> float:
    """Return the weight of the 2023 predecessor's released rule (two classes only).

    Counts include this row, sums start at 0, the loss value is a factor, a in [1e-2, 2e2].
    """
    if len(ledger.seen) > 2:
        raise ValueError("variant='ohgd' knows two classes only; use variant='hgd'.")
    if row.t <= 2:
        return 1.0
    n_pos = n_neg = 0
    s_pos = s_neg = 0.0
    for c in ledger.seen:
        if c == row.positive:
            n_pos, s_pos = ledger.seen[c] + (c == row.label), ledger.pulled[c]
        else:
            n_neg, s_neg = ledger.seen[c] + (c == row.label), ledger.pulled[c]
    s = max(s_pos + s_neg, 1.0)
    a = 2 * (n_neg / max(n_pos, 1)) * s_neg / s if row.label == row.positive else 2 * s_pos / s
    return min(max(a * row.loss, 1e-2), 2e2)


@dataclass
class CSOGD(Method):
    """Cost-sensitive online gradient descent (Wang, Zhao & Hoi 2014).

    Form 1 asks a margin of rho of a positive row, form 2 weighs it by rho.
    """

    form: int = 2

    @property
    def two_classes_only(self) -> bool:
        """Both readings are the same and know any number of classes."""
        return False

    def check(self, learner: str) -> None:
        """Refuse form 1 without a hinge."""
        super().check(learner)
        if self.form == 1 and learner not in ("svm", "kernel"):
            raise ValueError(f"CSOGD I needs the hinge loss; learner={learner!r} has another.")

    def rho(self, turn: Turn) -> float:
        """Return what a positive is worth in negatives."""
        raise NotImplementedError

    def learn(self, turn: Turn) -> float:
        """Take one step."""
        if turn.many:
            counts = turn.counts()
            r = max(counts.values()) / counts[turn.label]
        else:
            r = self.rho(turn) if turn.is_positive else 1.0
        if self.form == 2:
            return turn.step(0, r)
        goals = np.ones(len(turn.order) if turn.many else 1)
        goals[turn.up if turn.many else 0] = r
        return turn.step(0, goals=goals)


@dataclass
class CSOGDCost(CSOGD):
    """Minimises c_p FN + c_n FP."""

    c_p: float = 0.95
    c_n: float = 0.05

    def rho(self, turn: Turn) -> float:
        """Return c_p / c_n."""
        return self.c_p / self.c_n


@dataclass
class CSOGDSum(CSOGD):
    """Maximises n_p sensitivity + n_n specificity."""

    n_p: float = 0.5
    n_n: float = 0.5
    ir: float | None = None

    def rho(self, turn: Turn) -> float:
        """Return (n_p N_-) / (n_n N_+), or with the given ratio."""
        positives, negatives = turn.positives_and_negatives()
        return self.n_p / self.n_n * (negatives / positives if self.ir is None else self.ir)
