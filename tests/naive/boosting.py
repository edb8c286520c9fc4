"""Members that hand a weight on to each other: OAdaB, OAdaC2, OCSB2, ORUSB1, ORUSB2, ORUSB3."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .ensemble import Ensemble, decided, mean_score, seen_classes
from .ledger import Label, Ledger
from .losses import slopes, target
from .turn import Turn

Array = npt.NDArray[np.float64]

LEAST = 1e-6  # of an error, and of its complement
MOST = 100.0  # of the weight that is handed on


def clipped(error: float) -> float:
    """Return an error that has log-odds."""
    return min(max(error, LEAST), 1 - LEAST)


def log_odds(wrong: float, total: float, more: float = 0.0) -> float:
    """Return log((1 - e)/e) + more for e = wrong/total, at least 0; 0 where e is undefined."""
    if total == 0:
        return 0.0
    e = clipped(wrong / total)
    return max(0.0, math.log((1 - e) / e) + more)


@dataclass
class Boosting(Ensemble):
    """The walk of a row along the members; `right` and `wrong` are sums of weights per member."""

    def __post_init__(self) -> None:
        self.right = [0.0] * self.size
        self.wrong = [0.0] * self.size

    @property
    def soft(self) -> bool:
        """In the paper reading the score is the plain mean for all learners."""
        return self.paper

    def arrive(self, turn: Turn) -> None:
        """Take note of a row once, before the members."""

    def draw_rate(self, member: int, weight: float, positive: bool) -> float:
        """Return a member's Poisson rate for a row of this weight."""
        return weight

    def hand_on(self, member: int, weight: float, ok: bool, positive: bool) -> float:
        """Return the weight for the next member, after the test of this one."""
        (self.right if ok else self.wrong)[member] += weight
        total = self.right[member] + self.wrong[member]
        if total == 0:
            return weight
        e = clipped(self.wrong[member] / total)
        return weight / (2 * (1 - e)) if ok else weight / (2 * e)

    def vote(self, member: int, classes: int) -> float:
        """Return a member's vote in the textbook reading."""
        return log_odds(self.wrong[member], self.right[member] + self.wrong[member])

    def votes(self, book: Ledger) -> Array:
        """Return log-odds, or ones in the paper reading."""
        if self.paper:
            return np.ones(self.size)
        classes = max(2, len(seen_classes(book)))
        return np.array([self.vote(m, classes) for m in range(self.size)])

    def common_slopes(self, turn: Turn, f: Array) -> Array:
        """Return the slope at the mean; the perceptron's is at the decision, a tie is positive."""
        mean = mean_score(f, np.ones(self.size))
        if turn.model.loss != "perceptron":
            return slopes(turn.model.loss, mean, turn.up)
        wrong = decided(mean, turn.order, turn.positive) != turn.up
        return np.array([-target(turn.up) if wrong else 0.0])

    def learn(self, turn: Turn) -> float:
        """Let the members step one after the other, each tested on the row after its step."""
        positive, model = turn.is_positive, turn.model
        self.arrive(turn)
        together, g = False, None
        if self.paper:
            f = model.scores(turn.z)
            g = self.common_slopes(turn, f)
            together = decided(mean_score(f, np.ones(self.size)), turn.order, turn.positive) == turn.up
        weight, length = 1.0, 0.0
        for m in range(self.size):
            k = turn.draws.poisson(self.draw_rate(m, weight, positive))
            length += self.take(turn, m, k, g)
            own = decided(model.score(m, turn.z), turn.order, turn.positive) == turn.up
            ok = together if self.paper else own
            weight = min(max(self.hand_on(m, weight, ok, positive), 0.0), MOST)
        return length / self.size


@dataclass
class OAdaB(Boosting):
    """Online AdaBoost (Oza & Russell 2001), with SAMME's votes for more classes."""

    def vote(self, member: int, classes: int) -> float:
        """Return log-odds + log(C - 1)."""
        return log_odds(self.wrong[member], self.right[member] + self.wrong[member], math.log(classes - 1))


