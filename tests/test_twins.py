"""Every method, with every learner it is defined for, in both readings, equals its slow twin, which shares no code with it."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_wine

import real_data
from covering import name_of, pairs
from naive import NaiveClassifier
from poise import StreamClassifier, learners, methods
from poise.errors import ParameterError

#: Of the largest score.
TOLERANCE = 1e-9
SETS = ["magic04", "mammography", "HTRU2", "electricity"]
ROWS, KERNEL_ROWS, SAMPLE_ROWS = 5000, 1000, 400
READINGS = ["textbook", "paper"]
#: The paper's gamma makes their weights a hundred times larger, so that any rounding grows from row to row: over many rows they
#: are held to how far the twin moves from itself.
GROWING = ("csrda2", "paper"), ("logistic", "softmax")
#: The core takes one over a deviation within 1e-14, which is so many last bits.
LAST_BITS = 1e-14 / 2.0**-52
SETTINGS = {
    "published": {"standardize": None, "fit_intercept": False, "average": False, "unit_rows": True},
    "practical": {"standardize": "center"},
    "scaled": {"standardize": "scale", "average": 0.1, "learning_rate": "sqrt", "eta0": 1.0},
}


def possible(method, learner, reading="textbook"):
    """Tell whether a method is defined for a learner."""
    try:
        StreamClassifier(methods.get(method)(reading=reading), learner)._setup()
    except ParameterError:
        return False
    return True


PAIRS = [(m, k) for m in methods.names() for k in learners.names() if possible(m, k)]


def options_of(method):
    """Every option of a method beside its defaults, one at a time."""
    ratio = {"ir": 4.0} if "ir" in methods.get(method).parameters else {}
    usual = [{}, ratio] if ratio else [{}]
    own = {
        "ohr": [{"mode": "sqrt"}, {"mode": "literal", "ir": 3.0}, {"repeat_mode": "weight"}],
        "oor": [{"repeat_mode": "weight"}],
        "our": [{"repeat_mode": "weight"}],
        "osmote": [{"neighbors": 5, "buffer": 7}],
        "csrda1": [{"l1": 0.003, "gamma": 0.5, "n_p": 0.7}],
        "csrda2": [{"l1": 0.01, "gamma": 0.5, "n_n": 0.7}],
        "csogd_cost1": [{"c_p": 0.8, "c_n": 0.2}],
        "csogd_sum2": [{"n_p": 0.8, "ir": 5.0}],
        "okb": [{"decay": 0.98, "members": 3}],
        "ob": [{"repeat_mode": "weight", "members": 3}],
        "oob": [{"decay": 0.99}, {"members": 1}],
        "oadab": [{"members": 1}],
        "oadac2": [{"c_n": 0.5, "members": 4}],
        "orusb1": [{"ratio": 1.5}],
        "weob1": [{"members": 4, "decay": 0.95}],
        "weob2": [{"members": 4}],
        "hgd": [{"clamp": None}, {"memory": 0.995}, {"norm": "squared"}, {"clamp": "assumption4"}],
    }
    return [*usual, *own.get(method, [])]


def cases(complete):
    """Return (method, parameters, learner, reading, set, setting, rows): a fixed sample that touches each pair, or all of them.

    All: each pair in both readings on every set, the settings in turn, and every option on the first set.
    """
    found = []
    for number, (method, learner) in enumerate(PAIRS):
        rows = SAMPLE_ROWS if not complete else KERNEL_ROWS if learner == "kernel" else ROWS
        # The squared loss of csrda4 grows without end but for rows of length 1.
        settings = ["published"] if method == "csrda4" else list(SETTINGS)
        options = options_of(method)
        for turn, reading in enumerate(READINGS):
            for k in range(len(SETS)) if complete else [number % len(SETS)]:
                setting = settings[(number + turn + k) % len(settings)]
                chosen = options if complete and k == 0 else [options[(number + k) % len(options)]]
                found += [(method, own, learner, reading, SETS[k], setting, rows) for own in chosen]
    return found


def pytest_generate_tests(metafunc):
    complete = metafunc.config.getoption("--all", default=False)
    if metafunc.function is test_two_classes_agree:
        metafunc.parametrize("case", cases(complete), ids=lambda case: "-".join(str(part) for part in case))
    if metafunc.function is test_many_classes_agree:
        able = [(m, k) for m, k in PAIRS if not methods.get(m)().two_classes]
        axes = {"pair": able, "data": ["digits", "wine"], "setting": list(SETTINGS), "declared": [False, True]}
        metafunc.parametrize("case", pairs(axes), ids=name_of)


def both(method, own, learner, settings, **more):
    """Return a model and its twin; kernels and dual averaging have no weights to average."""
    value = methods.get(method)(**own)
    if not (value.averages and learners.get(learner)().averages):
        settings = {**settings, "average": False}
    core = StreamClassifier(value, learner, random_state=3, **settings, **more)
    return core, NaiveClassifier(method, learner, method_params=own, random_state=3, **settings, **more)


def off(found, expected):
    """Largest difference over the largest score."""
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    return float(np.max(np.abs(np.nan_to_num(found - expected)))) / max(float(np.max(np.abs(np.nan_to_num(expected)))), 1e-300)


def test_two_classes_agree(case, request):
    method, own, learner, reading, name, setting, rows = case
    X, y = real_data.load(name, rows)
    core, twin = both(method, {**own, "reading": reading}, learner, SETTINGS[setting])
    if rows == ROWS and (method, reading) == GROWING[0] and learner in GROWING[1]:
        expected = twin.learn(X, y)
        assert off(core.learn(X, y), expected) <= LAST_BITS * moves_by(case, X, y, expected)
    else:
        compare(core, twin, (X, y), request)


def moves_by(case, X, y, expected):
    """How far the twin moves from itself when every column changes in its last bit: the most of four times."""
    method, own, learner, reading, _, setting, _ = case
    moved = 0.0
    for seed in range(4):
        bits = 1.0 + np.random.default_rng(seed).choice([-1.0, 1.0], size=X.shape[1]) * 2.0**-52
        _, other = both(method, {**own, "reading": reading}, learner, SETTINGS[setting])
        moved = max(moved, off(other.learn(X * bits, y), expected))
    return moved


def test_many_classes_agree(case, request):
    X, y = {"digits": load_digits, "wine": load_wine}[case["data"]](return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))[:300]
    X, y = X[order], y[order]
    method, learner = case["pair"]
    classes = [*np.unique(y).tolist(), 99] if case["declared"] else None
    core, twin = both(method, {}, learner, SETTINGS[case["setting"]])
    if classes:
        _, twin = both(method, {}, learner, SETTINGS[case["setting"]])
        twin = NaiveClassifier(
            method,
            learner,
            random_state=3,
            **{**SETTINGS[case["setting"]], "average": core._setup().core["average"] and twin.settings.average},
            classes=classes,
        )
    compare(core, twin, (X, y), request, classes=classes)


def compare(core, twin, stream, request, classes=None):
    """Learn the rows with both and compare scores, decisions, answers and ledgers."""
    X, y = stream
    scores, expected = core.learn(X, y, classes=classes), twin.learn(X, y)
    worst = {"scores": off(scores, expected), "answers": off(core.decision_function(X[:50]), twin.decision(X[:50]))}
    for name in ("pulled", "travelled", "share"):
        ours = np.array([getattr(core.ledger_[label], name) for label in twin.classes])
        worst[name] = off(ours, np.array([twin.ledger[label][name] for label in twin.classes]))
    request.node.user_properties.append(("off the twin", worst))
    assert [core.ledger_[label].seen for label in twin.classes] == [twin.ledger[label]["seen"] for label in twin.classes]
    decided = (lambda s: s >= 0) if scores.ndim == 1 else (lambda s: np.argmax(np.where(np.isnan(s), -np.inf, s), axis=1))
    assert np.flatnonzero(decided(scores) != decided(expected)).tolist() == []
    assert {name: size for name, size in worst.items() if not size <= TOLERANCE} == {}


@pytest.mark.parametrize(
    "options", [{}, {"kernel": "poly", "gamma": 0.5, "degree": 2}, {"kernel": "linear"}, {"gamma": 12.5}], ids=str
)
@pytest.mark.parametrize("budget", [{}, {"budget": 20}, {"budget": 20, "drop": "smallest"}], ids=str)
@pytest.mark.parametrize("method", ["hgd", "oob", "osmote"])
def test_kernels_agree(options, budget, method, request):
    X, y = real_data.load("magic04", 300)
    own = {**options, **budget}
    # Where rows are all alike far from each other (gamma 12.5), scores of exactly 0 would be common with an intercept.
    settings = {"standardize": "center", "average": False, "fit_intercept": "gamma" not in options}
    core = StreamClassifier(method, learners.get("kernel")(**own), **settings)
    twin = NaiveClassifier(method, "kernel", learner_params=own, **settings)
    compare(core, twin, (X, y), request)


@pytest.mark.parametrize("options", [{"features": 7}, {"features": 33, "gamma": 0.02}], ids=str)
@pytest.mark.parametrize("setting", ["published", "practical"])
def test_fourier_features_agree(options, setting, request):
    X, y = real_data.load("magic04", 300)
    core = StreamClassifier("hgd", learners.get("fourier")(**options), random_state=9, **SETTINGS[setting])
    twin = NaiveClassifier("hgd", "fourier", learner_params=options, random_state=9, **SETTINGS[setting])
    compare(core, twin, (X, y), request)
