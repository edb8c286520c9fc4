"""Measures of quality as functions of counts and of scores: one definition of each.

A measure without a value for its input is ``nan``, never a made-up 0 or 1.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from poise.errors import DataError

Label: TypeAlias = bool | int | float | str
"""What the label of a class may be."""

_Labels: TypeAlias = npt.NDArray[np.generic]


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of the four outcomes for two classes.

    Parameters
    ----------
    tp, fn
        Positive rows that were called positive (right) and negative (wrong).
    tn, fp
        Negative rows that were called negative (right) and positive (wrong).

    Examples
    --------
    >>> from poise.metrics import Confusion, gmean
    >>> counts = Confusion(tp=8, fp=10, tn=90, fn=2)
    >>> round(gmean(counts), 4)
    0.8485
    """

    tp: int
    fp: int
    tn: int
    fn: int

    @property
    def table(self) -> npt.NDArray[np.int64]:
        """The same counts as a 2 x 2 table: true class down, called class across."""
        return np.array([[self.tn, self.fp], [self.fn, self.tp]], dtype=np.int64)


Counts: TypeAlias = Confusion | npt.ArrayLike
"""Counts of two classes, or a square table of them: true class down, called class across."""


def confusion(y_true: npt.ArrayLike, y_pred: npt.ArrayLike, positive: Label = 1) -> Confusion:
    """Count the four outcomes of one class against all others.

    Parameters
    ----------
    y_true, y_pred
        The labels that were right, and those that were given.
    positive
        The class that counts as positive; every other label is negative.

    Examples
    --------
    >>> from poise.metrics import confusion
    >>> confusion([1, 1, 0, 0, 0], [1, 0, 0, 0, 1])
    Confusion(tp=1, fp=1, tn=2, fn=1)
    """
    right, given = _paired(y_true, y_pred)
    is_positive, called_positive = right == positive, given == positive
    tp = int(np.count_nonzero(is_positive & called_positive))
    fp = int(np.count_nonzero(called_positive)) - tp
    fn = int(np.count_nonzero(is_positive)) - tp
    return Confusion(tp=tp, fp=fp, tn=right.size - tp - fp - fn, fn=fn)


def confusion_table(y_true: npt.ArrayLike, y_pred: npt.ArrayLike, classes: Sequence[Label]) -> npt.NDArray[np.int64]:
    """Count each pair of labels in a square table: true class down, called class across.

    Parameters
    ----------
    y_true, y_pred
        The labels that were right, and those that were given.
    classes
        Every label that may occur, in the order the table is to have.

    Examples
    --------
    >>> from poise.metrics import confusion_table
    >>> confusion_table(["a", "b", "c", "c"], ["a", "c", "c", "a"], ["a", "b", "c"])
    array([[1, 0, 0],
           [0, 0, 1],
           [1, 0, 1]])
    """
    right, given = _paired(y_true, y_pred)
    size = len(classes)
    if len(set(classes)) < size:
        raise DataError(f"classes is {list(classes)}, which names a class twice; list every label once.")
    cells = _places(right, classes) * size + _places(given, classes)
    return np.bincount(cells, minlength=size * size).reshape(size, size)


def recall_per_class(counts: Counts) -> npt.NDArray[np.float64]:
    """Give the share of each class's rows that were called rightly.

    A class without a row has the recall ``nan``.

    Parameters
    ----------
    counts
        Counts of two classes (negative first), or a square table of them.

    Examples
    --------
    >>> from poise.metrics import Confusion, recall_per_class
    >>> recall_per_class(Confusion(tp=8, fp=10, tn=90, fn=2))
    array([0.9, 0.8])
    """
    table = _checked_table(counts)
    seen = table.sum(axis=1)
    recall = np.full(len(table), np.nan)
    np.divide(table.diagonal(), seen, out=recall, where=seen > 0)
    return recall


def balanced_accuracy(counts: Counts) -> float:
    """Average the recalls of the classes that occurred.

    For two classes this is (true positive rate + true negative rate) / 2; some papers call it AUC,
    here it is also ``auc_hard``. Fewer than two classes with a row: ``nan``. A constant answer to
    two classes: 0.5.

    Examples
    --------
    >>> from poise.metrics import Confusion, balanced_accuracy
    >>> round(balanced_accuracy(Confusion(tp=8, fp=10, tn=90, fn=2)), 4)
    0.85
    """
    recall = _recall_of_seen(counts)
    return float(recall.mean()) if recall.size > 1 else math.nan


def gmean(counts: Counts) -> float:
    """Take the geometric mean of the recalls of the classes that occurred.

    Of two classes: sqrt(true positive rate x true negative rate). Fewer than two classes with a
    row: ``nan``. A constant answer: 0, not ``nan``.

    Examples
    --------
    >>> from poise.metrics import Confusion, gmean
    >>> round(gmean(Confusion(tp=8, fp=10, tn=90, fn=2)), 4)
    0.8485
    >>> gmean(Confusion(tp=0, fp=0, tn=90, fn=10))
    0.0
    """
    recall = _recall_of_seen(counts)
    if recall.size < 2:
        return math.nan
    # The root is taken first: the product of many small recalls would round to 0.
    return float(np.prod(recall ** (1.0 / recall.size)))