@dataclass
class CostSensitive(Boosting):
    """A cost for every class; two classes only."""

    c_p: float = 1.0
    c_n: float | None = None

    @property
    def two_classes_only(self) -> bool:
        """There is no form for more classes."""
        return True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.c_n is None:
            self.c_n = 0.64 if self.paper else 0.8
        self.sum = [0.0] * self.size

    def cost(self, positive: bool) -> float:
        """Return c_p or c_n."""
        return self.c_p if positive else float(self.c_n or 0.0)

    def draw_rate(self, member: int, weight: float, positive: bool) -> float:
        """Return the weight, after it was added to the sum."""
        self.sum[member] += weight
        return weight


@dataclass
class OAdaC2(CostSensitive):
    """Online AdaC2 (Wang & Pineau 2016)."""

    def hand_on(self, member: int, weight: float, ok: bool, positive: bool) -> float:
        """Return C lam sum / (2 A) or C lam sum / (2 E)."""
        side, c = self.right if ok else self.wrong, self.cost(positive)
        side[member] += c * weight
        return c * weight * self.sum[member] / (2 * side[member]) if side[member] != 0 else weight


@dataclass
class OCSB2(CostSensitive):
    """Online CSB2 (Wang & Pineau 2016); `wrong` is W, `dear` is V."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.dear = [0.0] * self.size

    def hand_on(self, member: int, weight: float, ok: bool, positive: bool) -> float:
        """Return lam e / ((1 - e)(e + q)) or C lam / (e + q)."""
        c = self.cost(positive)
        if not ok:
            self.wrong[member] += weight
            self.dear[member] += c * weight
        total = self.sum[member]
        if total == 0:
            return weight
        e, q = clipped(self.wrong[member] / total), self.dear[member] / total
        if not ok:
            return c * weight / (e + q)
        return weight if self.wrong[member] == 0 else weight * e / ((1 - e) * (e + q))

    def vote(self, member: int, classes: int) -> float:
        """Return the log-odds of the weighted error."""
        return log_odds(self.wrong[member], self.sum[member])


@dataclass
class ORUSB(Boosting):
    """Online RUSBoost (Wang & Pineau 2016), forms 1 to 3.

    Forms 1 and 2 keep `ratio` negatives per positive, 3 divides the negatives' rate by `ir`.
    """

    form: int = 1
    ratio: float = 0.7
    ir: float | None = None

    @property
    def two_classes_only(self) -> bool:
        """There is no form for more classes."""
        return True

    def __post_init__(self) -> None:
        super().__post_init__()
        self.counts: dict[Label, float] = {}  # beyond the 1 at the start
        self.given: list[dict[Label, float]] = [{} for _ in range(self.size)]  # P and Q, sums of weights by label
        self.running = 1.0
        self.label: Label = None

    def arrive(self, turn: Turn) -> None:
        """Count the row, with the class ratio before it."""
        self.running = turn.ratio(None) if self.ir is None else self.ir
        self.label = turn.label
        self.counts[turn.label] = self.counts.get(turn.label, 0.0) + 1

    def draw_rate(self, member: int, weight: float, positive: bool) -> float:
        """Return the rate of the form; the weight where it is undefined.

        Sums belong to labels: which one is positive may turn out only when the second one comes.
        """
        given = self.given[member]
        given[self.label] = given.get(self.label, 0.0) + weight
        if self.form == 3:
            return weight if positive else weight / self.running
        own, other = given[self.label], sum(v for label, v in given.items() if label != self.label)
        n_own = 1 + self.counts[self.label]
        n_other = 1 + sum(v for label, v in self.counts.items() if label != self.label)
        p, q, n_p, n_n = (own, other, n_own, n_other) if positive else (other, own, n_other, n_own)
        c = self.ratio
        n = n_p + n_n
        kept = c * n_p / n_n
        if self.form == 1:
            below = p + q * kept if positive else p / kept + q
            factor = (c + 1) * n_p / n
        else:
            below = p if positive else q
            factor = n_p / n if positive else c * n_p / n
        return weight * (p + q) / below * factor if below != 0 else weight
