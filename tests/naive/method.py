"""What every method can do."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from .ledger import Label, Ledger
from .turn import Turn

Array = npt.NDArray[np.float64]


@dataclass
class Method:
    """Turns a row into steps. `reading` is "textbook" or "paper"."""

    reading: str = "textbook"
    learner: str = field(default="", init=False)

    @property
    def paper(self) -> bool:
        """Whether the reading is that of the published tables."""
        return self.reading == "paper"

    @property
    def size(self) -> int:
        """Number of members."""
        return 1

    @property
    def two_classes_only(self) -> bool:
        """Whether a third class is refused."""
        return self.paper

    @property
    def can_average(self) -> bool:
        """Whether the weights can be averaged."""
        return True

    @property
    def can_project(self) -> bool:
        """Whether the weights can be held to a ball."""
        return self.size == 1

    def check(self, learner: str) -> None:
        """Note the learner; raise where the two do not go together."""
        if self.reading not in ("textbook", "paper"):
            raise ValueError(f"reading={self.reading!r} is not 'textbook' or 'paper'.")
        self.learner = learner

    def score(self, f: Array, order: list[Label], positive: Label, book: Ledger) -> Array:
        """Return the scores of a row from the outputs of the members, a row per member."""
        return np.asarray(f[0])

    def learn(self, turn: Turn) -> float:
        """Take the steps of a row; return the length travelled, the mean over members."""
        raise NotImplementedError

    def pull(self, length: float) -> float:
        """Return what the class is said to have pulled with steps of this length."""
        return length

    def remember(self, label: Label) -> None:
        """Remember a label after it was used."""

    def share(self, label: Label, ledger: Ledger) -> float:
        """Return the share of the rows seen so far."""
        rows = sum(ledger.seen.values())
        return ledger.seen[label] / rows if rows else 0.0


def repeat_mode(given: str | None, default: str) -> str:
    """Return "sequential" or "weight"."""
    mode = default if given is None else given
    if mode not in ("sequential", "weight"):
        raise ValueError(f"repeat_mode={given!r} is not 'sequential' or 'weight'.")
    return mode
