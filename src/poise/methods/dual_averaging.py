"""Cost-sensitive regularised dual averaging: CSRDA, four forms."""

from dataclasses import dataclass
from typing import Any, ClassVar

from poise.errors import ParameterError, require_choice
from poise.learners import Learner
from poise.methods.parameters import given, require_amount
from poise.methods.registry import Method, register

_TITLE = "Cost-sensitive regularised dual averaging"


@register("csrda1", title=f"{_TITLE} I", standing="derived", form="I")
@register("csrda2", title=f"{_TITLE} II", standing="derived", form="II")
@register("csrda3", title=f"{_TITLE} III", form="III")
@register("csrda4", title=f"{_TITLE} IV", form="IV")
@dataclass(frozen=True, kw_only=True, repr=False)
class CSRDA(Method):
    """Dual averaging: the weights follow from the mean of all gradients, small ones set to 0 (linear learners, two classes).

    Parameters
    ----------
    form
        "I" widens the margin of positives by the class ratio (hinge loss only), "II" multiplies their loss by it; the stand-ins
        "III" and "IV" weigh by class frequency and square the loss.
    l1
        Mean gradients up to this size give a weight of 0. None: as the reading says, 0.001 for the textbook and 0 for the paper.
    gamma
        Divides all weights. None: as the reading says, 0.1 for the textbook; 0.001 for I and II, 0.1 for III and IV in the paper.
    n_p, n_n
        Weights of sensitivity and specificity.
    reading
        "textbook" or "paper".

    Examples
    --------
    >>> from poise import CSRDA
    >>> CSRDA(form="II").name
    'csrda2'
    """

    form: str = "I"
    l1: float | None = None
    gamma: float | None = None
    n_p: float = 0.5
    n_n: float = 0.5

    family: ClassVar[str] = "dual averaging"
    title: ClassVar[str] = _TITLE
    paper: ClassVar[str] = "Chen, Sheng, Edwards & Zhang, KAIS 2023"
    standing: ClassVar[str] = "stand-in"
    instead_of_two_classes: ClassVar[str | None] = "csogd_sum2"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice("form", self.form, ("I", "II", "III", "IV"))
        require_amount("l1", self.l1, zero=True, none=True)
        require_amount("gamma", self.gamma, none=True)
        require_amount("n_p", self.n_p)
        require_amount("n_n", self.n_n)

    @property
    def averages(self) -> bool:
        """Whether the weights can be averaged."""
        return False

    def require_learner(self, learner: Learner) -> None:
        """Refuse a learner for which the method is not defined."""
        possible = "learner='svm'" if self.form == "I" else "learner='svm', 'logistic' or 'perceptron'"
        if learner.family != "linear":
            raise ParameterError(f"{self.name} is defined for linear learners, and {learner.name} is none; use {possible}.")
        if self.form == "I" and learner.loss != "hinge":
            raise ParameterError(
                f"csrda1 widens the margin of the hinge loss, and {learner.name} has none; use {possible} or method='csrda2'."
            )

    def settings(self, learner: Learner) -> dict[str, Any]:
        """Return what the core needs to know beside what is usual."""
        strong = self.published and self.form in ("I", "II")
        return {
            "method": "csrda",
            "threshold": given(self.l1, 0.0 if self.published else 1e-3),
            "strength": given(self.gamma, 1e-3 if strong else 0.1),
            "positive_cost": float(self.n_p),
            "negative_cost": float(self.n_n),
            "by_counts": True,
            "margin_cost": self.form == "I",
            "frequency_cost": self.form == "III",
            "squared_loss": self.form == "IV",
        }
