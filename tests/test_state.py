"""What a model keeps stays finite, counts exactly, and is either moved by a whole call or not at all."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import bits
from poise import HGD, DataError, StreamClassifier

SETTINGS = {
    **bits.SETTINGS,
    "raw": {"standardize": None},
    "raw memory": {"standardize": None, "method": HGD(memory=0.9, clamp="assumption4", norm="squared"), "average": 0.5},
    "raw ball": {"standardize": None, "method": HGD(clamp=None), "radius": 1e3, "learner": "svm"},
    "longest steps": {"standardize": "center", "method": HGD(clamp=None), "eta0": 1e6},
    "released": {"standardize": "scale", "method": HGD(variant="ohgd"), "average": 0.9},
}
TWO_CLASSES_ONLY = ("released",)
EXTREME = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    [0.0, -0.0, 5e-324, 2.3e-308, 1e-200, 1e-154, 1e76, 1e100, 1e140, 1e154, -1e154, 1e160, 1.8e308, -1.8e308]
)
WEIGHTS = st.sampled_from([0.0, 5e-324, 1e-200, 0.5, 1.0, 1e6])


def model(setting, **more):
    given = {"method": "hgd", "learner": "logistic", **SETTINGS[setting], **more}
    return StreamClassifier(given.pop("method"), given.pop("learner"), **given)


def assert_finite(clf):
    broken = [name for name, tensor in clf._model.tensors().items() if tensor.dtype.kind == "f" and not np.isfinite(tensor).all()]
    assert broken == []
    assert np.isfinite(clf.coef_).all()
    assert np.isfinite(clf.intercept_).all()


@st.composite
def blocks_of_rows(draw, classes):
    """Some blocks of one width, each with labels and weights."""
    width = draw(st.integers(1, 9))
    blocks = []
    for _ in range(draw(st.integers(1, 5))):
        rows = draw(st.integers(1, 30))
        X = draw(arrays(np.float64, (rows, width), elements=EXTREME, fill=st.sampled_from([0.0, 1.0, 1e100])))
        y = draw(arrays(np.int64, rows, elements=st.integers(0, classes - 1)))
        blocks.append((X, y, draw(arrays(np.float64, rows, elements=WEIGHTS, fill=st.just(1.0)))))
    return blocks


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("setting", SETTINGS)
@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_finite_rows_leave_a_finite_state_or_none_of_their_own(setting, layout, data):
    clf = model(setting)
    for X, y, weights in data.draw(blocks_of_rows(2 if setting in TWO_CLASSES_ONLY else 4)):
        before = bits.state_of(clf)
        try:
            scores = clf.learn(layout(X), y, sample_weight=weights)
        except DataError:
            assert bits.state_of(clf) == before
            continue
        assert_finite(clf)
        assert not np.isinf(scores).any()
        mild = layout(np.clip(X, -1e150, 1e150))
        assert np.isfinite(clf.decision_function(mild)).all()
        assert np.all(np.abs(clf.predict_proba(mild) - 0.5) <= 0.5)


def refusals():
    """Yield what is wrong with a value, by name, and under which settings it is refused."""
    for setting in SETTINGS:
        for rule, value in {"missing": np.nan, "infinite": -np.inf, "norm": 1e200}.items():
            yield pytest.param(setting, value, id=f"{setting}-{rule}")
    for setting in ("raw", "raw memory", "raw ball"):
        yield pytest.param(setting, 1e90, id=f"{setting}-far")


@pytest.mark.parametrize(("setting", "value"), refusals())
@pytest.mark.parametrize("layout", ["dense", "csr", "dicts"])
@pytest.mark.parametrize("arriving", [False, True], ids=["known classes", "new classes"])
@pytest.mark.parametrize("width", [6, 400])
class TestRefusedRows:
    """Rows of 400 columns are mostly zeros: sparse blocks then put back the columns they name only."""

    def test_leave_every_byte_as_it_was(self, setting, value, layout, arriving, width):
        start, (X, y), weights = self.streams(setting, arriving, width)
        clf = model(setting).learn_all(start) if False else model(setting)
        for rows, labels in start:
            clf.learn(self.laid_out(rows, layout), labels)
        before = bits.state_of(clf)
        for bad in (0, len(y) // 2, len(y) - 1):
            spoilt = X.copy()
            spoilt[bad, 3] = value
            for given_weights in (None, weights):
                with pytest.raises(DataError, match=f"row {bad}|Row {bad}"):
                    clf.learn(self.laid_out(spoilt, layout), y, sample_weight=given_weights)
                assert bits.state_of(clf) == before
