"""Promises about what is refused: with the remedy, and without a trace."""

import itertools
import re
from dataclasses import fields, replace

import numpy as np
import pytest
import scipy.sparse as sp

import bits
from poise import StreamClassifier, learners, methods
from poise.classifier import from_bytes, to_bytes
from poise.errors import DataError, ParameterError
from poise.settings import learner_value, method_value
from promises import (
    ARRIVALS,
    EXTREME,
    WRONG,
    assert_refused_without_a_trace,
    in_blocks,
    is_defined,
    new,
    not_finite,
    one_by_one,
    promise,
    two,
)

# ---- what is refused


@promise
def check_refused_blocks_leave_no_trace(method, learner, **settings):
    """A block with a bad row, late in it, leaves every byte as it was: weights, sums, kept rows, random numbers, classes."""
    for layout in (np.asarray, sp.csr_array):
        for stream in (ARRIVALS["the second one late"], ARRIVALS["the larger label first"]):
            X, y = stream
            spoilt = X.copy()
            spoilt[70, 3] = np.nan
            for moment in (10, 50):  # before and after the second class
                clf, other = new(method, learner, settings), new(method, learner, settings)
                for model in (clf, other):
                    model.learn(layout(X[:moment]), y[:moment])
                assert_refused_without_a_trace(clf, rf"row {70 - moment}\b", clf.learn, layout(spoilt[moment:]), y[moment:])
                bits.assert_same_numbers(clf.learn(layout(X[moment:]), y[moment:]), other.learn(layout(X[moment:]), y[moment:]))
                bits.assert_same_state(clf, other)


@promise
def check_refused_rows_leave_no_trace(method, learner, **settings):
    """A single bad row leaves every byte as it was, whether its label is known or new."""
    X, y = two()
    clf = new(method, learner, settings)
    clf.learn(X[:50], y[:50] * 0)
    for bad in (np.nan, np.inf, 1e200):
        row = X[50].copy()
        row[2] = bad
        for label in (0, 1):
            assert_refused_without_a_trace(clf, r"(?i)row 0\b", clf.learn_one, row, label)
    other = new(method, learner, settings)
    other.learn(X[:50], y[:50] * 0)
    bits.assert_same_numbers(one_by_one(clf, X[50:], y[50:]), one_by_one(other, X[50:], y[50:]))
    bits.assert_same_state(clf, other)


@promise
def check_rows_too_far_are_learned_or_leave_no_trace(method, learner, **settings):
    """A huge row is learned with a finite state or refused with every byte as it was, random numbers too."""
    X, y = two(40)
    clf = new(method, learner, settings, standardize=None)
    clf.learn(X, y)
    for size in (1e30, 1e60, 1e90, 1e150):
        for label in (0, 1, 0, 1):
            for learn in (clf.learn_one, lambda row, label: clf.learn([X[0], row], [0, label])):
                before = bits.state_of(clf)
                try:
                    learn(np.full(5, size), label)
                except DataError:
                    assert bits.state_of(clf) == before
                assert not_finite(clf) == []
    assert not np.isnan(clf.decision_function(X)).any()


@promise
def check_wrong_parameters_are_refused_by_name(method, learner, **_):
    """A parameter of the method or learner that means nothing is refused at once, by its name."""
    for value in (method_value(method), learner_value(learner)):
        for field in fields(value):
            for wrong in WRONG:
                with pytest.raises(ParameterError, match=rf"^{field.name} is ") as refused:
                    replace(value, **{field.name: wrong})
                assert re.search(r"; .* must (be|lie) ", str(refused.value))


@promise
def check_extreme_parameters_do_no_harm(method, learner, **settings):
    """A parameter that is accepted, however extreme, leads to finite numbers and a file, or to rows that are refused."""
    harm = [f"{told}: {harmed}" for told, pair in extremes(method, learner) if (harmed := harm_of(pair, settings))]
    assert harm == [], harm


def extremes(method, learner):
    """Yield the pair with each extreme parameter that its method or learner accepts, and what that is called."""
    pair = (method_value(method), learner_value(learner))
    for place, value in enumerate(pair):
        for field, extreme in itertools.product(fields(value), EXTREME):
            try:
                changed = replace(value, **{field.name: extreme})
            except ParameterError:
                continue
            yield f"{field.name}={extreme!r}", (changed, pair[1]) if place == 0 else (pair[0], changed)


def harm_of(pair, settings):
    """Return what is wrong with a pair's model after some rows, if anything is."""
    X, y = two(12)
    clf = new(*pair, settings)
    try:
        scores = clf.learn(X, y)
    except (DataError, ParameterError):
        return None
    except Exception as error:  # noqa: BLE001 - whatever it is, it is no refusal
        return f"{type(error).__name__}: {error}"
    if not np.isfinite(scores).all():
        return "scores are not finite"
    if wrong := not_finite(clf):
        return f"{wrong} are not finite"
    return None if from_bytes(to_bytes(clf), "m.poise").n_seen_ == len(y) else "its file is another model"


@promise
def check_averages_are_kept_or_refused(method, learner, **settings):
    """Averaged answers are given where there are weights to average, else `average` is refused by name."""
    X, y = two(60)
    clf = new(method, learner, settings, average=0.1)
    if not (method_value(method).averages and learner_value(learner).averages):
        with pytest.raises(ParameterError, match=r"^average is 0\.1, .*; use average="):
            clf.learn(X, y)
        return
    raw = new(method, learner, settings, average=False)
    assert (clf.learn(X, y) != raw.learn(X, y)).any()
    for name in ("weights", "intercept", "drawing", "ledger_sums"):  # what steers learning is the same
        assert bits.state_of(clf)[name] == bits.state_of(raw)[name]


@promise
def check_balls_are_kept_or_refused(method, learner, **settings):
    """The weights of one linear model stay in the ball that `radius` asks for; elsewhere it is refused by name."""
    X, y = two(60)
    value, kind = method_value(method), learner_value(learner)
    clf, pieces = (new(method, learner, settings, radius=0.25) for _ in range(2))
    if kind.family != "linear" or value.many_members > 1 or not value.averages:
        with pytest.raises(ParameterError, match=r"^radius is 0\.25, .*; use radius=None"):
            clf.learn(X, y)
        return
    scores = clf.learn(X, y)
    tensors = clf._model.tensors()
    assert 0.0 < np.hypot(np.linalg.norm(tensors["weights"]), np.linalg.norm(tensors["intercept"])) < 0.25 * (1.0 + 1e-12)
    bits.assert_same_numbers(np.concatenate(in_blocks(pieces, X, y)), scores)
    bits.assert_same_state(pieces, clf)


# ---- pairs that are not defined; no promise of a pair, so not among `every`


def check_an_undefined_pair_is_refused_with_a_remedy(method, learner):
    """A pair that is not defined is refused before it learns a row, and all that the refusal offers instead is defined."""
    clf = StreamClassifier(method, learner)
    with pytest.raises(ParameterError, match="; use ") as refused:
        clf.learn([[0.0], [1.0]], [0, 1])
    assert not clf.__sklearn_is_fitted__()
    message = str(refused.value)
    assert method_value(method).name in message
    assert learner_value(learner).name in message
    offered = message.split("; use ")[1]
    offers = [(method, name) for name in re.findall(r"'(\w+)'", offered) if name in learners.names()]
    offers += [(name, learner) for name in re.findall(r"'(\w+)'", offered) if name in methods.names()]
    assert offers != []
    assert [pair for pair in offers if not is_defined(*pair)] == []
