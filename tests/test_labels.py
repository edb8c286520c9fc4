"""Labels of every kind: what is a class, which sign is whose, and how a third class comes in."""

import re
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, softmax

import bits
from poise import HGDClassifier, StreamClassifier
from poise.errors import DataError
from poise.labels import Labels, as_objects

X = np.random.default_rng(0).normal(size=(60, 3))
#: Class numbers of the rows; the larger one comes first.
CODES = np.array([1, 0, 0, 1, 1, 0] * 10)

TEXTS = np.array(["no", "yes"], dtype=object)
KINDS = {
    "list": ([0, 1], list),
    "tuple": ([0, 1], tuple),
    "int8": ([-7, 3], lambda y: np.array(y, dtype=np.int8)),
    "negative": ([-2, -1], np.array),
    "int64 ends": ([-(2**63), 2**63 - 1], np.array),
    "uint8": ([0, 255], lambda y: np.array(y, dtype=np.uint8)),
    "uint64 beyond int64": ([1, 2**63 + 5], lambda y: np.array(y, dtype=np.uint64)),
    "uint64 apart by one": ([2**64 - 2, 2**64 - 1], lambda y: np.array(y, dtype=np.uint64)),
    "big-endian": ([1, 300], lambda y: np.array(y, dtype=">i4")),
    "strided": ([5, 6], lambda y: np.repeat(y, 3)[1::3]),
    "unaligned": ([5, 6], lambda y: np.frombuffer(b"\0" + np.array(y).tobytes(), dtype=np.int64, offset=1)),
    "read-only": ([5, 6], lambda y: np.frombuffer(np.array(y).tobytes(), dtype=np.int64)),
    "python ints beyond 64 bits": ([0, 2**70], list),
    "bool": ([False, True], np.array),
    "bool list": ([False, True], list),
    "bool and int": ([True, 2], list),
    "whole floats": ([1.0, 2.0], np.array),
    "float16": ([-1.0, 1.0], lambda y: np.array(y, dtype=np.float16)),
    "large floats": ([1e300, 1e301], np.array),
    "text": (["no", "yes"], np.array),
    "text list": (["no", "yes"], list),
    "text with an end of its own": (["a", "a\0"], list),
    "unicode": (["café", "été 🎈"], list),
    "bytes": ([b"no", b"yes"], list),
    "object text": (["no", "yes"], lambda y: np.array(y, dtype=object)),
    "object ints": ([10, 20], lambda y: np.array(y, dtype=object)),
    "StringDType": (["no", "yes"], lambda y: np.array(y, dtype=np.dtypes.StringDType())),
    "decimals": ([Decimal(1), Decimal(2)], list),
    "pandas": ([0, 1], pd.Series),
    "pandas upside down": ([0, 1], lambda y: pd.Series(y, index=range(len(y))[::-1])),
    "pandas text": (["no", "yes"], pd.Series),
    "pandas category": (["no", "yes"], lambda y: pd.Series(y, dtype="category")),
    "pandas category in another order": (
        ["no", "yes"],
        lambda y: pd.Series(pd.Categorical(y, ["yes", "no", "unused"], ordered=True)),
    ),
    "pandas category of ints": ([3, 4], lambda y: pd.Series(y, dtype="category")),
    "pandas nullable int": ([3, 4], lambda y: pd.Series(y, dtype="Int64")),
    "pandas nullable bool": ([False, True], lambda y: pd.Series(y, dtype="boolean")),
    "pandas arrow": ([3, 4], lambda y: pd.Series(y, dtype="int64[pyarrow]")),
    "pandas index": (["no", "yes"], pd.Index),
    "polars": ([3, 4], pl.Series),
    "polars bool": ([False, True], pl.Series),
    "polars text": (["no", "yes"], pl.Series),
    "polars category": (["no", "yes"], lambda y: pl.Series(y, dtype=pl.Categorical)),
    "polars enum": (["no", "yes"], lambda y: pl.Series(y, dtype=pl.Enum(["yes", "no"]))),
    "pyarrow": (["no", "yes"], pa.array),
    "pyarrow dictionary": (["no", "yes"], lambda y: pa.array(y).dictionary_encode()),
    "pyarrow chunks": ([3, 4], lambda y: pa.chunked_array([y[:7], y[7:]])),
}


