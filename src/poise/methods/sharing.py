"""Ensembles whose rates follow class shares that forget: OOB, OUB, OWOB, OWUB, WEOB."""

from dataclasses import dataclass
from typing import Any, ClassVar

from poise.errors import require_choice
from poise.learners import Learner
from poise.methods.ensembles import Bagging
from poise.methods.parameters import given, require_ratio, require_share
from poise.methods.registry import register

_WANG = "Wang, Minku & Yao, TKDE 2015"


@dataclass(frozen=True, kw_only=True, repr=False)
class _Shares(Bagging):
    """Rates from class shares that forget."""

    decay: float = 0.9

    paper: ClassVar[str] = _WANG

    def __post_init__(self) -> None:
        super().__post_init__()
        require_share("decay", self.decay)

    def settings(self, learner: Learner) -> dict[str, Any]:
        """Return what the core needs to know beside what is usual."""
        return {**super().settings(learner), "decay": float(self.decay)}


@dataclass(frozen=True, kw_only=True, repr=False)
class _Minority(_Shares):
    """Rates of 2013 in the paper's reading, for a minority that `ir` names."""

    ir: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require_ratio(self.ir)

    def settings(self, learner: Learner) -> dict[str, Any]:
        """Return what the core needs to know beside what is usual."""
        old = self.published and learner.name != "kernel"
        return {**super().settings(learner), "ir": given(self.ir, 0.0), "minority_rates": old}


@register("oub")
@dataclass(frozen=True, kw_only=True, repr=False)
class OUB(_Minority):
    """Under-sampling online bagging: members learn a row Poisson(smallest share / own share) times.

    Parameters
    ----------
    decay
        How slowly the class shares forget: 0.9 remembers some 10 rows.
    ir
        Negatives per positive of the whole stream; the paper's reading takes from it which class is the minority.
    members, repeat_mode, reading
        As in `OB`; the paper's reading has the rates of 2013.

    Examples
    --------
    >>> from poise import OUB
    >>> OUB().name
    'oub'
    """

    title: ClassVar[str] = "Under-sampling online bagging"


@register("owub")
@dataclass(frozen=True, kw_only=True, repr=False)
class OWUB(_Shares):
    """Weighted under-sampling online bagging: as `OUB`, a member's vote is the geometric mean of its recent recalls.

    Parameters
    ----------
    decay
        How slowly class shares and recalls forget.
    ir
        Negatives per positive of the whole stream, used by the paper's reading.
    members, repeat_mode, reading
        As in `OB`; in the paper's reading negatives have rate 1 / ir and all votes are 1.

    Examples
    --------
    >>> from poise import OWUB
    >>> OWUB(members=20)
    OWUB(members=20)
    """

    ir: float | None = None

    title: ClassVar[str] = "Weighted under-sampling online bagging"
    standing: ClassVar[str] = "reconstructed"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_ratio(self.ir)

    def settings(self, learner: Learner) -> dict[str, Any]:
        """Return what the core needs to know beside what is usual."""
        own = {"ir": given(self.ir, 0.0), "minority_rates": self.published, "plain_votes": self.published}
        return {**super().settings(learner), **own}


@register("oob")
@dataclass(frozen=True, kw_only=True, repr=False)
class OOB(_Minority):
    """Over-sampling online bagging: members learn a row Poisson(largest share / own share) times.

    Parameters
    ----------
    decay
        How slowly the class shares forget: 0.9 remembers some 10 rows, so that no rate exceeds 10.
    ir
        Negatives per positive of the whole stream; the paper's reading takes from it which class is the minority.
    members, repeat_mode, reading
        As in `OB`; the paper's reading has the rates of 2013.

    Examples
    --------
    >>> from poise import OOB, StreamClassifier
    >>> StreamClassifier(OOB(decay=0.99), "svm").method
    OOB(decay=0.99)
    """

    title: ClassVar[str] = "Over-sampling online bagging"


@register("owob")
@dataclass(frozen=True, kw_only=True, repr=False)
class OWOB(_Shares):
    """Weighted over-sampling online bagging: as `OOB`, a member's vote is the geometric mean of its recent recalls.

    Parameters
    ----------
    decay
        How slowly class shares and recalls forget.
    members, repeat_mode, reading
        As in `OB`; in the paper's reading all votes are 1.

    Examples
    --------
    >>> from poise import OWOB
    >>> OWOB().standing
    'reconstructed'
    """

    title: ClassVar[str] = "Weighted over-sampling online bagging"
    standing: ClassVar[str] = "reconstructed"

    def settings(self, learner: Learner) -> dict[str, Any]:
        """Return what the core needs to know beside what is usual."""
        return {**super().settings(learner), "plain_votes": self.published}


@register("weob1", title="Weighted ensemble of OOB and OUB, by their G-means", form=1)
@register("weob2", title="Weighted ensemble of OOB and OUB, the better one", form=2)
@dataclass(frozen=True, kw_only=True, repr=False)
class WEOB(_Shares):
    """Over- and under-sampling online bagging side by side, weighed by the geometric means of their recent recalls.

    Parameters
    ----------
    form
        1: each half has its share of votes; 2: the better half decides.
    members
        Number of models in each half.
    decay
        How slowly class shares and recalls forget.
    repeat_mode, reading
        As in `OB`.

    Examples
    --------
    >>> from poise import WEOB
    >>> WEOB(form=2).name
    'weob2'
    """

    form: int = 1

    title: ClassVar[str] = "Weighted ensemble of OOB and OUB"
    standing: ClassVar[str] = "reconstructed"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice("form", self.form, (1, 2))

    @property
    def many_members(self) -> int:
        """Number of models that learn side by side."""
        return 2 * self.members

    def settings(self, learner: Learner) -> dict[str, Any]:
        """Return what the core needs to know beside what is usual."""
        return {**super().settings(learner), "method": "weob", "form": int(self.form)}
