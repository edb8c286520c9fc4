"""How hard a row may pull: OGD and HGD."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from .ledger import Label, Ledger

PHANTOM = object()  # stands for the second class until it arrives


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


class OGD:
    """Online gradient descent (Zinkevich 2003): every row pulls with weight 1."""

    norm = "plain"

    def weigh(self, row: Row, ledger: Ledger) -> float:
        """Return 1."""
        return 1.0

    def remember(self, label: Label) -> None:
        """Nothing to remember."""

    def share(self, label: Label, ledger: Ledger) -> float:
        """Return the share of the rows seen so far."""
        rows = sum(ledger.seen.values())
        return ledger.seen[label] / rows if rows else 0.0


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
    shares: dict[Label, float] = field(default_factory=dict, init=False)  # p, with memory

    def weigh(self, row: Row, ledger: Ledger) -> float:
        """Return the weight a of a row, from counts and sums before it."""
        if self.memory is not None:
            self._admit_share(row.label)
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

    def _admit_share(self, label: Label) -> None:
        if not self.shares:
            self.shares = {label: 0.5, PHANTOM: 0.5}
        elif label not in self.shares and PHANTOM in self.shares:
            self.shares[label] = self.shares.pop(PHANTOM)
        elif label not in self.shares:
            c = len(self.shares) + 1
            self.shares = {k: p * (c - 1) / c for k, p in self.shares.items()}
            self.shares[label] = 1 / c

    def remember(self, label: Label) -> None:
        """Let the shares forget: p_c = m p_c + (1 - m) [y = c], after they were used."""
        if self.memory is not None:
            m = self.memory
            self.shares = {k: m * p + (1 - m) * (k == label) for k, p in self.shares.items()}

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
