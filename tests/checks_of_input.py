"""Promises about labels, weights, classes and names of columns."""

import copy
import pickle

import numpy as np

import bits
from poise.classifier import from_bytes, to_bytes
from poise.settings import method_value
from promises import (
    ARRIVALS,
    THIRDS,
    as_dicts,
    assert_refused_without_a_trace,
    in_blocks,
    in_columns,
    more_than_two,
    new,
    not_finite,
    one_by_one,
    promise,
    three,
    two,
)

# ---- what labels are called


@promise
def check_names_of_labels_do_not_matter(method, learner, **settings):
    """Other labels in the same order give the same scores and state."""
    for X, y in ARRIVALS.values():
        plain = new(method, learner, settings)
        scores = plain.learn(X, y)
        for names in (np.array(["a", "b"]), np.array([10, 20]), np.array([False, True]), np.array([-1.0, 1.0])):
            named = new(method, learner, settings)
            bits.assert_same_numbers(named.learn(X, names[y]), scores)
            bits.assert_same_state(named, plain, but=["labels"])
            assert named.predict(X).tolist() == names[plain.predict(X)].tolist()


@promise
def check_swapped_labels_mirror_every_decision(method, learner, **settings):
    """Two labels that swap their names, the positive one too, give the opposite scores and the mirrored decisions."""
    for X, y in ARRIVALS.values():
        arrived = int(np.flatnonzero(y != y[0])[0]) + 1  # the score of a lone class has no other side
        for known, first in ((None, arrived), ([0, 1], 0)):
            plain, swapped = new(method, learner, settings, positive=1), new(method, learner, settings, positive=0)
            scores, mirrored = plain.learn(X, y, classes=known), swapped.learn(X, 1 - y, classes=known)
            np.testing.assert_array_equal(mirrored[first:], -scores[first:])
            np.testing.assert_array_equal(swapped.decision_function(X), -plain.decision_function(X))
            assert swapped.predict(X).tolist() == (1 - plain.predict(X)).tolist()


# ---- weights of rows


@promise
def check_rows_of_weight_zero_leave_no_trace(method, learner, **settings):
    """A row of weight 0 leaves every byte as it was, whatever its label, alone or among others."""
    X, y = two()
    clf, other = new(method, learner, settings), new(method, learner, settings)
    for model in (clf, other):
        model.learn(X[:50], y[:50])
    before = bits.state_of(clf)
    for labels in (y[50:], np.full(50, 7)):
        clf.learn(X[50:], labels, sample_weight=np.zeros(50))
        clf.learn_one(X[50], int(labels[0]), 0.0)
        assert bits.state_of(clf) == before
    assert clf.classes_.tolist() == [0, 1]
    weights = np.where(np.arange(50) % 3 == 1, 0.0, 1.0)
    scores = clf.learn(X[50:], y[50:], sample_weight=weights)
    bits.assert_same_numbers(scores[weights > 0], other.learn(X[50:][weights > 0], y[50:][weights > 0]))
    bits.assert_same_state(clf, other)


@promise
def check_halved_weights_undo_a_doubled_step(method, learner, **settings):
    """Halving all weights undoes doubling eta0 bit for bit; a method without a step of its own heeds no eta0 at all."""
    X, y = two()
    eta0, weights = settings.get("eta0", 0.3), np.random.default_rng(0).choice([0.5, 1.0, 2.0, 0.3], size=len(y))
    plain, doubled = new(method, learner, settings), new(method, learner, settings, eta0=2.0 * eta0)
    if method_value(method).family == "dual averaging":
        np.testing.assert_allclose(doubled.learn(X, y), plain.learn(X, y), rtol=1e-9, atol=1e-12)
        return
    scores = plain.learn(X, y, sample_weight=weights)
    bits.assert_same_numbers(doubled.learn(X, y, sample_weight=weights / 2.0), scores)
    bits.assert_same_state(doubled, plain)


@promise
def check_weights_of_one_change_nothing(method, learner, **settings):
    """Weights of 1 are as good as none, in a block and row by row."""
    X, y = two(60)
    plain, block, single = (new(method, learner, settings) for _ in range(3))
    scores = plain.learn(X, y)
    bits.assert_same_numbers(block.learn(X, y, sample_weight=np.ones(60)), scores)
    bits.assert_same_numbers([single.learn_one(x, label, 1.0) for x, label in zip(X, y.tolist(), strict=True)], scores)
    bits.assert_same_state(block, plain)
    bits.assert_same_state(single, plain)


# ---- more than two classes


