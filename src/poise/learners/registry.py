"""The registry of learners: name, or scikit-learn's name of the loss, to class."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from poise.errors import ParameterError, closest


@dataclass(frozen=True, kw_only=True)
class Learner:
    """What every learner says of itself."""

    name: ClassVar[str]
    title: ClassVar[str]
    loss: ClassVar[str]
    #: What is learned: "linear" weights of the columns, "fourier" weights of random features too, or "kernel" coefficients.
    family: ClassVar[str] = "linear"
    paper: ClassVar[str] = ""
    standing: ClassVar[str] = "firm"
    as_published: ClassVar[dict[str, Any]] = {}

    @property
    def averages(self) -> bool:
        """Whether the weights can be averaged."""
        return self.family != "kernel"

    def settings(self) -> dict[str, Any]:
        """Return what the core needs to know beside what is usual."""
        return {"loss": self.loss, "learning": self.family}


_REGISTRY: dict[str, type[Learner]] = {}
_ALIASES = {"log_loss": "logistic", "hinge": "svm"}
L = TypeVar("L", bound=type[Learner])


def register() -> Callable[[L], L]:
    """Enter a learner class under its name."""

    def enter(learner: L) -> L:
        _REGISTRY[learner.name] = learner
        return learner

    return enter


def names() -> list[str]:
    """Names of all learners.

    Examples
    --------
    >>> from poise import learners
    >>> learners.names()
    ['fourier', 'kernel', 'logistic', 'perceptron', 'softmax', 'svm']
    """
    return sorted(_REGISTRY)


def table() -> list[type[Learner]]:
    """All learners, each with its name, title, paper, standing and parameters.

    Examples
    --------
    >>> from poise import learners
    >>> {learner.name: learner.loss for learner in learners.table()}["kernel"]
    'hinge'
    """
    return [_REGISTRY[name] for name in names()]


def get(name: str) -> type[Learner]:
    """Class of the learner called `name`; "log_loss" and "hinge" are understood too.

    Examples
    --------
    >>> from poise import learners
    >>> learners.get("hinge").name
    'svm'
    """
    found = _ALIASES.get(name, name)
    if found not in _REGISTRY:
        raise ParameterError(f"learner is {name!r}; known are {', '.join(names())}{closest(name, names())}")
    return _REGISTRY[found]
