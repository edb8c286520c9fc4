"""Learners: what is learned and with which loss. Small values; the work is in the core."""

from poise.learners.curved import Fourier, Kernel
from poise.learners.linear import SVM, Logistic, Perceptron, Softmax
from poise.learners.registry import Learner, get, names, table

__all__ = ["SVM", "Fourier", "Kernel", "Learner", "Logistic", "Perceptron", "Softmax", "get", "names", "table"]
