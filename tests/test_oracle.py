"""The core and its slow twin, which share no code, agree on real data with every method, learner and setting."""

from functools import cache

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

import real_data
from covering import name_of, pairs
from naive import NaiveClassifier
from poise import HGD, OGD, StreamClassifier

#: Of the largest number that is compared.
TOLERANCE = 1e-12

METHODS = {
    "ogd": None,
    "hgd": {},
    "clamp none": {"clamp": None},
    "clamp 2": {"clamp": 2.0},
    "assumption4": {"clamp": "assumption4"},
    "squared": {"norm": "squared"},
    "memory": {"memory": 0.995},
    "short memory": {"memory": 0.9, "clamp": "assumption4", "norm": "squared"},
    "complement": {"multiclass": "complement", "clamp": None},
    "inverse": {"multiclass": "inverse"},
    "printed": {"multiclass": "printed"},
    "inverse memory": {"multiclass": "inverse", "memory": 0.98},
    "ohgd": {"variant": "ohgd"},
}
SETTINGS = {
    "center": {"standardize": "center"},
    "scale": {"standardize": "scale"},
    "published": {"standardize": None, "fit_intercept": False, "average": False, "unit_rows": True},
    "center published": {"standardize": "center", "fit_intercept": False, "average": False, "unit_rows": True},
    "unit rows": {"standardize": None, "unit_rows": True, "average": 0.1},
    "raw rows": {"standardize": None, "eta0": 0.01},
    "ball": {"standardize": "center", "radius": 1.0, "learning_rate": "sqrt"},
    "ball scale": {"standardize": "scale", "radius": 0.5, "average": False},
    "sqrt": {"standardize": "center", "learning_rate": "sqrt", "eta0": 2.0, "average": 0.1},
    "invscaling": {"standardize": "scale", "learning_rate": "invscaling", "power_t": 0.3, "unit_rows": True},
}
LEARNERS = ["perceptron", "svm", "logistic", "softmax"]
#: Weights of these methods are so large that at constant steps any rounding grows from row to row. Over many rows they are held
#: to the tolerance with shrinking steps, which OHGD is published with; at constant ones to how far the twin moves from itself.
SHRINKING = {"ohgd": {"learning_rate": "sqrt"}, "short memory": {"learning_rate": "invscaling", "power_t": 1.0}}
#: The core takes one over a deviation within 1e-14, which is so many last bits.
LAST_BITS = 1e-14 / 2.0**-52
MANY_ROWS = 20_000
SHARED_SETS = ["a8a", "magic04", "mammography", "HTRU2", "default"]
MORE_SETS = [*SHARED_SETS, "ijcnn1", "electricity", "rna"]
EVERYWHERE = {"learner": LEARNERS, "setting": list(SETTINGS), "layout": ["dense", "csr"], "weighted": [False, True]}
TWO_CLASSES = {
    "method": list(METHODS),
    **EVERYWHERE,
    "first": [0, 1],
    "positive": [None, 0, 1],
    "declared": [False, True],
}
MANY_CLASSES = {
    "method": [name for name in METHODS if name != "ohgd"],
    **EVERYWHERE,
    "first": [0, 1],
    "arrival": ["mixed", "late", "declared"],
}


def pytest_generate_tests(metafunc):
    if "case" not in metafunc.fixturenames:
        return
    complete = metafunc.config.getoption("--all", default=False)
    growing = metafunc.function is test_rounding_grows_in_the_core_as_in_the_twin
    many = metafunc.function is test_many_classes_agree
    axes = MANY_CLASSES if many else TWO_CLASSES
    sets = ["digits", "wine"] if many else ["breast cancer", *(MORE_SETS if complete else SHARED_SETS)]
    if complete:
        cases = [{"data": name, **case} for k, name in enumerate(sets) for case in pairs(axes, seed=k)]
    else:
        cases = pairs({"data": sets, **axes})
    rows = MANY_ROWS if complete or growing else 400 if many else 1000
    if growing:
        cases = [case for case in cases if case["method"] in SHRINKING][: None if complete else 4]
    metafunc.parametrize(("case", "rows"), [(case, rows) for case in cases], ids=[name_of(case) for case in cases])


def two_classes(case, rows):
    X, y = rows_of(case["data"], rows)
    lead = int(np.flatnonzero(y == case["first"])[0])
    return np.roll(X, -lead, axis=0), np.roll(y, -lead), [0, 1] if case["declared"] else None


def test_two_classes_agree(case, rows, request):
    X, y, declared = two_classes(case, rows)
    agree(case, X, y, declared, request.node.user_properties.append, rows=rows, positive=case["positive"])


