"""scikit-learn's own checks, its tools around our classifiers, and its rules for fit, partial_fit and sample weights."""

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator, estimator_checks_generator, parametrize_with_checks

import bits
from poise import HGD, SVM, HGDClassifier, NotFittedError, StreamClassifier
from poise.errors import DataError, ParameterError

ESTIMATORS = [
    *(StreamClassifier(method, learner) for method in ("ogd", "hgd") for learner in ("logistic", "svm", "perceptron", "softmax")),
    StreamClassifier.paper("hgd", "svm"),
    HGDClassifier(),
    HGDClassifier("softmax", memory=0.99, missing="zero", standardize="scale"),
]
#: Declared by scikit-learn's own SGDClassifier too: in one pass, two rows of weight 1 are not one row of weight 2.
WEIGHTS = "two steps are not one step of twice the length"
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": WEIGHTS,
    "check_sample_weight_equivalence_on_sparse_data": WEIGHTS,
}
#: One check fits the sorted iris rows.
pytestmark = pytest.mark.filterwarnings("ignore:The labels come in 3 runs:UserWarning")


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=lambda _: EXPECTED, xfail_strict=True)
def test_scikit_learn_accepts_the_classifier(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_exactly_the_two_declared_checks_fail(estimator):
    results = check_estimator(estimator, on_fail=None, on_skip=None)
    assert {result["check_name"] for result in results if result["status"] == "failed"} == EXPECTED.keys()
    assert {result["check_name"] for result in results if result["status"] == "skipped"} <= {"check_array_api_input"}
    assert len(results) == len(list(estimator_checks_generator(estimator))) > 55


def test_the_check_of_array_api_input_that_is_skipped_here_passes_where_scipy_allows_it():
    arguments = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", "check_array_api_input", __file__]
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, check=False)
    assert f"\n{len(ESTIMATORS)} passed, " in done.stdout, done.stdout
    assert done.returncode == 0
    assert "skipped" not in done.stdout


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_clones_have_equal_parameters_and_learn_equally(estimator, cancer):
    copy = clone(estimator)
    assert repr(copy.get_params()) == repr(estimator.get_params())
    bits.assert_same_state(copy.fit(*cancer), clone(copy).fit(*cancer))
    assert not clone(copy).__sklearn_is_fitted__()


def test_parameters_can_be_set_after_construction_and_hold_from_the_next_fit(cancer):
    clf = HGDClassifier().fit(*cancer)
    with pytest.warns(UserWarning, match="clamp, eta0, learner set on a HGDClassifier that has begun to learn.*call fit"):
        clf.set_params(learner=SVM(), eta0=0.1, clamp=None)
    with pytest.warns(UserWarning, match="eta0 set on a HGDClassifier that has begun to learn"):
        clf.set_params(eta0=-1.0)
    with pytest.raises(ParameterError, match="eta0"):
        clf.fit(*cancer)
    clf.eta0 = 0.1
    bits.assert_same_state(clf, HGDClassifier().fit(*cancer))
    bits.assert_same_state(clf.fit(*cancer), HGDClassifier(SVM(), eta0=0.1, clamp=None).fit(*cancer))
    with pytest.raises(ValueError, match="Invalid parameter 'eta'"):
        clf.set_params(eta=0.1)


def test_a_wrong_parameter_is_told_at_fit_not_at_construction(cancer):
    clf = HGDClassifier(eta0=-1.0)
    with pytest.raises(ParameterError, match="eta0"):
        clf.fit(*cancer)
    assert not clf.__sklearn_is_fitted__()


def test_works_at_the_end_of_a_pipeline_as_on_transformed_rows(cancer):
    X, y = cancer
    pipeline = make_pipeline(StandardScaler(), HGDClassifier()).fit(X, y)
    alone = HGDClassifier().fit(StandardScaler().fit_transform(X), y)
    bits.assert_same_state(pipeline[-1], alone)
    assert pipeline.score(X, y) > 0.95


@pytest.mark.parametrize("through", ["alone", "pipeline"])
def test_grid_search_routes_the_sample_weights(cancer, through):
    X, y = cancer
    weights = np.random.default_rng(0).choice([0.0, 0.5, 3.0], size=len(y))
    with config_context(enable_metadata_routing=True):
        clf = HGDClassifier().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        model, prefix = (clf, "") if through == "alone" else (make_pipeline(clf), "hgdclassifier__")
        grid = {f"{prefix}eta0": [1e-4, 0.3], f"{prefix}learner": ["svm", SVM()]}
        search = GridSearchCV(model, grid, cv=3, error_score="raise").fit(X, y, sample_weight=weights)
    best = search.best_estimator_ if through == "alone" else search.best_estimator_[-1]
    bits.assert_same_state(best, clone(best).fit(X, y, sample_weight=weights))
    fold, held_out = next(StratifiedKFold(3).split(X, y))
    once = clone(best).fit(X[fold], y[fold], weights[fold])
    assert search.cv_results_["split0_test_score"][search.best_index_] == once.score(X[held_out], y[held_out], weights[held_out])


