"""Losses of a score and their slopes: perceptron, hinge, logistic, softmax."""

import math

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

LEARNERS = ("perceptron", "svm", "logistic", "softmax", "kernel", "fourier")


def loss_of(learner: str) -> str:
    """Return which of the four losses a learner has."""
    return {"kernel": "svm", "fourier": "logistic"}.get(learner, learner)


def target(internal: int) -> float:
    """Return +1 for the internally "up" class (number 1), -1 for the other."""
    return 1.0 if internal == 1 else -1.0


def binary_slope(learner: str, y: float, f: float, goal: float = 1.0) -> float:
    """Return d loss / d f for a target y in {-1, +1}; 0 when the row is inactive.

    The hinge is max(0, goal - y f).
    """
    margin = y * f
    if learner == "perceptron":
        return -y if margin <= 0 else 0.0  # at the kink too, else w = 0 for ever
    if learner == "svm":
        return -y if margin < goal else 0.0
    # logistic; softmax with two classes is the same: -y / (1 + exp(y f)) without overflow
    if margin > 0:
        small = math.exp(-margin)
        return -y * small / (1 + small)
    return -y / (1 + math.exp(margin))


def binary_loss(learner: str, y: float, f: float) -> float:
    """Return the loss value for a target y in {-1, +1}."""
    margin = y * f
    if learner == "perceptron":
        return max(0.0, -margin)
    if learner == "svm":
        return max(0.0, 1 - margin)
    # ln(1 + exp(-y f)) without overflow
    return max(0.0, -margin) + math.log1p(math.exp(-abs(margin)))


def slopes(learner: str, scores: Array, internal: int, goals: Array | None = None) -> Array:
    """Return the slope of every output for a row of class number `internal`.

    One score means two classes; otherwise one-vs-rest, or p - e_y for the softmax. `goals` are
    the margins that the hinge asks of every output.
    """
    goals = np.ones(len(scores)) if goals is None else goals
    if len(scores) == 1:
        return np.array([binary_slope(learner, target(internal), float(scores[0]), float(goals[0]))])
    if learner == "softmax":
        raised = np.exp(scores - np.max(scores))
        probabilities: Array = raised / np.sum(raised)
        probabilities[internal] -= 1
        return probabilities
    targets = [1.0 if k == internal else -1.0 for k in range(len(scores))]
    return np.array([binary_slope(learner, y, float(f), float(m)) for y, f, m in zip(targets, scores, goals, strict=True)])
