"""Learn from class-imbalanced data streams in one pass, with an equal pull for every class."""

from poise import datasets, errors, learners, methods, metrics, streams
from poise.classifier import HGDClassifier, StreamClassifier, load
from poise.errors import DataError, FileError, NotFittedError, ParameterError, PoiseError
from poise.learners import SVM, Logistic, Perceptron, Softmax
from poise.methods import HGD, OGD
from poise.version import __version__

__all__ = [
    "HGD",
    "OGD",
    "SVM",
    "DataError",
    "FileError",
    "HGDClassifier",
    "Logistic",
    "NotFittedError",
    "ParameterError",
    "Perceptron",
    "PoiseError",
    "Softmax",
    "StreamClassifier",
    "__version__",
    "datasets",
    "errors",
    "learners",
    "load",
    "methods",
    "metrics",
    "streams",
]
