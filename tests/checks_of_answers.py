"""Promises about answers: finite, useful, the same bits however the stream comes."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import scipy.sparse as sp

import bits
from poise.classifier import from_bytes, to_bytes
from poise.settings import learner_value, method_value
from promises import ARRIVALS, DRAWING, THIRDS, in_blocks, more_than_two, new, not_finite, one_by_one, promise, three, two

# ---- what comes out


@promise
def check_numbers_stay_finite(method, learner, **settings):
    """After 300 rows every score, probability and number of the state is finite."""
    X, y = two(300)
    clf = new(method, learner, settings)
    assert np.isfinite(clf.learn(X, y)).all()
    assert not_finite(clf) == []
    assert np.isfinite(clf.decision_function(X)).all()
    probabilities = clf.predict_proba(X)
    assert probabilities.shape == (300, 2)
    assert np.abs(probabilities.sum(axis=1) - 1.0).max() < 1e-12
    assert ((probabilities >= 0.0) & (probabilities <= 1.0)).all()


@promise
def check_classes_are_told_apart(method, learner, **settings):
    """Two classes that lie apart are told apart, the rare one too, much better than by chance."""
    X, y = two(300)
    X = X + np.where(y == 1, 1.0, -1.0)[:, np.newaxis] * np.array([3.0, -3.0, 3.0, 0.0, 0.0])
    clf = new(method, learner, settings)
    clf.learn(X, y)
    found = clf.predict(X)
    assert min(np.mean(found[y == label] == label) for label in (0, 1)) > 0.75


@promise
def check_the_ledger_counts_every_row(method, learner, **settings):
    """The ledger counts the rows of every class; shares add up to 1, and no class travels backwards."""
    X, y = two()
    clf = new(method, learner, settings)
    clf.learn(X, y)
    ledger = clf.ledger_
    assert clf.n_seen_ == len(y)
    assert ledger.seen.tolist() == np.bincount(y).tolist()
    assert abs(ledger.share.sum() - 1.0) < 1e-12
    assert (ledger.travelled >= 0.0).all()


@promise
def check_asking_leaves_no_trace(method, learner, **settings):
    """Questions leave every byte of the state as it was."""
    X, y = two()
    clf = new(method, learner, settings)
    clf.learn(X, y)
    before = bits.state_of(clf)
    for ask in (clf.decision_function, clf.predict, clf.predict_proba):
        ask(X)
    for ask in (clf.decision_one, clf.predict_one, clf.predict_proba_one):
        ask(X[0])
    assert bits.state_of(clf) == before


@promise
def check_single_rows_are_answered_like_blocks(method, learner, **settings):
    """A row is given the same score, label and probabilities alone as in a block."""
    X, y = two(60)
    clf = new(method, learner, settings)
    clf.learn(X, y)
    bits.assert_same_numbers([clf.decision_one(x) for x in X], clf.decision_function(X))
    assert [clf.predict_one(x) for x in X] == clf.predict(X).tolist()
    bits.assert_same_numbers([list(clf.predict_proba_one(x).values()) for x in X], clf.predict_proba(X))


@promise
def check_one_class_alone_is_learned(method, learner, **settings):
    """Rows of one class only are learned; the answer is that class, and its probability is 1."""
    X, _ = two(60)
    for label in (0, 1):
        clf, declared = new(method, learner, settings), new(method, learner, settings)
        y = np.full(60, label)
        assert np.isfinite(clf.learn(X, y)).all()
        assert not_finite(clf) == []
        assert clf.predict(X).tolist() == y.tolist()
        assert clf.predict_proba(X).tolist() == [[1.0]] * 60
        assert clf.predict_one(X[0]) == label
        assert np.isfinite(declared.learn(X, y, classes=[0, 1])).all()
        assert not_finite(declared) == []


@promise
def check_rows_of_zeros_are_learned(method, learner, **settings):
    """Rows without a single number that is not zero are learned like any others, as empty sparse rows too."""
    X, y = two(80)
    X[20:40] = 0.0
    for rows in (X, np.zeros_like(X)):
        for standardize in ("center", "scale", None):
            clf = new(method, learner, settings, standardize=standardize)
            assert np.isfinite(clf.learn(rows, y)).all()
            assert not_finite(clf) == []
            if standardize != "center":
                sparse = new(method, learner, settings, standardize=standardize)
                sparse.learn(sp.csr_array(rows), y)
                bits.assert_same_state(sparse, clf)


# ---- the same stream, the same bits


@promise
def check_the_seed_decides(method, learner, **settings):
    """The same seed gives the same bytes; another one other bytes where random numbers are drawn, else the same scores."""
    X, y = two()[0], np.random.default_rng(0).integers(2, size=100)  # hard to learn, so that every draw tells
    first, again, other = (new(method, learner, {**settings, "random_state": seed}) for seed in (1, 1, 2))
    scores = first.learn(X, y)
    bits.assert_same_numbers(again.learn(X, y), scores)
    bits.assert_same_state(again, first)
    drew = int(first._model.tensors()["drawing"][0, 0]) != first._setup().core["seed"]
    assert drew or method_value(method).family not in DRAWING
    found = other.learn(X, y)
    if drew or learner_value(learner).family == "fourier":
        mine, its = bits.state_of(first), bits.state_of(other)
        assert [name for name in mine if name != "drawing" and mine[name] != its[name]] != []
    else:
        bits.assert_same_numbers(found, scores)


@promise
def check_any_blocks_give_the_same_bits(method, learner, **settings):
    """A stream in one block, in odd pieces and row by row gives the same scores and state, however its two classes arrive."""
    for X, y in ARRIVALS.values():
        whole, pieces, single = (new(method, learner, settings) for _ in range(3))
        scores = whole.learn(X, y)
        bits.assert_same_numbers(np.concatenate(in_blocks(pieces, X, y)), scores)
        bits.assert_same_numbers(one_by_one(single, X, y), scores)
        bits.assert_same_state(pieces, whole)
        bits.assert_same_state(single, whole)


@promise
def check_learning_unscored_gives_the_same_state(method, learner, **settings):
    """Learning without asking for scores leaves the state that learning with scores leaves."""
    X, y = two()
    scored, unscored = new(method, learner, settings), new(method, learner, settings)
    scored.learn(X, y, classes=[0, 1])
    unscored.partial_fit(X, y, classes=[0, 1])
    bits.assert_same_state(unscored, scored)


@promise
def check_sparse_rows_give_the_bits_of_dense_ones(method, learner, **settings):
    """CSR rows give the scores and state of the same rows in an array, scaled or taken as they are."""
    streams = [two()] + [three()] * more_than_two(method)
    for X, y in streams:
        for standardize in ("scale", None):
            dense, sparse, pieces = (new(method, learner, settings, standardize=standardize) for _ in range(3))
            rows = sp.csr_array(X)
            scores = dense.learn(X, y)
            bits.assert_same_numbers(sparse.learn(rows, y), scores)
            in_blocks(pieces, rows, y)
            bits.assert_same_state(sparse, dense)
            bits.assert_same_state(pieces, dense)
            bits.assert_same_numbers(sparse.decision_function(rows), dense.decision_function(X))


@promise
def check_single_precision_gives_the_bits_of_its_copy(method, learner, **settings):
    """Rows in single precision give the scores and state of their copy in double precision."""
    X, y = two()
    narrow = X.astype(np.float32)
    for standardize in ("center", "scale", None):
        expected, block, single = (new(method, learner, settings, standardize=standardize) for _ in range(3))
        scores = expected.learn(narrow.astype(np.float64), y)
        bits.assert_same_numbers(block.learn(narrow, y), scores)
        bits.assert_same_numbers(one_by_one(single, narrow, y), scores)
        bits.assert_same_state(block, expected)
        bits.assert_same_state(single, expected)


@promise
def check_saved_models_continue(method, learner, **settings):
    """A model saved, pickled or copied at any moment of the stream continues byte for byte, and its file stays the same."""
    streams = [ARRIVALS["the larger label first"]] + [THIRDS["the largest label first"]] * more_than_two(method)
    for X, y in streams:
        for moment in (10, 30, 70):
            clf = new(method, learner, settings)
            clf.learn(X[:moment], y[:moment])
            data = to_bytes(clf)
            others = [from_bytes(data, "m.poise"), pickle.loads(pickle.dumps(clf)), copy.deepcopy(clf), copy.copy(clf)]
            assert to_bytes(others[0]) == data
            scores = clf.learn(X[moment:], y[moment:])
            for other in others:
                bits.assert_same_numbers(other.learn(X[moment:], y[moment:]), scores)
                bits.assert_same_state(other, clf)
            assert to_bytes(others[0]) == to_bytes(clf)


@promise
def check_predictors_in_other_threads_never_fail(method, learner, **settings):
    """Two threads that ask while a third one learns are answered, and change nothing."""
    X, y = ARRIVALS["the second one late"]
    clf, alone, done = new(method, learner, settings), new(method, learner, settings), Event()
    alone.learn(X, y)
    clf.learn(X[:5], y[:5])

    def ask():
        answered = 0
        while not done.is_set() or not answered:
            assert np.isfinite(clf.predict_proba(X[:7])).all()
            assert clf.predict_one(X[0]) in (0, 1)
            answered += 1
        return answered

    with ThreadPoolExecutor(2) as pool:
        asking = [pool.submit(ask) for _ in range(2)]
        try:
            for begin in range(5, len(y), 17):
                clf.learn(X[begin : begin + 17], y[begin : begin + 17])
        finally:
            done.set()
        assert min(thread.result() for thread in asking) > 0
    bits.assert_same_state(clf, alone)
