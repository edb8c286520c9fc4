"""Methods that give each row one weight: OGD, HGD and CSOGD."""

import reprlib
from dataclasses import dataclass
from typing import Any, ClassVar

from poise.errors import ParameterError, as_number, require_choice
from poise.learners import Learner
from poise.methods.parameters import given, require_amount, require_ratio
from poise.methods.registry import Method, register

_COSTLY = "Cost-sensitive online gradient descent"
_OF_COST, _OF_SUM = ("c_p", "c_n"), ("n_p", "n_n", "ir")


@register("ogd")
@dataclass(frozen=True, kw_only=True, repr=False)
class OGD(Method):
    """Online gradient descent: every row pulls as hard as its loss says.

    Parameters
    ----------
    reading
        "textbook" or "paper"; the same here.

    Examples
    --------
    >>> from poise import OGD
    >>> OGD()
    OGD()
    """

    family: ClassVar[str] = "weighting"
    title: ClassVar[str] = "Online gradient descent"
    paper: ClassVar[str] = "Zinkevich, ICML 2003"

    def settings(self, learner: Learner) -> dict[str, Any]:
        """Return what the core needs to know beside what is usual."""
        return {"method": "ogd"}


@register("hgd")
@dataclass(frozen=True, kw_only=True, repr=False)
class HGD(Method):
    """Harmonized gradient descent: each class gets an equal pull on the model.

    Parameters
    ----------
    clamp
        Largest weight a row may get; "assumption4" keeps it between 1/R and 2R, R the largest class ratio so far; None sets
        no limit (then the first row of a late class weighs as much as half of all rows before it).
    norm
        What counts as a class's pull: "plain" is the length of its steps, "squared" the weight times the squared length of
        the unweighted step, as printed.
    memory
        None counts all rows alike. A number below 1 (0.995 remembers some 200 rows) lets old rows fade, for streams whose
        class ratio changes.
    multiclass
        For more than two classes: "complement" weighs by the pull of all other classes, "inverse" by one over the class's
        own, "printed" is the published rule, which feeds back the wrong way.
    variant
        "hgd", or "ohgd": the authors' released predecessor, where the loss value is a factor (two classes only).
    reading
        "textbook" or "paper"; the same here.

    Examples
    --------
    >>> from poise import HGD, StreamClassifier
    >>> StreamClassifier(HGD(memory=0.995)).method.memory
    0.995
    """

    clamp: float | str | None = 100.0
    norm: str = "plain"
    memory: float | None = None
    multiclass: str = "complement"
    variant: str = "hgd"

    family: ClassVar[str] = "weighting"
    title: ClassVar[str] = "Harmonized gradient descent"
    paper: ClassVar[str] = "Zhou et al., arXiv 2508.11353"
    as_published: ClassVar[dict[str, Any]] = {"clamp": None, "reading": "paper"}

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice("norm", self.norm, ("plain", "squared"))
        require_choice("multiclass", self.multiclass, ("complement", "inverse", "printed"))
        require_choice("variant", self.variant, ("hgd", "ohgd"))
        named = self.clamp is None or (isinstance(self.clamp, str) and self.clamp == "assumption4")
        if not named and not 0 < as_number(self.clamp) < float("inf"):
            raise ParameterError(f"clamp is {reprlib.repr(self.clamp)}; it must be a number above 0, 'assumption4' or None.")
        if self.memory is not None and not 0 < as_number(self.memory) < 1:
            raise ParameterError(
                f"memory is {reprlib.repr(self.memory)}; it must lie between 0 and 1, or be None for plain counts."
            )

    @property
    def two_classes(self) -> str | None:
        """What is defined for two classes only, and what to use for more; None: any number will do."""
        return "variant='ohgd' is defined for two classes only; use variant='hgd'" if self.variant == "ohgd" else None

    def settings(self, learner: Learner) -> dict[str, Any]:
        """Return what the core needs to know beside what is usual."""
        limited = self.clamp is not None and not isinstance(self.clamp, str)
        return {
            "method": self.variant,
            "clamp": "value" if limited else self.clamp or "none",
            "largest_weight": float(self.clamp or 0.0) if limited else 0.0,
            "memory": float(self.memory or 0.0),
            "multiclass": self.multiclass,
            "squared_pull": self.norm == "squared",
        }


@register("csogd_cost1", title=f"{_COSTLY}, cost, type I", kind="cost", form="I", unused=_OF_SUM)
@register("csogd_cost2", title=f"{_COSTLY}, cost, type II", kind="cost", form="II", unused=_OF_SUM)
@register("csogd_sum1", title=f"{_COSTLY}, sum, type I", kind="sum", form="I", unused=_OF_COST)
@register("csogd_sum2", title=f"{_COSTLY}, sum, type II", kind="sum", form="II", unused=_OF_COST)
@dataclass(frozen=True, kw_only=True, repr=False)
class CSOGD(Method):
    """Cost-sensitive online gradient descent: a positive row counts as much as its cost says.

    With more than two classes a row counts as much as its class is rarer than the largest one.

    Parameters
    ----------
    kind
        "cost" takes the costs of a missed positive and a false alarm; "sum" weighs by the class ratio.
    form
        "I" asks for a wider margin of positives (hinge loss only), "II" multiplies their loss.
    c_p, c_n
        Costs of a missed positive and of a false alarm (kind "cost").
    n_p, n_n
        Weights of sensitivity and specificity (kind "sum").
    ir
        Negatives per positive of the whole stream (kind "sum"); None: counted as the stream goes.
    reading
        "textbook" or "paper"; the same here.

    Examples
    --------
    >>> from poise import CSOGD
    >>> CSOGD(kind="sum", form="II").name
    'csogd_sum2'
    """

    kind: str = "cost"
    form: str = "I"
    c_p: float = 0.95
    c_n: float = 0.05
    n_p: float = 0.5
    n_n: float = 0.5
    ir: float | None = None

    family: ClassVar[str] = "weighting"
    title: ClassVar[str] = _COSTLY
    paper: ClassVar[str] = "Wang, Zhao & Hoi, TKDE 2014"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice("kind", self.kind, ("cost", "sum"))
        require_choice("form", self.form, ("I", "II"))
        for name in ("c_p", "c_n", "n_p", "n_n"):
            require_amount(name, getattr(self, name))
        require_ratio(self.ir)

    @property
    def needs_ratio(self) -> bool:
        """Whether it uses `ir`, the negatives per positive of the whole stream."""
        return self.kind == "sum"

    def require_learner(self, learner: Learner) -> None:
        """Refuse a learner for which the method is not defined."""
        if self.form == "I" and learner.loss != "hinge":
            other = f"csogd_{self.kind}2"
            raise ParameterError(
                f"{self.name} widens the margin of the hinge loss, and {learner.name} has none; "
                f"use learner='svm' or 'kernel', or method={other!r}."
            )

    def settings(self, learner: Learner) -> dict[str, Any]:
        """Return what the core needs to know beside what is usual."""
        costs = (self.c_p, self.c_n) if self.kind == "cost" else (self.n_p, self.n_n)
        return {
            "method": "csogd",
            "positive_cost": float(costs[0]),
            "negative_cost": float(costs[1]),
            "by_counts": self.kind == "sum",
            "margin_cost": self.form == "I",
            "ir": given(self.ir, 0.0),
        }