def test_cross_validation_and_calibration_take_the_classifiers(cancer):
    X, y = cancer
    scores = cross_val_score(StreamClassifier("hgd", "svm"), X, y, cv=5, scoring="roc_auc", error_score="raise")
    assert scores.min() > 0.95
    folds = list(StratifiedKFold(3).split(X, y))
    predicted = cross_val_predict(HGDClassifier(), X, y, cv=folds)
    for fold, held_out in folds:
        assert predicted[held_out].tolist() == HGDClassifier().fit(X[fold], y[fold]).predict(X[held_out]).tolist()
    for method in ("sigmoid", "isotonic"):
        assert CalibratedClassifierCV(HGDClassifier(), method=method, cv=3).fit(X, y).score(X, y) > 0.95
    X, y = load_iris(return_X_y=True)
    mixed = np.random.default_rng(0).permutation(len(y))
    assert CalibratedClassifierCV(HGDClassifier("softmax"), cv=3).fit(X[mixed], y[mixed]).score(X, y) > 0.8


# ---- fit, partial_fit


def test_fit_forgets_and_partial_fit_goes_on(cancer):
    X, y = cancer
    once = HGDClassifier().fit(X, y)
    bits.assert_same_state(HGDClassifier().fit(X[:9, :3], y[:9] + 5).fit(X, y), once)
    assert once.n_seen_ == len(y)
    again = HGDClassifier().fit(X, y).partial_fit(X, y)
    assert again.n_seen_ == 2 * len(y)
    bits.assert_same_state(again, HGDClassifier().partial_fit(np.vstack([X, X]), np.hstack([y, y]), classes=[0, 1]))


def test_a_refused_fit_keeps_what_was_learned_before(cancer):
    X, y = cancer
    clf = HGDClassifier().fit(X, y)
    with pytest.raises(DataError):
        clf.fit(np.full_like(X, np.nan), y)
    bits.assert_same_state(clf, HGDClassifier().fit(X, y))


def test_fit_learns_rows_in_their_order(cancer):
    X, y = cancer
    clf = StreamClassifier("ogd")
    clf.learn(X, y, classes=[0, 1])
    bits.assert_same_state(StreamClassifier("ogd").fit(X, y), clf)


def test_partial_fit_needs_the_classes_at_the_first_call_only(cancer):
    X, y = cancer
    clf = HGDClassifier()
    with pytest.raises(DataError, match="classes must be passed on the first call to partial_fit"):
        clf.partial_fit(X, y)
    assert not clf.__sklearn_is_fitted__()
    clf.partial_fit(X[:50], y[:50], classes=[1, 0]).partial_fit(X[50:], y[50:]).partial_fit(
        X[:0], y[:0], classes=np.array([0, 1])
    )
    bits.assert_same_state(clf, HGDClassifier().partial_fit(X, y, classes=[0, 1]))


@pytest.mark.parametrize("known", ["by classes", "by fit"])
def test_partial_fit_refuses_labels_and_classes_it_was_not_told_of(cancer, known):
    X, y = cancer
    clf = HGDClassifier().partial_fit(X, y, classes=[0, 1]) if known == "by classes" else HGDClassifier().fit(X, y)
    before = bits.state_of(clf)
    with pytest.raises(DataError, match=r"(?s)label in row 7 is 2.*classes 0, 1"):
        clf.partial_fit(X, np.where(np.arange(len(y)) == 7, 2, y))
    with pytest.raises(DataError, match=r"\[0, 1\] at the first call"):
        clf.partial_fit(X, y, classes=[0, 1, 2])
    assert bits.state_of(clf) == before
    assert clf.learn(X[:1], [2]).shape == (1, 3)


def test_a_model_that_learned_nothing_says_so():
    for question in ("predict", "predict_proba", "decision_function"):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            getattr(HGDClassifier(), question)([[1.0]])
    for attribute in ("classes_", "coef_", "intercept_", "n_features_in_", "feature_names_in_", "n_seen_", "ledger_"):
        assert not hasattr(HGDClassifier(), attribute)


def test_score_is_the_accuracy(cancer):
    X, y = cancer
    weights = np.random.default_rng(0).random(len(y))
    clf = HGDClassifier().fit(X, y)
    assert clf.score(X, y) == accuracy_score(y, clf.predict(X)) == np.mean(clf.predict(X) == y)
    assert clf.score(X, y, sample_weight=weights) == accuracy_score(y, clf.predict(X), sample_weight=weights)