def test_many_classes_agree(case, rows, request):
    X, y = rows_of(case["data"], rows)
    order = np.arange(len(y))
    if case["arrival"] == "late":
        order = np.argsort((y > 1) & (order < len(y) // 2), kind="stable")
    lead = int(np.flatnonzero(y[order] == case["first"])[0])
    order[[0, lead]] = order[[lead, 0]]
    declared = [*np.unique(y).tolist(), 99] if case["arrival"] == "declared" else None
    agree(case, X[order], y[order], declared, request.node.user_properties.append, rows=rows)


@cache
def bundled(name):
    X, y = {"breast cancer": load_breast_cancer, "digits": load_digits, "wine": load_wine}[name](return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order]


def rows_of(name, rows):
    if name in ("breast cancer", "digits", "wine"):
        X, y = bundled(name)
        return X[:rows], y[:rows]
    return real_data.load(name, rows)


def agree(case, X, y, declared, record, *, rows, positive=None):
    """Learn the rows with both, with the same settings, and compare everything that either tells."""
    more = SHRINKING.get(case["method"], {}) if rows == MANY_ROWS else {}
    core, twin, laid_out, weights = both(case, X, y, declared, positive=positive, **more)
    scores, expected = core.learn(laid_out, y, classes=declared, sample_weight=weights), twin.learn(tamed(case, X), y, weights)

    worst = {"scores": deviation(scores, expected)}
    worst["answers"] = deviation(core.decision_function(laid_out[:50]), twin.decision(tamed(case, X)[:50]))
    worst |= ledger_deviations(core, twin) | imbalance_deviations(core, twin) | weight_deviations(core, twin)
    record(("off the twin", worst))
    assert wrongly_decided(scores, expected) == []
    np.testing.assert_array_equal(core.classes_, twin.classes)
    assert {name: size for name, size in worst.items() if not size <= TOLERANCE} == {}


def tamed(case, X):
    """Return the rows; raw ones no longer than they should be, else each step overshoots, and any rounding grows row by row."""
    return X / np.maximum(np.max(np.abs(X), axis=0), 1.0) if case["setting"] == "raw rows" else X


def both(case, X, y, declared, *, positive=None, **more):
    """Return the core and its twin with the settings of a case, the rows as the core gets them, and the weights of the rows."""
    own, settings = METHODS[case["method"]], SETTINGS[case["setting"]] | more
    method = OGD() if own is None else HGD(**own)
    core = StreamClassifier(method, case["learner"], positive=positive, **settings)
    twin = NaiveClassifier(
        "ogd" if own is None else "hgd", case["learner"], method_params=own, positive=positive, classes=declared, **settings
    )
    weights = np.random.default_rng(1).choice([0.0, 0.25, 1.0, 3.0], size=len(y)) if case["weighted"] else None
    rows = tamed(case, X)
    return core, twin, sp.csr_array(rows) if case["layout"] == "csr" else rows, weights


def test_rounding_grows_in_the_core_as_in_the_twin(case, rows):
    X, y, declared = two_classes(case, rows)
    core, twin, laid_out, weights = both(case, X, y, declared, positive=case["positive"])
    expected = twin.learn(tamed(case, X), y, weights)
    off = deviation(core.learn(laid_out, y, classes=declared, sample_weight=weights), expected)
    if off <= TOLERANCE:
        return
    eta0, moved = SETTINGS[case["setting"]].get("eta0", 0.3), 0.0
    for seed in range(4):  # every column and the steps longer or shorter by one last bit
        bits = 1.0 + np.random.default_rng(seed).choice([-1.0, 1.0], size=X.shape[1] + 1) * 2.0**-52
        _, other, _, _ = both(case, X, y, declared, positive=case["positive"], eta0=eta0 * bits[-1])
        moved = max(moved, deviation(other.learn(tamed(case, X) * bits[:-1], y, weights), expected))
    assert off <= LAST_BITS * moved


def deviation(found, expected, size=None):
    """Return the largest difference over the largest number expected; NaN must stand where it is expected."""
    found, expected = np.asarray(found), np.asarray(expected)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    off = float(np.max(np.abs(np.nan_to_num(found - expected)), initial=0.0))
    size = float(np.max(np.abs(np.nan_to_num(expected)), initial=0.0)) if size is None else float(size)
    return off / size if off else 0.0


def decided(scores):
    if scores.ndim == 1:
        return scores >= 0
    return np.argmax(np.where(np.isnan(scores), -np.inf, scores), axis=1)


def wrongly_decided(found, expected):
    """Rows decided otherwise than by the twin; of more than two classes only where two do not tie for the twin."""
    ours, theirs, rows = decided(found), decided(expected), np.arange(len(expected))
    wrong = ours != theirs
    if expected.ndim == 2:
        lead = expected[rows, theirs] - expected[rows, ours]
        wrong &= ~(lead <= TOLERANCE * np.nanmax(np.abs(expected)))
    return np.flatnonzero(wrong).tolist()


def ledger_deviations(core, twin):
    assert [core.ledger_[label].seen for label in twin.classes] == [twin.ledger[label]["seen"] for label in twin.classes]
    return {
        name: max(deviation(getattr(core.ledger_[label], name), twin.ledger[label][name]) for label in twin.classes)
        for name in ("share", "pulled", "travelled")
    }


def imbalance_deviations(core, twin):
    """Of the sums of gradient imbalance, which the core keeps in its state."""
    state = core._model.core.state()
    imbalance, log_imbalance = state["imbalance"].sum(axis=1)
    assert state["tally_counts"][0, 2] == twin.gi["counted"]
    return {"gii": deviation(imbalance, twin.gi["gii"]), "gii_log": deviation(log_imbalance, twin.gi["gii_log"])}


def weight_deviations(core, twin):
    """Of the weights in raw units; an intercept is a weight too, less numbers as large as the weights times the means."""
    factor, shift = twin.scaler.raw_units()
    with np.errstate(invalid="ignore", divide="ignore"):
        largest = np.nanmax(np.abs(twin.coef) / factor, initial=0.0)
    size = max(np.max(np.abs(twin.intercept)), np.max(np.abs(twin.coef) @ np.abs(shift)), largest)
    return {
        "coef_": deviation(core.coef_, np.squeeze(twin.coef) if core.coef_.ndim == 1 else twin.coef),
        "intercept_": deviation(core.intercept_, twin.intercept, size),
    }