def f1(counts: Counts) -> float:
    """Balance precision against recall: of the positive class, or averaged over three and more.

    Of two classes: 2 tp / (2 tp + fp + fn) of the positive (second) one; ``nan`` when it neither
    occurred nor was called; 0 when it was never hit otherwise. Of more classes: the plain average
    of each class's own value, leaving out the classes whose value is ``nan``.

    Examples
    --------
    >>> from poise.metrics import Confusion, f1
    >>> round(f1(Confusion(tp=8, fp=10, tn=90, fn=2)), 4)
    0.5714
    """
    table = _checked_table(counts)
    reached = table.sum(axis=0) + table.sum(axis=1)
    values = np.full(len(table), np.nan)
    np.divide(2.0 * table.diagonal(), reached, out=values, where=reached > 0)
    return float(values[1]) if len(table) == 2 else _mean_of_defined(values)


def auc(
    y_true: npt.ArrayLike,
    scores: npt.ArrayLike,
    *,
    positive: Label = 1,
    classes: Sequence[Label] | None = None,
) -> float:
    """Give the chance that a positive row has a higher score than a negative one.

    Ties count one half, so the value is exact. A single class: ``nan``. Scores with a column for
    each class give the plain average of each class against the rest, leaving out the classes
    whose value is ``nan``. A row whose score is ``nan`` (its class was not known yet) is left out.

    Parameters
    ----------
    y_true, scores
        The labels that were right, and one score for each row or a column of scores a class.
    positive
        The class that high scores stand for, when there is one score for each row.
    classes
        The class of each column of scores; by default the sorted labels of `y_true`.

    Examples
    --------
    >>> from poise.metrics import auc
    >>> auc([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    0.875
    """
    right, values = np.asarray(y_true), np.asarray(scores, dtype=np.float64)
    if values.ndim not in (1, 2):
        raise DataError(f"Scores have {values.ndim} dimensions: give one or two.")
    _refuse_unequal(right, len(values))
    if values.ndim == 1:
        return _area(right == positive, values)
    return _mean_of_defined(_area_per_class(right, values, classes))


def _area_per_class(right: _Labels, values: npt.NDArray[np.float64], classes: Sequence[Label] | None) -> npt.NDArray[np.float64]:
    columns = np.unique(right).tolist() if classes is None else list(classes)
    if len(columns) != values.shape[1]:
        raise DataError(
            f"There are {values.shape[1]} columns of scores for {len(columns)} classes: "
            "name the class of each column with classes=."
        )
    return np.array([_area(right == label, values[:, k]) for k, label in enumerate(columns)])


def _area(is_positive: npt.NDArray[np.bool_], scores: npt.NDArray[np.float64]) -> float:
    scored = ~np.isnan(scores)
    is_positive, scores = is_positive[scored], scores[scored]
    n_pos = int(np.count_nonzero(is_positive))
    n_neg = is_positive.size - n_pos
    if n_pos == 0 or n_neg == 0:
        return math.nan
    rank_sum = float(rankdata(scores, method="average")[is_positive].sum())
    return (rank_sum - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg)


def _mean_of_defined(values: npt.NDArray[np.float64]) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if defined.size else math.nan


def _recall_of_seen(counts: Counts) -> npt.NDArray[np.float64]:
    recall = recall_per_class(counts)
    return recall[~np.isnan(recall)]


def _checked_table(counts: Counts) -> npt.NDArray[np.float64]:
    table = np.asarray(counts.table if isinstance(counts, Confusion) else counts, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or len(table) < 2:
        raise DataError(f"A table of counts has the shape {table.shape}: it must be square, two by two or more.")
    valid = np.isfinite(table) & (table >= 0)
    if not valid.all():
        raise DataError(f"A count is {table[~valid][0]}: counts are finite and not negative.")
    return table


def _paired(y_true: npt.ArrayLike, y_pred: npt.ArrayLike) -> tuple[_Labels, _Labels]:
    right, given = np.asarray(y_true), np.asarray(y_pred)
    if given.ndim != 1:
        raise DataError(f"Given labels have the shape {given.shape}: give one flat label a row.")
    _refuse_unequal(right, given.size)
    return right, given


def _refuse_unequal(right: _Labels, answers: int) -> None:
    if right.shape != (answers,):
        raise DataError(f"True labels have the shape {right.shape} for {answers} answers: give one for each.")


def _places(labels: _Labels, classes: Sequence[Label]) -> npt.NDArray[np.int64]:
    places = np.full(labels.size, -1, dtype=np.int64)
    for k, label in enumerate(classes):
        places[labels == label] = k
    if (places < 0).any():
        stranger = labels[places < 0].tolist()[0]
        raise DataError(f"The label {stranger!r} is not among the classes {list(classes)}: add it.")
    return places
