"""Learners: what is learned and with which loss. Small values; the work is in the core."""

from poise.learners.linear import SVM, Logistic, Perceptron, Softmax
from poise.learners.registry import Learner, get, names

__all__ = ["SVM", "Learner", "Logistic", "Perceptron", "Softmax", "get", "names"]
