"""Ensembles whose members each draw how often they learn a row: OB, OKB, OUOB, OEB."""

from dataclasses import dataclass
from typing import Any, ClassVar

from poise.learners import Learner
from poise.methods.ensembles import Bagging
from poise.methods.parameters import given, require_ratio, require_share
from poise.methods.registry import register


@dataclass(frozen=True, kw_only=True, repr=False)
class _WithRatio(Bagging):
    """Rates from the class ratio."""

    ir: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require_ratio(self.ir)

    def settings(self, learner: Learner) -> dict[str, Any]:
        """Return what the core needs to know beside what is usual."""
        return {**super().settings(learner), "ir": given(self.ir, 0.0)}


@register("ob")
@dataclass(frozen=True, kw_only=True, repr=False)
class OB(Bagging):
    """Online bagging: each member learns each row Poisson(1) times, and the members vote.

    Parameters
    ----------
    members
        Number of models.
    repeat_mode
        "sequential" takes a step per repeat, the loss worked out anew; "weight" takes one step of that weight. None: as the
        reading says, sequential for the textbook.
    reading
        "textbook", or "paper": members take one weighted step together, when the ensemble is wrong.

    Examples
    --------
    >>> from poise import OB
    >>> OB(members=5)
    OB(members=5)
    """

    title: ClassVar[str] = "Online bagging"
    paper: ClassVar[str] = "Oza & Russell, AISTATS 2001"


@register("okb")
@dataclass(frozen=True, kw_only=True, repr=False)
class OKB(Bagging):
    """Online kappa bagging: online bagging where a member's vote is its kappa, the agreement beyond chance.

    Parameters
    ----------
    decay
        How slowly a member's record forgets; 1: never.
    members, repeat_mode, reading
        As in `OB`.

    Examples
    --------
    >>> from poise import OKB
    >>> OKB(decay=0.999)
    OKB(decay=0.999)
    """

    decay: float = 1.0

    title: ClassVar[str] = "Online kappa bagging"
    paper: ClassVar[str] = "Cano & Krawczyk, Machine Learning 2020 (KUE)"
    standing: ClassVar[str] = "reconstructed"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_share("decay", self.decay, one=True)

    def settings(self, learner: Learner) -> dict[str, Any]:
        """Return what the core needs to know beside what is usual."""
        return {**super().settings(learner), "decay": float(self.decay)}


@register("ouob")
@dataclass(frozen=True, kw_only=True, repr=False)
class OUOB(_WithRatio):
    """Online under-over-bagging: member m of M learns a positive Poisson(m / M x ir) times and a negative Poisson(m / M) times.

    Parameters
    ----------
    ir
        Negatives per positive of the whole stream; None: counted as the stream goes.
    members, repeat_mode, reading
        As in `OB`.

    Examples
    --------
    >>> from poise import OUOB
    >>> OUOB(ir=9.0)
    OUOB(ir=9.0)
    """

    title: ClassVar[str] = "Online under-over-bagging"
    paper: ClassVar[str] = "Wang & Pineau, TKDE 2016"


@register("oeb")
@dataclass(frozen=True, kw_only=True, repr=False)
class OEB(_WithRatio):
    """Online effective bagging, a stand-in: under-sampling, more of what a member got wrong, votes by G-mean (two classes only).

    Parameters
    ----------
    ir
        Negatives per positive of the whole stream; None: counted as the stream goes.
    members, repeat_mode, reading
        As in `OB`; the paper's reading does not look at what a member got wrong.

    Examples
    --------
    >>> from poise import OEB
    >>> OEB().standing
    'stand-in'
    """

    title: ClassVar[str] = "Online effective bagging"
    paper: ClassVar[str] = "Du et al., Applied Soft Computing 2021"
    standing: ClassVar[str] = "stand-in"
    instead_of_two_classes: ClassVar[str | None] = "owub"

    def settings(self, learner: Learner) -> dict[str, Any]:
        """Return what the core needs to know beside what is usual."""
        return {**super().settings(learner), "plain_rates": self.published}