@pytest.mark.parametrize("labels", [[0, 1], [False, True], ["a", "b", "c"]], ids=["two", "bools", "three texts"])
def test_fit_warns_when_labels_come_in_few_runs(labels):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 2)), np.sort(rng.choice(labels, size=300))
    with pytest.warns(UserWarning, match=rf"The labels come in {len(labels)} runs .* shuffle the rows") as caught:
        HGDClassifier().fit(X, y)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        HGDClassifier().fit(X, rng.permutation(y))
        HGDClassifier().fit(X, y[:1].repeat(300))
        HGDClassifier().fit(X[:99], y[np.linspace(0, 299, 99).astype(int)])
        HGDClassifier().partial_fit(X, y, classes=labels)


# ---- sample weights


def test_fit_refuses_weights_that_are_all_zero(cancer):
    with pytest.raises(DataError, match="All sample weights are zero"):
        HGDClassifier().fit(*cancer, sample_weight=np.zeros(len(cancer[1])))


def rows_as(kind, X):
    """The same rows in one of the kinds that are learned in a way of their own."""
    named = [{f"c{j}": x for j, x in enumerate(row)} for row in X.tolist()]
    return {"dense": X, "csr": sp.csr_array(X), "dicts": named}[kind]


@pytest.mark.parametrize("kind", ["dense", "csr", "dicts"])
@pytest.mark.parametrize("classes", [2, 4])
def test_partial_fit_and_learn_do_nothing_when_all_weights_are_zero(kind, classes):
    X, y = bits.plain(60, 5, classes)
    clf = HGDClassifier()
    clf.learn(rows_as(kind, X), y)
    before = bits.state_of(clf)
    clf.partial_fit(rows_as(kind, X), y, sample_weight=np.zeros(60))
    bits.assert_same_numbers(
        clf.learn(rows_as(kind, X), y + 1, sample_weight=np.zeros(60)), clf.decision_function(rows_as(kind, X))
    )
    clf.learn_one(X[0] if kind != "dicts" else {"new": 1.0, "text": "new"}, "never seen", 0.0)
    assert bits.state_of(clf) == before


@pytest.mark.parametrize("setting", bits.SETTINGS)
@pytest.mark.parametrize("kind", ["dense", "csr", "dicts"])
@settings(max_examples=20, deadline=None, derandomize=True, database=None)
@given(kept=st.lists(st.booleans(), min_size=60, max_size=60), classes=st.sampled_from([2, 4]))
def test_a_row_of_weight_zero_leaves_the_state_of_a_model_that_never_met_it(setting, kind, kept, classes):
    X, y = bits.plain(60, 5, classes)
    kept = np.array([True] * 2 + kept[2:])
    y = np.where(kept, y, y + 10)  # labels and names of rows left out are left out too
    rows = rows_as(kind, X)
    if kind == "dicts":
        rows = [row if keep else {**row, "also": 1.0, "text": "t"} for row, keep in zip(rows, kept, strict=True)]
    weighted, without = bits.model(setting), bits.model(setting)
    scores = weighted.learn(rows, y, sample_weight=kept.astype(float))
    expected = without.learn(rows_as(kind, X[kept]), y[kept])
    bits.assert_same_state(weighted, without)
    if kind != "dicts":
        bits.assert_same_numbers(scores[kept], expected)


@settings(max_examples=50, deadline=None, derandomize=True, database=None)
@given(weight=st.floats(0.001, 1e4), seed=st.integers(0, 99), method=st.sampled_from(["ogd", HGD(clamp=None)]))
def test_a_weight_multiplies_the_length_of_the_step(weight, seed, method):
    X, y = bits.plain(30, 4, 2, seed=seed)
    one, other = (StreamClassifier(method, "logistic", average=False) for _ in range(2))
    for clf in (one, other):
        clf.partial_fit(X, y, classes=[0, 1])
    before = one.ledger_
    one.learn_one(X[0] + 1.0, 1)
    other.learn_one(X[0] + 1.0, 1, weight)
    assert other.ledger_[1].travelled - before[1].travelled == pytest.approx(
        weight * (one.ledger_[1].travelled - before[1].travelled), rel=1e-6, abs=1e-12
    )
    assert other.ledger_[1].seen == one.ledger_[1].seen
    assert other.n_seen_ == one.n_seen_


def test_equal_weights_are_a_longer_eta0(cancer):
    X, y = cancer
    weighted = StreamClassifier("ogd", eta0=0.25).fit(X, y, sample_weight=np.full(len(y), 2.0))
    bits.assert_same_state(weighted, StreamClassifier("ogd", eta0=0.5).fit(X, y))
    bits.assert_same_state(StreamClassifier("ogd").partial_fit(X, y, [0, 1], 1.0), StreamClassifier("ogd").fit(X, y))