@promise
def check_three_classes_are_learned_or_refused(method, learner, **settings):
    """Three classes get a column of scores each, or the third one is refused with a remedy and without a trace."""
    X, y = three()
    clf = new(method, learner, settings)
    if more_than_two(method):
        scores = clf.learn(X, y, classes=[0, 1, 2])
        assert scores.shape == (len(y), 3)
        assert np.isfinite(scores).all()
        assert not_finite(clf) == []
        probabilities = clf.predict_proba(X)
        assert probabilities.shape == (len(y), 3)
        assert np.abs(probabilities.sum(axis=1) - 1.0).max() < 1e-12
        assert set(clf.predict(X).tolist()) <= {0, 1, 2}
        return
    clf.learn(*two(40))
    for call, given in ((clf.learn, (X[:9], y[:9])), (clf.learn_one, (X[0], 2)), (clf.learn, (X[:2], y[:2], [0, 1, 2]))):
        assert_refused_without_a_trace(clf, "third class .* defined for two classes only; use ", call, *given)


@promise
def check_a_late_third_class_gives_the_same_bits(method, learner, **settings):
    """A third class that arrives in the middle gives the same scores and state in one block, in odd pieces and row by row."""
    for X, y in THIRDS.values() if more_than_two(method) else ():
        whole, pieces, single = (new(method, learner, settings) for _ in range(3))
        scores = whole.learn(X, y)
        blocks = in_blocks(pieces, X, y)
        bits.assert_same_numbers(in_columns(one_by_one(single, X, y), y), scores)
        bits.assert_same_state(single, whole)
        bits.assert_same_state(pieces, whole)
        bits.assert_same_numbers(blocks[-1], scores[-len(blocks[-1]) :])
        bits.assert_same_numbers([single.decision_one(x) for x in X], whole.decision_function(X))


@promise
def check_refused_blocks_with_a_third_class_leave_no_trace(method, learner, **settings):
    """A block that brings a third class and then a bad row leaves two classes and every byte as it was."""
    X, y = THIRDS["in order"]
    X = X.copy()
    X[80, 1] = np.nan
    clf = new(method, learner, settings)
    clf.learn(X[:35], y[:35])
    message = r"row 45\b" if more_than_two(method) else "third class"
    assert_refused_without_a_trace(clf, message, clf.learn, X[35:], y[35:])


# ---- rows with names


@promise
def check_dicts_give_the_bits_of_their_block(method, learner, **settings):
    """Dicts learned one by one, with a new name in the middle, give the scores and state of a block of dicts."""
    for X, y in ARRIVALS.values():
        named = as_dicts(X)
        whole, pieces, single = (new(method, learner, settings) for _ in range(3))
        scores = whole.learn(named, y)
        assert np.isfinite(scores).all()
        assert "late" in whole.feature_names_in_
        bits.assert_same_numbers(one_by_one(single, named, y), scores)
        bits.assert_same_numbers(np.concatenate(in_blocks(pieces, named, y)), scores)
        bits.assert_same_state(single, whole)
        bits.assert_same_state(pieces, whole)
        bits.assert_same_numbers([single.decision_one(row) for row in named], whole.decision_function(named))


@promise
def check_refused_dicts_leave_no_trace(method, learner, **settings):
    """A bad dict leaves every byte as it was, and none of its new names or those of its block."""
    X, y = two(60)
    named = as_dicts(X)
    clf, other = new(method, learner, settings), new(method, learner, settings)
    for model in (clf, other):
        model.learn(named[:20], y[:20])
    bad = {"newer": 1.0, "c1": np.nan}
    assert_refused_without_a_trace(clf, r"(?i)row 40\b", clf.learn, [*named[20:], bad], [*y[20:], 0])
    assert_refused_without_a_trace(clf, r"(?i)row 0\b", clf.learn_one, bad, 0)
    bits.assert_same_numbers(clf.learn(named[20:], y[20:]), other.learn(named[20:], y[20:]))
    bits.assert_same_state(clf, other)


@promise
def check_models_of_dicts_continue(method, learner, **settings):
    """A model of dicts saved before a new name comes continues byte for byte."""
    X, y = two(60)
    named = as_dicts(X)
    clf = new(method, learner, settings)
    clf.learn(named[:25], y[:25])
    others = [from_bytes(to_bytes(clf), "m.poise"), pickle.loads(pickle.dumps(clf)), copy.deepcopy(clf)]
    scores = clf.learn(named[25:], y[25:])
    for other in others:
        bits.assert_same_numbers(one_by_one(other, named[25:], y[25:]), scores)
        bits.assert_same_state(other, clf)