@pytest.mark.parametrize(("labels", "container"), KINDS.values(), ids=KINDS)
class TestLabelsOfAnyKind:
    def test_are_learned_as_the_numbers_0_and_1(self, labels, container):
        y = container([labels[code] for code in CODES])
        clf, expected = HGDClassifier(), HGDClassifier()
        bits.assert_same_numbers(clf.learn(X, y), expected.learn(X, CODES))
        bits.assert_same_state(clf, expected, but=["labels"])
        bits.assert_same_state(HGDClassifier().fit(X, y), HGDClassifier().fit(X, CODES), but=["labels"])
        bits.assert_same_state(
            HGDClassifier().partial_fit(X, y, classes=container(labels)),
            HGDClassifier().partial_fit(X, CODES, classes=[0, 1]),
            but=["labels"],
        )

    def test_come_back_as_they_were(self, labels, container):
        clf = HGDClassifier()
        clf.learn(X, container([labels[code] for code in CODES]))
        assert clf.classes_.tolist() == labels
        expected = [labels[int(score >= 0)] for score in clf.decision_function(X)]
        assert clf.predict(X).tolist() == expected == [clf.predict_one(x) for x in X]
        assert list(clf.predict_proba_one(X[0])) == labels
        assert clf.ledger_[labels[1]].seen == 30

    def test_one_by_one_give_the_model_of_a_block(self, labels, container):
        single, block = HGDClassifier(), HGDClassifier()
        block.learn(X, container([labels[code] for code in CODES]))
        for x, code in zip(X, CODES, strict=True):
            single.learn_one(x, labels[code])
        bits.assert_same_state(single, block)


REFUSED = {
    "text and int": (["a", 1], "types int and str cannot be sorted together"),
    "bytes and text": ([b"a", "b"], "types bytes and str cannot be sorted together"),
    "NaN": ([0.0, np.nan], "label in row 1 is missing"),
    "None": ([0, None], "label in row 1 is missing"),
    "NA": (pd.Series([0, None], dtype="Int64"), "label in row 1 is missing"),
    "null": (pl.Series(["a", None]), "label in row 1 is missing"),
    "half": ([0.0, 0.5], "label in row 1 is 0.5, no whole number"),
    "infinity": ([0.0, np.inf], "label in row 1 is inf"),
    "complex": ([0j, 1j], "Complex data not supported"),
    "dates": (np.array(["2020-01-01", "2020-01-02"], dtype="M8[D]"), "dates or durations"),
    "too few": ([0], "X has 2 rows and y has 1 labels"),
}


@pytest.mark.parametrize(("y", "message"), REFUSED.values(), ids=REFUSED)
def test_labels_that_name_no_class_are_refused_without_a_trace(y, message):
    clf = HGDClassifier()
    with pytest.raises(DataError, match=message):
        clf.learn(X[:2], y)
    assert not clf.__sklearn_is_fitted__()


@pytest.mark.parametrize(("known", "other"), [([0, 1], "1"), (["a", "b"], 1), (["a", "b"], b"a")], ids=str)
def test_a_label_that_cannot_be_sorted_among_the_known_is_refused(known, other):
    clf = HGDClassifier().partial_fit(X, np.array(known)[CODES], classes=known)
    before = bits.state_of(clf)
    with pytest.raises(DataError, match="cannot be sorted"):
        clf.learn(X[:1], [other])
    with pytest.raises(DataError, match="cannot be sorted"):
        clf.learn_one(X[0], other)
    assert bits.state_of(clf) == before


# ---- order and sign


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(
    labels=st.lists(st.integers(-(2**65), 2**65), min_size=1, max_size=6, unique=True)
    | st.lists(st.text(), min_size=1, unique=True),
    data=st.data(),
)
def test_classes_are_sorted_and_the_ledger_counts_them_whatever_their_order_of_arrival(labels, data):
    y = data.draw(st.lists(st.sampled_from(labels), min_size=1, max_size=40))
    clf = StreamClassifier("ogd")
    clf.learn(np.resize(X, (len(y), 3)), y)
    assert clf.classes_.tolist() == sorted(set(y))
    assert {label: clf.ledger_[label].seen for label in set(y)} == {label: y.count(label) for label in set(y)}
    assert clf.ledger_.share.sum() == pytest.approx(1.0)


