"""Ensembles whose members pass a row on, weighed by how well it went: OAdaB, OAdaC2, OCSB2, ORUSB."""

from dataclasses import dataclass
from typing import Any, ClassVar

from poise.errors import require_choice
from poise.learners import Learner
from poise.methods.ensembles import Ensemble
from poise.methods.parameters import given, require_amount, require_ratio
from poise.methods.registry import register

_PINEAU = "Wang & Pineau, TKDE 2016"


@dataclass(frozen=True, kw_only=True, repr=False)
class _Boosting(Ensemble):
    family: ClassVar[str] = "boosting"

    def settings(self, learner: Learner) -> dict[str, Any]:
        """Return what the core needs to know beside what is usual."""
        return {**super().settings(learner), "plain_votes": self.published}


@register("oadab")
@dataclass(frozen=True, kw_only=True, repr=False)
class OAdaB(_Boosting):
    """Online AdaBoost: a row weighs more for the next member when this one gets it wrong.

    Parameters
    ----------
    members
        Number of models.
    repeat_mode
        "sequential" takes a step per repeat, the loss worked out anew; "weight" takes one step of that weight. None: as the
        reading says, sequential for the textbook.
    reading
        "textbook", or "paper": members take one weighted step together, and it is the ensemble that is right or wrong.

    Examples
    --------
    >>> from poise import OAdaB
    >>> OAdaB(members=20)
    OAdaB(members=20)
    """

    title: ClassVar[str] = "Online AdaBoost"
    paper: ClassVar[str] = "Oza & Russell, AISTATS 2001"


@dataclass(frozen=True, kw_only=True, repr=False)
class _Costs(_Boosting):
    """Costs of the two classes."""

    c_p: float = 1.0
    c_n: float | None = None

    paper: ClassVar[str] = _PINEAU

    def __post_init__(self) -> None:
        super().__post_init__()
        require_amount("c_p", self.c_p)
        require_amount("c_n", self.c_n, none=True)

    def settings(self, learner: Learner) -> dict[str, Any]:
        """Return what the core needs to know beside what is usual."""
        costs = {"positive_cost": float(self.c_p), "negative_cost": given(self.c_n, 0.64 if self.published else 0.8)}
        return {**super().settings(learner), **costs}


@register("oadac2")
@dataclass(frozen=True, kw_only=True, repr=False)
class OAdaC2(_Costs):
    """Online AdaC2: online AdaBoost where a class's cost multiplies its rows' weights (two classes only).

    Parameters
    ----------
    c_p, c_n
        Costs of positives and negatives. None: as the reading says, 0.8 for the textbook and 0.64 for the paper.
    members, repeat_mode, reading
        As in `OAdaB`.

    Examples
    --------
    >>> from poise import OAdaC2
    >>> OAdaC2(c_n=0.5)
    OAdaC2(c_n=0.5)
    """

    title: ClassVar[str] = "Online AdaC2"
    instead_of_two_classes: ClassVar[str | None] = "oadab"


@register("ocsb2")
@dataclass(frozen=True, kw_only=True, repr=False)
class OCSB2(_Costs):
    """Online CSB2: online AdaBoost where costs multiply the weights of rows that went wrong (two classes only).

    Parameters
    ----------
    c_p, c_n, members, repeat_mode, reading
        As in `OAdaC2`.

    Examples
    --------
    >>> from poise import OCSB2
    >>> OCSB2().standing
    'derived'
    """

    title: ClassVar[str] = "Online CSB2"
    standing: ClassVar[str] = "derived"
    instead_of_two_classes: ClassVar[str | None] = "oadab"


@register("orusb1", title="Online RUSBoost, fixed class ratio", form=1, unused=("ir",))
@register("orusb2", title="Online RUSBoost, fixed weight ratio", form=2, unused=("ir",))
@register("orusb3", title="Online RUSBoost, fixed sampling rate", form=3, unused=("ratio",))
@dataclass(frozen=True, kw_only=True, repr=False)
class ORUSB(_Boosting):
    """Online RUSBoost: online AdaBoost on under-sampled negatives (two classes only).

    Parameters
    ----------
    form
        What is held: 1 the class ratio of drawn rows, 2 that of their weights, 3 the sampling rate of negatives, 1 / ir.
    ratio
        Negatives kept per positive (forms 1 and 2).
    ir
        Negatives per positive of the whole stream (form 3); None: counted as the stream goes.
    members, repeat_mode, reading
        As in `OAdaB`.

    Examples
    --------
    >>> from poise import ORUSB
    >>> ORUSB(form=3, ir=9.0).name
    'orusb3'
    """

    form: int = 1
    ratio: float = 0.7
    ir: float | None = None

    title: ClassVar[str] = "Online RUSBoost"
    paper: ClassVar[str] = _PINEAU
    standing: ClassVar[str] = "derived"
    instead_of_two_classes: ClassVar[str | None] = "oadab"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice("form", self.form, (1, 2, 3))
        require_amount("ratio", self.ratio)
        require_ratio(self.ir)

    @property
    def needs_ratio(self) -> bool:
        """Whether it uses `ir`, the negatives per positive of the whole stream."""
        return self.form == 3

    def settings(self, learner: Learner) -> dict[str, Any]:
        """Return what the core needs to know beside what is usual."""
        own = {"method": "orusb", "form": int(self.form), "kept": float(self.ratio), "ir": given(self.ir, 0.0)}
        return {**super().settings(learner), **own}
