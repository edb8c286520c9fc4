"""What a check is made of: how one is entered, the streams it looks at, and what it asks of models."""

import functools
import itertools

import numpy as np
import pytest

import bits
from poise import StreamClassifier
from poise.errors import DataError, ParameterError
from poise.settings import method_value

#: Families whose methods draw random numbers.
DRAWING = ("resampling", "bagging", "boosting")
#: No parameter of a method or learner may be any of these.
WRONG = ("nonsense", float("nan"), -float("inf"), [], {}, 1j, object())
#: A parameter may be one of these, and then must do no harm.
EXTREME = (1, 2, 1.0, 2.0, True, 5e-324, 1e-9, 1e9, 1e308)
#: Odd cuts of a stream; the rest is one block.
PIECES = (1, 2, 17, 1, 5, 30)
#: By name: a module that is imported twice enters its checks once.
_CHECKS = {}


def every():
    """Yield all checks, each a function of a method, a learner and settings."""
    yield from _CHECKS.values()


def run(method, learner, **settings):
    """Run all checks on one pair; the first promise that is broken ends the run and is named in a note of its error."""
    for check in every():
        check(method, learner, **settings)


def is_defined(method, learner):
    """Tell whether a method is defined for a learner."""
    try:
        StreamClassifier(method, learner)._setup()
    except ParameterError:
        return False
    return True


def promise(check):
    """Enter a check among those that `every` yields; its error says which promise is broken, and by whom."""

    @functools.wraps(check)
    def told(method, learner, **settings):
        try:
            check(method, learner, **settings)
        except BaseException as error:
            error.add_note(f"{method} with {learner} breaks a promise: {check.__doc__}")
            raise

    _CHECKS[check.__name__] = told
    return told


# ---- streams


def rows_of(labels, seed=0, width=5):
    """Return rows that lie around a place of their label's own, with many zeros."""
    rng = np.random.default_rng([seed, width])
    X = rng.normal(size=(len(labels), width)) + 1.5 * np.cos(np.add.outer(3.0 * np.asarray(labels), np.arange(width)))
    X[rng.random(X.shape) < 0.3] = 0.0
    return X


def two(rows=100, seed=0):
    """Return rows of two classes, the larger label rare."""
    y = (np.random.default_rng(seed).random(rows) < 0.2).astype(np.int64)
    y[:2] = 0, 1
    return rows_of(y, seed), y


def three(rows=120, seed=0):
    """Return rows of three classes, the larger the rarer."""
    y = np.random.default_rng(seed).choice(3, size=rows, p=[0.6, 0.3, 0.1])
    y[:3] = 0, 1, 2
    return rows_of(y, seed), y


def arriving(*starts, rows=90, seed=0):
    """Return a stream in which each label of `starts` is joined by the next one some 20 rows later."""
    y = np.random.default_rng(seed).choice(starts, size=rows)
    for known in range(1, len(starts)):
        begin = 20 * (known - 1)
        y[begin : begin + 20] = np.asarray(starts)[y[begin : begin + 20] % known]
        y[begin + 20] = starts[known]
    y[0] = starts[0]
    return rows_of(y, seed), y


#: Streams of two classes by how they arrive.
ARRIVALS = {"at once": two(90), "the second one late": arriving(0, 1), "the larger label first": arriving(1, 0)}
#: Streams in which a third class arrives.
THIRDS = {"in order": arriving(0, 1, 2), "the largest label first": arriving(2, 0, 1), "in reverse": arriving(2, 1, 0)}


def as_dicts(X):
    """Return rows as dicts of numbers and a text; zeros are left out and a name comes up late."""
    named = [{f"c{j}": x for j, x in enumerate(row) if x} | {"place": f"p{row[0] > 0}"} for row in X.tolist()]
    for row in named[len(named) // 2 :]:
        row["late"] = row.pop("c1", 0.5)
    return named


def cut(X, y, sizes=PIECES):
    """Yield a stream in blocks."""
    ends = [0, *np.cumsum(sizes).tolist(), len(y)]
    for begin, end in itertools.pairwise(ends):
        yield X[begin:end], y[begin:end]


# ---- models


def new(method, learner, settings, **more):
    """Return a classifier that has learned nothing."""
    return StreamClassifier(method, learner, **{**settings, **more})


def one_by_one(clf, X, y):
    """Learn rows one after the other; returns what each call returned."""
    return [clf.learn_one(x, label) for x, label in zip(X, y.tolist(), strict=True)]


def in_blocks(clf, X, y, sizes=PIECES):
    """Learn rows in blocks; returns what each call returned."""
    return [clf.learn(rows, labels) for rows, labels in cut(X, y, sizes)]


def more_than_two(method):
    """Tell whether a method takes more than two classes."""
    return method_value(method).two_classes is None


def not_finite(clf):
    """Name the tensors of a model's state that hold a number that is not finite."""
    tensors = clf._model.tensors()
    return [name for name, tensor in tensors.items() if tensor.dtype.kind == "f" and not np.isfinite(tensor).all()]


def in_columns(singles, y):
    """Return scores of single rows as a block of three classes gives them: a column per label, NaN before it was known."""
    out, labels = np.full((len(y), 3), np.nan), sorted(set(y.tolist()))
    for row, score in enumerate(singles):
        known = sorted(set(y[:row].tolist()))
        if np.ndim(score):
            out[row] = score
            continue
        for label, sign in zip(known, (-0.5, 0.5), strict=False):
            out[row, labels.index(label)] = sign * score
    return out


def assert_refused_without_a_trace(clf, match, call, *args):
    """Have a call refused, and compare every byte of the state before and after."""
    before, classes = bits.state_of(clf), clf.classes_.tolist()
    with pytest.raises(DataError, match=match):
        call(*args)
    assert bits.state_of(clf) == before
    assert clf.classes_.tolist() == classes
