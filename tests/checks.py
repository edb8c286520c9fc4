"""What a method keeps with a learner: one check is one promise, said by its docstring.

`every` yields the checks and `run` runs them all on one pair. A method and a learner are names or values, the user's own too;
further keywords are settings of `StreamClassifier` under which the promise is to hold. A broken promise is an error with a note::

    checks.run("hgd", "svm")
    checks.run(MyMethod(strength=2.0), "logistic", unit_rows=True)
"""

import copy
import functools
import itertools
import pickle
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from threading import Event

import numpy as np
import pytest
import scipy.sparse as sp

import bits
from poise import StreamClassifier, learners, methods
from poise.classifier import from_bytes, to_bytes
from poise.errors import DataError, ParameterError
from poise.settings import learner_value, method_value

#: Families whose methods draw random numbers.
DRAWING = ("resampling", "bagging", "boosting")
#: No parameter of a method or learner may be any of these.
WRONG = ("nonsense", float("nan"), -float("inf"), [], {}, 1j, object())
#: A parameter may be one of these, and then must do no harm.
EXTREME = (1, 2, 1.0, 2.0, True, 5e-324, 1e-9, 1e9, 1e308)
#: Odd cuts of a stream; the rest is one block.
PIECES = (1, 2, 17, 1, 5, 30)
_CHECKS = []


def every():
    """Yield all checks, each a function of a method, a learner and settings."""
    yield from _CHECKS


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

    _CHECKS.append(told)
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
