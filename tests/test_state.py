"""What a model keeps stays finite, counts exactly, and is moved by a whole call or not at all."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import bits
from poise import HGD, StreamClassifier
from poise.errors import DataError

SETTINGS = {
    **bits.SETTINGS,
    "raw": {"standardize": None},
    "raw memory": {"standardize": None, "method": HGD(memory=0.9, clamp="assumption4", norm="squared"), "average": 0.5},
    "raw ball": {"standardize": None, "method": HGD(clamp=None), "radius": 1e3},
    "longest steps": {"standardize": "center", "method": HGD(clamp=None), "eta0": 1e6},
    "released": {"standardize": "scale", "method": HGD(variant="ohgd"), "average": 0.9},
}
EXTREME = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    [0.0, -0.0, 5e-324, 2.3e-308, 1e-200, 1e-154, 1e76, 1e100, 1e140, 1e154, -1e154, 1e160, 1.7e308, -1.7e308]
)
WEIGHTS = st.sampled_from([0.0, 5e-324, 1e-200, 0.5, 1.0, 1e6])


def model(setting):
    given_settings = {"method": "hgd", "learner": "logistic", **SETTINGS[setting]}
    return StreamClassifier(given_settings.pop("method"), given_settings.pop("learner"), **given_settings)


def most_classes(setting):
    return 2 if setting == "released" else 4


@st.composite
def blocks_of_rows(draw, classes):
    """Some blocks of one width, each with labels and weights."""
    width = draw(st.integers(1, 9))
    blocks = []
    for _ in range(draw(st.integers(1, 5))):
        rows = draw(st.integers(1, 30))
        X = draw(arrays(np.float64, (rows, width), elements=EXTREME, fill=st.sampled_from([0.0, 1.0, 1e100])))
        y = draw(arrays(np.int64, rows, elements=st.integers(0, classes - 1)))
        weights = draw(arrays(np.float64, rows, elements=WEIGHTS, fill=st.just(1.0)))
        weights[0] = weights[0] or 1.0  # a model that has met no label answers nothing
        blocks.append((X, y, weights))
    return blocks


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("setting", SETTINGS)
@settings(max_examples=25, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_extreme_rows_leave_a_finite_state_or_are_refused_without_a_trace(setting, layout, data):
    clf = model(setting)
    for X, y, weights in data.draw(blocks_of_rows(most_classes(setting))):
        before = bits.state_of(clf)
        try:
            scores = clf.learn(layout(X), y, sample_weight=weights)
        except DataError:
            assert bits.state_of(clf) == before
            continue
        tensors = {name: tensor for name, tensor in clf._model.tensors().items() if tensor.dtype.kind == "f"}
        tensors |= {"coef_": clf.coef_, "intercept_": clf.intercept_}
        assert [name for name, tensor in tensors.items() if not np.isfinite(tensor).all()] == []
        assert not np.isinf(scores).any()
        mild = layout(np.clip(X, -1e150, 1e150))
        assert np.isfinite(clf.decision_function(mild)).all()
        assert np.all(np.abs(clf.predict_proba(mild) - 0.5) <= 0.5)


def refusals():
    """Return what is wrong with a value, and the settings under which such a value is refused."""
    values = {"missing": np.nan, "infinite": -np.inf, "norm": 1e200}
    cases = [pytest.param(setting, value, id=f"{setting}-{rule}") for setting in SETTINGS for rule, value in values.items()]
    return cases + [pytest.param(setting, 1e90, id=f"{setting}-far") for setting in ("raw", "raw memory", "raw ball")]


def as_dicts(X):
    """One dict per row with its numbers that are not zero."""
    return [{f"c{j}": x for j, x in enumerate(row) if x != 0.0} for row in X.tolist()]


LAYOUTS = {"dense": np.asarray, "csr": sp.csr_array, "csr64": bits.wide_csr, "dicts": as_dicts}


def two_streams(setting, arriving, width):
    """Rows to start with and rows to go on with; only the second ones hold all classes when some are `arriving`."""
    classes = most_classes(setting)
    (start, y_start), (X, y) = bits.plain(50, width, classes), bits.plain(12, width, classes, seed=1)
    start, X = start / 100, X / 100  # small scores: a row that is surely right already would move nothing
    if width > 100:
        start[:, 40:], X[:, 40:] = 0.0, np.where(np.random.default_rng(0).random((12, width - 40)) < 0.01, 1.0, 0.0)
    start[:, 3] = X[:, 3] = 0.0
    X[:, 4] = start[:, 4] = 1.0
    return start, y_start % (classes // 2) if arriving else y_start, X, y


@pytest.mark.parametrize(("setting", "value"), refusals())
@pytest.mark.parametrize("layout", LAYOUTS)
class TestRefusal:
    """Sparse blocks that name few of many columns put back those only; all others put back the whole model."""

    @pytest.mark.parametrize("arriving", [False, True], ids=["known classes", "new classes"])
    @pytest.mark.parametrize("width", [6, 400])
    def test_of_a_row_in_a_block_leaves_no_trace_of_the_block(self, setting, value, layout, arriving, width):
        start, y_start, X, y = two_streams(setting, arriving, width)
        clf, other = model(setting), model(setting)
        for one in (clf, other):
            one.learn(LAYOUTS[layout](start), y_start)
        before, classes = bits.state_of(clf), clf.classes_.tolist()
        weights = np.where(np.arange(len(y)) % 4 == 1, 0.0, 2.0)
        for bad in (0, len(y) // 2, len(y) - 1):
            spoilt = X.copy()
            spoilt[bad, 3] = value
            for sample_weight in (None, weights):
                with pytest.raises(DataError, match=rf"(?i)row {bad}\b"):
                    clf.learn(LAYOUTS[layout](spoilt), y, sample_weight=sample_weight)
                assert bits.state_of(clf) == before
        assert clf.classes_.tolist() == classes
        bits.assert_same_numbers(clf.learn(LAYOUTS[layout](X), y), other.learn(LAYOUTS[layout](X), y))
        bits.assert_same_state(clf, other)

    def test_of_a_single_row_leaves_no_trace(self, setting, value, layout):
        start, y_start, X, _ = two_streams(setting, True, 6)
        clf = model(setting)
        clf.learn(LAYOUTS[layout](start), y_start)
        before = bits.state_of(clf)
        spoilt = X[0].copy()
        spoilt[3] = value
        row = as_dicts(spoilt[np.newaxis])[0] if layout == "dicts" else spoilt
        for label in (0, most_classes(setting) - 1):
            with pytest.raises(DataError, match=r"(?i)row 0\b"):
                clf.learn_one(row, label)
            assert bits.state_of(clf) == before


@pytest.mark.parametrize("standardize", [None, "scale"])
def test_a_refused_block_that_folds_the_average_leaves_no_trace(standardize):
    """With a fast average its scale runs out every 166 rows; then every column is touched, named by the block or not."""
    rng = np.random.default_rng(0)
    X = sp.random_array((600, 3000), density=0.0005, format="csr", rng=rng)
    y = rng.integers(2, size=600)
    clf = StreamClassifier(standardize=standardize, average=0.5)
    clf.learn(X[:100], y[:100])
    before = bits.state_of(clf)
    spoilt = X.copy()
    spoilt.data[-1] = np.nan
    for first in (599, 500, 400, 100):
        with pytest.raises(DataError, match="NaN"):
            clf.learn(spoilt[first:], y[first:])
        assert bits.state_of(clf) == before


@pytest.mark.parametrize("start", [2**24 - 2, 2**31 - 2, 2**32 - 2, 2**53 - 2])
@pytest.mark.parametrize("layout", ["dense", "csr", "dicts"])
@pytest.mark.parametrize("standardize", ["center", "scale", None])
@pytest.mark.parametrize("classes", [2, 3])
def test_counts_stay_exact_past_the_ends_of_smaller_numbers(start, layout, standardize, classes):
    X = np.random.default_rng(0).normal(size=(30, 5)) + 5.0
    y = np.arange(30) % classes
    clf = StreamClassifier(standardize=standardize)
    clf.learn(LAYOUTS[layout](X), y)
    core = clf._model.core
    state = core.state()
    counted = [name for name in ("tally_counts", "ledger_seen", "scaler_count") if name in state]
    for name in counted:
        state[name][:] = start
    state["tally_counts"][0, 3] = classes
    core.restore(state)
    clf.learn(LAYOUTS[layout](X[:9]), y[:9])
    clf.learn_one(as_dicts(X[9:10])[0] if layout == "dicts" else X[9], int(y[9]))

    expected = {"ledger_seen": start + np.bincount(y[:10], minlength=classes), "scaler_count": np.full(5, start + 10)}
    entered = 50 if layout == "dicts" or standardize == "scale" else 0
    expected["tally_counts"] = np.array([start + 10, start + entered, start + 10, classes])
    for name in counted:
        assert core.state()[name][0].tolist() == expected[name].tolist(), name
    assert clf.n_seen_ == start + 10
    assert clf.ledger_.seen.tolist() == expected["ledger_seen"].tolist()
    assert clf.ledger_.share.sum() == pytest.approx(1.0, abs=1e-12)