def test_whole_numbers_that_no_type_of_numpy_holds_together_stay_whole():
    clf = StreamClassifier("ogd")
    clf.learn(X[:2], [0, 2**63 + 1])
    assert clf.classes_.tolist() == [0, 2**63 + 1]


@pytest.mark.parametrize("learner", ["logistic", "svm", "perceptron"])
@pytest.mark.parametrize("arrival", [["a", "b"], ["b", "a"]], ids=["small first", "large first"])
def test_a_score_above_0_means_the_larger_label(learner, arrival):
    clf = StreamClassifier("hgd", learner)
    y = np.array(arrival)[np.resize([0, 1], 60)]
    rows = np.where(y == "b", 1.0, -1.0)[:, np.newaxis] + X[:, :1] / 10
    scores = clf.learn(rows, y)
    assert clf.classes_.tolist() == ["a", "b"]
    assert clf.decision_function([[1.0], [-1.0]])[0] > 0 > clf.decision_function([[1.0], [-1.0]])[1]
    assert clf.predict([[1.0], [-1.0]]).tolist() == ["b", "a"]
    assert (np.sign(scores[20:]) == np.where(y[20:] == "b", 1, -1)).all()
    assert clf.coef_[0, 0] > 0
    assert clf.decision_one([1.0]) > 0


@pytest.mark.parametrize(("positive", "expected"), [(None, "b"), ("b", "b"), ("a", "a"), ("never seen", "b")])
@pytest.mark.parametrize("arrival", [["a", "b"], ["b", "a"]], ids=["small first", "large first"])
def test_a_score_of_exactly_0_counts_as_the_positive_class(positive, expected, arrival):
    clf = HGDClassifier(standardize=None, fit_intercept=False, positive=positive)
    clf.learn([[1.0], [1.0]], arrival)
    assert clf.decision_one([0.0]) == 0.0
    assert clf.predict([[0.0]]).tolist() == [expected] == [clf.predict_one([0.0])]
    assert clf.predict_proba([[0.0]]).tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize("arrival", [[0, 1], [1, 0]], ids=["small first", "large first"])
def test_positive_never_turns_the_sign_and_with_a_tie_decides_who_was_right(arrival):
    y = np.array(arrival)[np.resize([0, 1], 60)]
    models = {
        positive: StreamClassifier("ogd", "perceptron", standardize=None, average=False, positive=positive) for positive in (0, 1)
    }
    for positive, clf in models.items():
        scores = clf.learn(np.zeros((1, 3)), y[:1])
        assert scores.tolist() == [0.0]
        clf.learn(X, np.where(X[:, 0] > 0, 1, 0))
        assert np.mean((clf.decision_function(X) > 0) == (X[:, 0] > 0)) > 0.9, positive


def test_one_class_alone_is_predicted_with_certainty():
    clf = HGDClassifier()
    assert clf.learn(X, ["only"] * 60).shape == (60,)
    assert set(clf.predict(X)) == {"only"}
    assert clf.predict_proba(X).tolist() == [[1.0]] * 60
    assert clf.predict_proba_one(X[0]) == {"only": 1.0}


def test_a_second_class_that_is_named_turns_the_sign_of_its_scores_from_then_on():
    clf, single = HGDClassifier(), HGDClassifier()
    for one in (clf, single):
        one.learn(X, [1] * 60)
        one.learn(X[:0], [], classes=[0])
    expected = clf.decision_function(X[:1])
    assert expected[0] > 0.0
    bits.assert_same_numbers(clf.learn(X[:1], [0]), expected)
    bits.assert_same_numbers([single.learn_one(X[0], 0)], expected)
    bits.assert_same_state(clf, single)


def test_labels_of_rows_of_weight_0_may_be_anything():
    weights = np.where(np.arange(60) == 7, 0.0, 1.0)
    kept = HGDClassifier().fit(np.delete(X, 7, axis=0), np.delete(CODES, 7))
    for strange, kind in ((np.nan, float), (0.5, float), (None, object), ("text", object)):
        y = CODES.astype(kind)
        y[7] = strange
        bits.assert_same_state(HGDClassifier().fit(X, y, sample_weight=weights), kept)


