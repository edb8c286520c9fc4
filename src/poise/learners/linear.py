"""Linear learners: one weight per column, four losses."""

from dataclasses import dataclass
from typing import ClassVar

from poise.learners.registry import Learner, register


@register()
@dataclass(frozen=True, kw_only=True)
class Perceptron(Learner):
    """Linear model that moves only when it is wrong: loss max(0, -y f).

    Examples
    --------
    >>> from poise import StreamClassifier, Perceptron
    >>> StreamClassifier("ogd", Perceptron()).learner
    Perceptron()
    """

    name: ClassVar[str] = "perceptron"
    title: ClassVar[str] = "Perceptron"
    paper: ClassVar[str] = "Rosenblatt, Psychological Review 1958"
    loss: ClassVar[str] = "perceptron"


@register()
@dataclass(frozen=True, kw_only=True)
class SVM(Learner):
    """Linear support vector machine: hinge loss max(0, 1 - y f).

    Examples
    --------
    >>> from poise import StreamClassifier, SVM
    >>> StreamClassifier("hgd", SVM()).learner
    SVM()
    """

    name: ClassVar[str] = "svm"
    title: ClassVar[str] = "Linear SVM"
    paper: ClassVar[str] = "Cortes & Vapnik, Machine Learning 1995"
    loss: ClassVar[str] = "hinge"


@register()
@dataclass(frozen=True, kw_only=True)
class Logistic(Learner):
    """Logistic regression: loss log(1 + exp(-y f)); one against the rest for more than two classes.

    Examples
    --------
    >>> from poise import StreamClassifier, Logistic
    >>> StreamClassifier("hgd", Logistic()).learner
    Logistic()
    """

    name: ClassVar[str] = "logistic"
    title: ClassVar[str] = "Logistic regression"
    paper: ClassVar[str] = "Cox, JRSS B 1958"
    loss: ClassVar[str] = "logistic"


@register()
@dataclass(frozen=True, kw_only=True)
class Softmax(Learner):
    """Softmax regression: cross-entropy over all classes; with two classes it is the logistic one.

    Examples
    --------
    >>> from poise import StreamClassifier, Softmax
    >>> StreamClassifier("hgd", Softmax()).learner
    Softmax()
    """

    name: ClassVar[str] = "softmax"
    title: ClassVar[str] = "Softmax regression"
    paper: ClassVar[str] = "Bridle, NATO ASI 1990"
    loss: ClassVar[str] = "softmax"
