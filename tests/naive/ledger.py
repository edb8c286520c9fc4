"""What every class has pulled so far, and how unequal the pulls were."""

import math
from dataclasses import dataclass, field
from typing import Any

Label = Any  # anything sortable


@dataclass
class Ledger:
    """Per class: rows seen, pull sum, length travelled; and the sums of gradient imbalance."""

    seen: dict[Label, int] = field(default_factory=dict)
    pulled: dict[Label, float] = field(default_factory=dict)
    travelled: dict[Label, float] = field(default_factory=dict)
    gii: float = 0.0
    gii_log: float = 0.0
    counted: int = 0

    def admit(self, label: Label) -> None:
        """Open the account of a class."""
        self.seen[label] = 0
        self.pulled[label] = 0.0
        self.travelled[label] = 0.0

    def imbalance(self, positive: Label) -> float:
        """Return GI = A_neg / A_pos, for K > 2 largest / smallest; nan where undefined."""
        lengths = {c: self.travelled[c] for c, n in self.seen.items() if n > 0}
        if len(lengths) < 2 or min(lengths.values()) <= 0:
            return math.nan
        if len(self.seen) > 2:
            return max(lengths.values()) / min(lengths.values())
        (negative,) = (c for c in lengths if c != positive)
        return lengths[negative] / lengths[positive]

    def remember_imbalance(self, positive: Label) -> None:
        """Add (GI - 1)^2 and (ln GI)^2 after a learned row, where GI is defined."""
        gi = self.imbalance(positive)
        if not math.isnan(gi):
            self.gii += (gi - 1) ** 2
            self.gii_log += math.log(gi) ** 2
            self.counted += 1

    def account(self, label: Label, share: float) -> dict[str, float]:
        """Return what is known of one class."""
        return {
            "seen": self.seen[label],
            "share": share,
            "pulled": self.pulled[label],
            "travelled": self.travelled[label],
        }

    def gradient_imbalance(self, positive: Label) -> dict[str, float]:
        """Return GI now (nan where undefined), its two sums and the rows in them."""
        return {
            "gi": self.imbalance(positive),
            "gii": self.gii,
            "gii_log": self.gii_log,
            "counted": self.counted,
        }
