"""The ledger as users see it: per class what was seen, its share, and how hard it pulled."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Account:
    """One class in the ledger.

    Examples
    --------
    >>> from poise.ledger import Account
    >>> Account(seen=3, share=0.75, pulled=0.2, travelled=0.2).seen
    3
    """

    seen: int
    share: float
    pulled: float
    travelled: float


@dataclass(frozen=True)
class Ledger:
    """What each class has brought so far; ``ledger[label]`` is one account.

    Examples
    --------
    >>> from poise import HGDClassifier
    >>> clf = HGDClassifier().partial_fit([[0.0], [1.0], [1.0]], [0, 1, 1], classes=[0, 1])
    >>> clf.ledger_[1].seen
    2
    """

    classes: NDArray[Any]
    seen: NDArray[np.uint64]
    share: NDArray[np.float64]
    pulled: NDArray[np.float64]
    travelled: NDArray[np.float64]

    def __getitem__(self, label: Any) -> Account:
        """Account of one class."""
        for k, known in enumerate(self.classes.tolist()):
            if known == label:
                return Account(int(self.seen[k]), float(self.share[k]), float(self.pulled[k]), float(self.travelled[k]))
        raise KeyError(f"{label!r} is not among the classes {self.classes.tolist()}")

    def __len__(self) -> int:
        """Return the number of classes."""
        return len(self.classes)

    def frame(self) -> dict[str, NDArray[Any]]:
        """Columns of the ledger as arrays, ready for any table library."""
        return {
            "class": self.classes,
            "seen": self.seen,
            "share": self.share,
            "pulled": self.pulled,
            "travelled": self.travelled,
        }