@pytest.mark.parametrize("strange", [pd.NA, [1], (1.5, "b"), np.array([1, 2]), Decimal("sNaN")], ids=repr)
def test_fit_refuses_a_label_of_many_as_learn_does(strange):
    y = as_objects([*CODES.tolist(), *CODES.tolist()])
    y[90] = strange
    rows, told = np.vstack([X, X]), []
    for verb in (HGDClassifier().fit, HGDClassifier().learn):
        with pytest.raises(DataError, match="label in row 90") as refused:
            verb(rows, y)
        told.append(str(refused.value))
    assert told[0] == told[1]


def test_fit_takes_tuples_as_labels_of_many_rows():
    y = as_objects([("a", int(code)) for code in np.tile(CODES, 2)])
    assert HGDClassifier().fit(np.vstack([X, X]), y).predict(X[:1])[0] in {("a", 0), ("a", 1)}


@given(st.data())
def test_whole_numbers_are_told_apart_wherever_they_stand(data):
    some = data.draw(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=3, unique=True))
    common = data.draw(st.sampled_from(some))
    y = np.full(data.draw(st.integers(0, 300)), common)
    for row, label in data.draw(st.lists(st.tuples(st.integers(0, 299), st.sampled_from(some)), max_size=6)):
        y[row : row + 1] = label
    known = Labels(some[:2])
    codes, labels = known.encode(y)
    assert [labels.arrived[code] for code in codes] == y.tolist()
    assert set(labels.arrived) == {*known.arrived, *y.tolist()}


# ---- more than two classes


def test_a_method_for_two_classes_refuses_a_third_without_a_trace():
    clf = HGDClassifier(variant="ohgd").fit(X, CODES)
    before, rule = bits.state_of(clf), "and variant='ohgd' is defined for two classes only; use variant='hgd'."
    for attempt, told in (
        (lambda: clf.learn_one(X[0], 2), "The label in row 0 is 2, a third class beside 0 and 1"),
        (lambda: clf.learn(X, CODES + 1), "The label in row 0 is 2, a third class beside 0 and 1"),
        (lambda: HGDClassifier(variant="ohgd").fit(X[:3], [0, 1, 2]), "The label in row 2 is 2, a third class beside 0 and 1"),
        (
            lambda: HGDClassifier(variant="ohgd").partial_fit(X, CODES, classes=[0, 1, 2]),
            "A label in classes is 2, a third class beside 0 and 1",
        ),
    ):
        with pytest.raises(DataError, match=re.escape(f"{told}, {rule}")):
            attempt()
    assert bits.state_of(clf) == before


@pytest.mark.parametrize("learner", ["logistic", "svm", "perceptron", "softmax"])
@pytest.mark.parametrize("third", [-1, 5, 9], ids=["smallest", "between", "largest"])
@pytest.mark.parametrize("standardize", ["center", "scale", None])
def test_a_third_class_splits_the_weights_of_two_in_halves(learner, third, standardize):
    clf = StreamClassifier("hgd", learner, standardize=standardize)
    two = clf.learn(X, np.where(CODES, 8, 3))
    coef, intercept = clf.coef_.copy(), clf.intercept_.copy()
    assert clf.partial_fit(X[:0], [], sample_weight=[]).coef_.shape == (1, 3)
    score = clf.decision_function(X[:1])
    scores = clf.learn(X[:1], [8], classes=[third])
    classes = [sorted([3, 8, third]).index(label) for label in (3, 8, third)]
    bits.assert_same_numbers(scores[0, classes], [-score[0] / 2, score[0] / 2, 0.0])
    other = StreamClassifier("hgd", learner, standardize=standardize)
    assert other.learn(X, np.where(CODES, 8, 3)).tolist() == two.tolist()
    other.learn(X[:1], [third], sample_weight=[0.0])
    assert other.classes_.tolist() == [3, 8]
    other.learn(X[:0], [], classes=[third])
    halves = np.vstack([-coef / 2, coef / 2, np.zeros((1, 3))])
    np.testing.assert_allclose(other.coef_[classes], halves, rtol=1e-12)
    np.testing.assert_allclose(other.intercept_[classes], [-intercept[0] / 2, intercept[0] / 2, 0.0], rtol=1e-12)


