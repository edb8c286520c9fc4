"""Learners whose border between classes may be curved: kernels and random Fourier features."""

import math
import reprlib
from dataclasses import dataclass
from typing import Any, ClassVar

from poise.errors import ParameterError, as_number, require_choice, require_count
from poise.learners.registry import Learner, register


@register()
@dataclass(frozen=True, kw_only=True)
class Kernel(Learner):
    """Kernel machine with hinge loss: every row that moves it is kept, and new rows are compared with all kept ones.

    Rows are kept whole, so memory and time grow with the stream unless `budget` bounds them. Members of an ensemble share the
    kept rows.

    Parameters
    ----------
    kernel
        "rbf" exp(-gamma |x - z|^2), "poly" (gamma x.z + coef0)^degree or "linear" x.z, on rows as scaled when they came.
    gamma
        A number, or "scale": 1 where rows are standardised or brought to length 1 (so 1 / columns on standardised columns), else
        1 / columns.
    degree, coef0
        Of "poly".
    budget
        Most rows kept; None: no limit.
    drop
        Which row goes when the budget is spent: the "oldest", or the one with the "smallest" coefficients (of equals the oldest).

    Examples
    --------
    >>> from poise import Kernel, StreamClassifier
    >>> StreamClassifier("hgd", Kernel(gamma=0.5, budget=1000)).learner.budget
    1000
    """

    kernel: str = "rbf"
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 1.0
    budget: int | None = None
    drop: str = "oldest"

    name: ClassVar[str] = "kernel"
    title: ClassVar[str] = "Kernel machine"
    loss: ClassVar[str] = "hinge"
    family: ClassVar[str] = "kernel"
    paper: ClassVar[str] = "Kivinen, Smola & Williamson, IEEE TSP 2004"
    as_published: ClassVar[dict[str, Any]] = {"gamma": 12.5}

    def __post_init__(self) -> None:
        require_choice("kernel", self.kernel, ("rbf", "poly", "linear"))
        require_choice("drop", self.drop, ("oldest", "smallest"))
        require_gamma(self.gamma)
        require_count("degree", self.degree, 10)
        if not 0 <= as_number(self.coef0) < math.inf:
            raise ParameterError(f"coef0 is {reprlib.repr(self.coef0)}; it must be a number of 0 or more.")
        require_count("budget", self.budget, 1_000_000_000, none=True)

    def settings(self) -> dict[str, Any]:
        """Return what the core needs to know beside what is usual."""
        return {
            **super().settings(),
            "kernel": self.kernel,
            "gamma": gamma_of(self.gamma),
            "degree": float(self.degree),
            "coef0": float(self.coef0),
            "budget": self.budget or 0,
            "drops_smallest": self.drop == "smallest",
        }


@register()
@dataclass(frozen=True, kw_only=True)
class Fourier(Learner):
    """Logistic regression on random Fourier features beside the columns: close to an RBF kernel, in memory that never grows.

    Parameters
    ----------
    features
        Number of random features.
    gamma
        Width of the kernel exp(-gamma |z - z'|^2) on standardised columns; "scale" is 1 / columns.

    Examples
    --------
    >>> from poise import Fourier, StreamClassifier
    >>> StreamClassifier("hgd", Fourier(features=128)).learner
    Fourier(features=128, gamma='scale')
    """

    features: int = 256
    gamma: float | str = "scale"

    name: ClassVar[str] = "fourier"
    title: ClassVar[str] = "Logistic regression on random Fourier features"
    loss: ClassVar[str] = "logistic"
    family: ClassVar[str] = "fourier"
    paper: ClassVar[str] = "Rahimi & Recht, NIPS 2007"

    def __post_init__(self) -> None:
        require_count("features", self.features, 1 << 20)
        require_gamma(self.gamma)

    def settings(self) -> dict[str, Any]:
        """Return what the core needs to know beside what is usual."""
        return {**super().settings(), "features": self.features, "gamma": gamma_of(self.gamma)}


def require_gamma(value: Any) -> None:
    """Refuse what is no width of a kernel."""
    if not (isinstance(value, str) and value == "scale") and not 0 < as_number(value) <= 1e100:
        raise ParameterError(f"gamma is {reprlib.repr(value)}; it must be a number above 0 and at most 1e+100, or 'scale'.")


def gamma_of(value: float | str) -> float:
    """Return a width for the core, 0 for "scale"."""
    return 0.0 if isinstance(value, str) else float(value)
