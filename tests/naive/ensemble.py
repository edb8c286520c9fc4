"""Members that vote: how they decide, how their votes make a score, how they step together."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .ledger import Label, Ledger
from .losses import slopes, target
from .method import Method, repeat_mode
from .turn import Turn

Array = npt.NDArray[np.float64]

TIE = 1e-6  # how much the mean score counts beside the votes


def decided(f: Array, order: list[Label], positive: Label) -> int:
    """Return the internal number of the class that outputs decide for.

    One output: a tie is for the positive class, number 1 while that one is unknown. More: the
    largest wins, of equals the smallest label.
    """
    if len(f) > 1:
        best = float(np.max(f))
        winner = min(label for label, value in zip(order, f, strict=True) if value == best)
        return order.index(winner)
    if f[0] == 0:
        return order.index(positive) if positive in order else 1
    return 1 if f[0] > 0 else 0


def usable(votes: Array) -> Array:
    """Return the votes; undefined ones are 0, and all are 1 when nobody has one."""
    votes = np.where(np.isnan(votes), 0.0, votes)
    return votes if np.any(votes != 0) else np.ones(len(votes))


def hard_score(f: Array, votes: Array, order: list[Label], positive: Label) -> Array:
    """Return the weighted mean of hard votes plus a little of the mean outputs."""
    decisions = [decided(row, order, positive) for row in f]
    if f.shape[1] == 1:
        hard = np.array([[target(k)] for k in decisions])
    else:
        hard = np.array([[float(k == c) for c in range(f.shape[1])] for k in decisions])
    return np.asarray(votes @ hard / np.sum(np.abs(votes)) + TIE * np.mean(f, axis=0))


def mean_score(f: Array, votes: Array) -> Array:
    """Return F, the weighted mean of the outputs."""
    return np.asarray(votes @ f / np.sum(votes))


def seen_classes(book: Ledger) -> list[Label]:
    """Return the classes that had a row."""
    return [c for c, n in book.seen.items() if n > 0]


@dataclass
class Ensemble(Method):
    """Members that take k steps at a row, k drawn for each.

    In the paper reading they take one step of weight k together, on the ensemble's loss.
    """

    members: int = 10
    repeat_mode: str | None = None

    @property
    def size(self) -> int:
        """Number of members."""
        return self.members

    @property
    def soft(self) -> bool:
        """Whether the score is the mean F of the outputs, and not of the hard votes."""
        return self.paper and self.learner != "perceptron"

    def check(self, learner: str) -> None:
        """Check the mode of repeats too."""
        super().check(learner)
        self.mode_of_repeats = repeat_mode(self.repeat_mode, "sequential")

    def votes(self, book: Ledger) -> Array:
        """Return how much every member's decision counts."""
        return np.ones(self.size)

    def score(self, f: Array, order: list[Label], positive: Label, book: Ledger) -> Array:
        """Return the scores of a row from the outputs of the members."""
        votes = usable(self.votes(book))
        if self.soft:
            return np.asarray(mean_score(f, votes) + TIE * np.mean(f, axis=0))
        return hard_score(f, votes, order, positive)

    def common_slopes(self, turn: Turn, f: Array) -> Array:
        """Return the slope of the ensemble's loss, by which all members step together."""
        loss = turn.model.loss
        if loss != "perceptron":
            return slopes(loss, mean_score(f, usable(self.votes(turn.book))), turn.up)
        wrong = self.decision(turn, f) != turn.up
        return np.array([-target(turn.up) if wrong else 0.0])

    def decision(self, turn: Turn, f: Array) -> int:
        """Return the class that the ensemble decides for."""
        return decided(self.score(f, turn.order, turn.positive, turn.book), turn.order, turn.positive)

    def take(self, turn: Turn, member: int, k: int, g: Array | None) -> float:
        """Take k steps of its own, or one of weight k by common slopes g; return the length."""
        if g is None:
            return turn.repeat(member, k, self.mode_of_repeats)
        return turn.move(member, g, float(k)) if k > 0 else 0.0

    def watch(self, turn: Turn, f: Array) -> None:
        """Remember how well the members do, before they learn the row."""

    def rate(self, turn: Turn, member: int, right: bool) -> float:
        """Return a member's Poisson rate; `right` says how it did before the row."""
        raise NotImplementedError

    def learn(self, turn: Turn) -> float:
        """Let every member draw and step."""
        f = turn.model.scores(turn.z)
        g = self.common_slopes(turn, f) if self.paper else None
        self.watch(turn, f)
        length = 0.0
        for m, right in enumerate(self.rights(turn, f)):
            k = turn.draws.poisson(self.rate(turn, m, right))
            length += self.take(turn, m, k, g)
        return length / self.size

    def rights(self, turn: Turn, f: Array) -> list[bool]:
        """Return which members decide rightly."""
        return [decided(row, turn.order, turn.positive) == turn.up for row in f]
