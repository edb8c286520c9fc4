"""A model that was saved, pickled or copied goes on exactly as if it had never stopped."""

import copy
import io
import itertools
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import bits
import covering
from poise import HGD, OGD, HGDClassifier, StreamClassifier, load
from poise.classifier import from_bytes, to_bytes

METHODS = {
    "ogd": OGD(),
    "hgd": "hgd",
    "squared": HGD(norm="squared"),
    "unclamped": HGD(clamp=None),
    "clamp 3": HGD(clamp=3.0),
    "assumption4": HGD(clamp="assumption4"),
    "memory": HGD(memory=0.9),
    "memory squared": HGD(memory=0.5, norm="squared", clamp="assumption4"),
    "inverse": HGD(multiclass="inverse"),
    "printed": HGD(multiclass="printed", memory=0.99),
    "ohgd": HGD(variant="ohgd"),
}
AXES = {
    "rows": [
        "dense", "float32", "csr", "table", "table then dicts", "dicts", "growing dicts", "hashed", "arrays one by one",
        "dicts one by one",
    ],
    "classes": ["2", "2 listed", "5", "1 then 2", "2 then 3", "1 then 5"],
    "method": list(METHODS),
    "learner": ["perceptron", "svm", "logistic", "softmax"],
    "standardize": ["auto", "center", "scale", None],
    "average": [True, False, 0.1],
    "unit_rows": [False, True],
    "radius": [None, 0.5],
    "learning_rate": ["constant", "sqrt", "invscaling"],
    "fit_intercept": [True, False],
    "missing": ["error", "zero"],
}  # fmt: skip
BEYOND_TWO = [name for name in METHODS if name != "ohgd"]
CASES = covering.pairs(AXES | {"method": BEYOND_TWO})
CASES += covering.pairs(AXES | {"method": ["ohgd"], "classes": ["2", "2 listed", "1 then 2"]})
SPLITS = 20


def model_of(case):
    names = ("standardize", "average", "unit_rows", "radius", "learning_rate", "fit_intercept", "missing")
    n_hash = 16 if case["rows"] == "hashed" else None
    return StreamClassifier(METHODS[case["method"]], case["learner"], n_hash=n_hash, **{name: case[name] for name in names})