def test_columns_of_learn_are_sorted_and_empty_before_their_class_existed():
    clf = HGDClassifier()
    scores = clf.learn(X[:8], ["m", "z", "m", "a", "z", "k", "a", "m"])
    assert clf.classes_.tolist() == ["a", "k", "m", "z"]
    assert np.isfinite(scores[2:]).tolist() == [[row >= 4, row >= 6, True, True] for row in range(2, 8)]
    rows = HGDClassifier()
    for row, label in enumerate(["m", "z", "m", "a", "z", "k", "a", "m"]):
        one = np.atleast_1d(rows.learn_one(X[row], label))
        if len(one) == 4 and row > 5:
            bits.assert_same_numbers(one, scores[row])
    bits.assert_same_state(rows, clf)


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(scores=st.lists(st.sampled_from([0.0, -0.0, 1.5, -2.0]), min_size=3, max_size=6))
def test_the_largest_score_wins_and_of_equal_ones_the_lowest(scores):
    labels = [f"c{k}" for k in range(len(scores))]
    clf = StreamClassifier("ogd", standardize=None, average=False, fit_intercept=False)
    clf.learn([[0.0]] * len(labels), labels[::-1])
    state = clf._model.core.state()
    state["weights"] = np.array(scores[::-1])[:, np.newaxis]
    clf._model.core.restore(state)
    assert clf.decision_function([[1.0]]).tolist() == [scores]
    assert clf.predict([[1.0]]).tolist() == [labels[int(np.argmax(scores))]] == [clf.predict_one([1.0])]


@pytest.mark.parametrize("learner", ["logistic", "svm", "perceptron", "softmax"])
@pytest.mark.parametrize("classes", [2, 3, 7])
def test_probabilities_are_the_sigmoid_or_softmax_of_the_scores(learner, classes):
    rows, y = bits.plain(200, 6, classes)
    clf = StreamClassifier("hgd", learner, eta0=3.0)
    clf.learn(rows, y)
    scores, found = clf.decision_function(rows * 3), clf.predict_proba(rows * 3)
    expected = np.column_stack([expit(-scores), expit(scores)]) if classes == 2 else softmax(scores, axis=1)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-14)
    assert (clf.classes_[np.argmax(found, axis=1)] == clf.predict(rows * 3)).mean() > 0.99
    assert clf.predict_proba_one(rows[0] * 3) == dict(zip(clf.classes_.tolist(), found[0].tolist(), strict=True))


@pytest.mark.parametrize("kind", ["ints", "floats", "texts"])
@pytest.mark.parametrize("how", ["fit", "learn", "partial_fit", "learn_one"])
def test_more_than_64_classes_are_told_apart(kind, how):
    rng = np.random.default_rng(1)
    numbers = np.concatenate([rng.permutation(150), rng.integers(0, 150, size=450)]) * 7 - 300
    y = {"ints": numbers, "floats": numbers.astype(float), "texts": numbers.astype(str)}[kind]
    rows = np.eye(150)[(numbers + 300) // 7]
    plain = {"standardize": None, "average": False, "fit_intercept": False}
    clf, expected = StreamClassifier("ogd", "softmax", **plain), StreamClassifier("ogd", "softmax", **plain)
    expected.learn(rows, y.tolist() if kind == "texts" else [f"{number + 1000:05}" for number in numbers.tolist()])
    if how == "learn_one":
        for x, label in zip(rows, y.tolist(), strict=True):
            clf.learn_one(x, label)
    elif how == "partial_fit":
        clf.partial_fit(rows[:200], y[:200], classes=np.unique(y)).partial_fit(rows[200:], y[200:])
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            getattr(clf, how)(rows, y)
    assert clf.classes_.tolist() == sorted(set(y.tolist()))
    assert [clf.ledger_[label].seen for label in clf.classes_.tolist()] == np.unique(y, return_counts=True)[1].tolist()
    if how in ("learn", "learn_one"):
        bits.assert_same_state(clf, expected, but=["labels"])
    assert clf.predict(rows).tolist() == y.tolist()