def labels_of(classes, rows):
    """Labels that arrive out of order; "1 then 5" has one class in the first half and five in the second."""
    rng = np.random.default_rng(7)
    first, last = (int(word) for word in (classes.split(" then ") if "then" in classes else [classes[0]] * 2))
    y = rng.integers(0, np.where(np.arange(rows) < rows // 2, first, last))
    y[rows // 2 : rows // 2 + last] = np.arange(last)[::-1]
    return np.array([30, -4, 7, 12, 0])[y]


def dicts_of(X, *, growing):
    """One dict per row: numbers, a text, a truth; with `growing` new names and texts come all the time."""
    for i, row in enumerate(X.tolist()):
        record = {f"c{j}": x for j, x in enumerate(row) if x != 0.0}
        record |= {"place": f"p{i if growing else i % 3}", "night": i % 5 == 0}
        yield record | ({f"new{i // 2}": 1.5 + i, i: 2.0} if growing else {})


def pieces(case):
    """Yield 21 pieces of one stream, each as calls of (rows, labels)."""
    X, _ = bits.plain(64, 6, 2, seed=3)
    y = labels_of(case["classes"], len(X))
    if case["missing"] == "zero" and case["rows"] in {"dense", "float32", "arrays one by one"}:
        X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    records = list(dicts_of(X, growing=case["rows"] == "growing dicts"))
    edges = np.linspace(0, len(X), SPLITS + 2).astype(int)
    for k, (start, stop) in enumerate(itertools.pairwise(edges)):
        kind, part = case["rows"], slice(start, stop)
        if kind.endswith("one by one"):
            rows = X if kind.startswith("arrays") else records
            yield [(rows[i], y[i]) for i in range(start, stop)]
        elif kind in {"dicts", "growing dicts", "hashed"} or (kind == "table then dicts" and k > SPLITS // 2):
            yield [(records[part], y[part])]
        else:
            made = {"dense": np.asarray, "float32": np.float32, "csr": sp.csr_array}
            table = made.get(kind, lambda rows: pd.DataFrame(rows, columns=[f"c{j}" for j in range(6)]))
            yield [(table(X[part]), y[part])]


def learn(clf, case, calls):
    """Learn a piece of a stream; returns its scores."""
    if case["rows"].endswith("one by one"):
        return [clf.learn_one(*call) for call in calls]
    classes = [30, -4] if case["classes"] == "2 listed" else None
    return [clf.learn(*call, classes=classes) for call in calls]


def assert_goes_on_as_before(case, again):
    """Compare a model that goes through `again` at 20 points with one that never stops: scores, state and files."""
    clf, other = model_of(case), model_of(case)
    for k, calls in enumerate(pieces(case)):
        scores, others = learn(clf, case, calls), learn(other, case, calls)
        assert len(scores) == len(others)
        for one, two in zip(scores, others, strict=True):
            bits.assert_same_numbers(one, two)
        bits.assert_same_state(clf, other)
        clf = again(clf, k)
    rows = calls[0][0] if not case["rows"].endswith("one by one") else [call[0] for call in calls]
    bits.assert_same_numbers(clf.decision_function(rows), other.decision_function(rows))
    bits.assert_same_numbers(clf.predict_proba(rows), other.predict_proba(rows))
    bits.assert_same_numbers(clf.coef_, other.coef_)
    assert clf.predict(rows).tolist() == other.predict(rows).tolist()
    assert to_bytes(clf) == to_bytes(other)


def saved_and_loaded(clf, _):
    return from_bytes(to_bytes(clf), "m.poise")


def joblib_again(clf):
    buffer = io.BytesIO()
    joblib.dump(clf, buffer)
    buffer.seek(0)
    return joblib.load(buffer)


COPIES = [
    copy.deepcopy,
    joblib_again,
    *(lambda clf, protocol=protocol: pickle.loads(pickle.dumps(clf, protocol)) for protocol in range(2, 6)),
]


@pytest.mark.parametrize("case", CASES, ids=covering.name_of)
def test_a_loaded_model_goes_on_as_if_it_had_never_stopped(case):
    assert_goes_on_as_before(case, saved_and_loaded)


@pytest.mark.parametrize("case", CASES, ids=covering.name_of)
def test_a_pickled_or_copied_model_goes_on_as_if_it_had_never_stopped(case):
    assert_goes_on_as_before(case, lambda clf, k: COPIES[k % len(COPIES)](clf))


def test_a_model_loaded_from_disk_goes_on_as_if_it_had_never_stopped(tmp_path):
    def through_disk(clf, k):
        clf.save(tmp_path / f"{k}.poise")
        return load(tmp_path / f"{k}.poise")

    assert_goes_on_as_before(CASES[0], through_disk)


@pytest.mark.parametrize("case", CASES[::5], ids=covering.name_of)
def test_a_clone_starts_anew_with_the_same_parameters(case):
    clf, calls = model_of(case), next(pieces(case))
    learn(clf, case, calls)
    fresh = clone(from_bytes(to_bytes(clf), "m.poise"))
    assert not fresh.__sklearn_is_fitted__()
    assert fresh.get_params() == clf.get_params()
    learn(fresh, case, calls)
    bits.assert_same_state(fresh, clf)


@pytest.mark.parametrize(
    "way",
    [lambda clf: saved_and_loaded(clf, 0), *COPIES[:3], copy.copy],
    ids=["file", "deep copy", "joblib", "pickle", "copy"],
)
def test_a_copy_and_its_original_learn_apart(way):
    X, y = bits.plain(40, 5, 3)
    clf = HGDClassifier()
    clf.learn(X, y)
    before = bits.state_of(clf)
    twin = way(clf)
    twin.learn(X, y + 2)
    assert bits.state_of(clf) == before
    assert clf.classes_.tolist() == [0, 1, 2]
    assert twin.classes_.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("way", [lambda clf: saved_and_loaded(clf, 0), *COPIES[:3]], ids=["file", "copy", "joblib", "pickle"])
class TestModelThatKnowsLittle:
    """Models at the very start of a stream go on like all others."""

    def assert_goes_on(self, clf, way, rows, y):
        twin = way(clf)
        bits.assert_same_state(twin, clf)
        bits.assert_same_numbers(twin.learn(rows, y), clf.learn(rows, y))
        bits.assert_same_state(twin, clf)

    def test_of_no_row(self, way):
        clf = HGDClassifier()
        clf.learn(np.zeros((0, 4)), [], classes=[3, 1])
        self.assert_goes_on(clf, way, *bits.plain(9, 4, 4))

    def test_of_rows_of_weight_0_only(self, way):
        clf = HGDClassifier()
        clf.learn(np.ones((3, 4)), [0, 1, 2], sample_weight=[0, 0, 0])
        self.assert_goes_on(clf, way, *bits.plain(9, 4, 4))

    def test_of_one_class(self, way):
        clf = HGDClassifier()
        clf.learn(np.ones((3, 4)), [1, 1, 1])
        self.assert_goes_on(clf, way, *bits.plain(9, 4, 2))

    @pytest.mark.parametrize("standardize", ["auto", "scale", None])
    def test_of_no_column(self, way, standardize):
        clf = HGDClassifier(standardize=standardize)
        clf.learn([{}, {}, {}], ["a", "b", "a"])
        self.assert_goes_on(clf, way, [{"x": 2.5}, {}, {"x": 1.0, "t": "u"}], ["a", "b", "c"])

    def test_after_a_refused_call_that_brought_names(self, way):
        clf = HGDClassifier()
        clf.learn([{"x": 1.0}, {"y": 2.0}], [0, 1])
        with pytest.raises(ValueError, match="row 1"):
            clf.learn([{"z": 1.0, "t": "u"}, {"x": np.nan}], [0, 2])
        self.assert_goes_on(clf, way, [{"z": 2.0}, {"t": "u"}, {"x": 1.0}], [1, 0, 2])


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(
    rows=st.lists(
        st.tuples(
            st.dictionaries(
                st.text(max_size=3) | st.integers(-9, 2**70),
                st.floats(-1e6, 1e6) | st.text(st.characters(exclude_categories=["Cs"]), max_size=3) | st.booleans(),
                max_size=4,
            ),
            st.sampled_from(["a", "b", "c"]),
        ),
        min_size=1,
        max_size=12,
    ),
    at=st.integers(1, 11),
)
def test_any_dicts_leave_a_model_that_a_file_holds(rows, at):
    clf, other = HGDClassifier(), HGDClassifier()
    for k, (record, label) in enumerate(rows):
        if k == at:
            clf = saved_and_loaded(clf, 0)
        bits.assert_same_numbers(clf.learn_one(record, label), other.learn_one(record, label))
    bits.assert_same_state(saved_and_loaded(clf, 0), other)
    assert to_bytes(clf) == to_bytes(other)
