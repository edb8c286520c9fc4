"""The oracle's methods, learners and draws, held to answers known by hand or by theory."""

import math
from typing import Any

import numpy as np
import pytest

from naive import NaiveClassifier
from naive.bagging import OOB, OUB, OUOB, WEOB, kappa
from naive.boosting import MOST, OCSB2, ORUSB, OAdaB, OAdaC2
from naive.draws import Draws, fnv1a64, mix64, start
from naive.ensemble import decided, hard_score, usable
from naive.fourier import Fourier, FourierParameters
from naive.ledger import Ledger
from naive.registry import METHODS
from naive.resampling import OHR, OOR, OUR, nearest
from naive.shares import admitted, decayed
from naive.turn import Turn

PLAIN: dict[str, Any] = {"standardize": None, "fit_intercept": False, "average": False}
TWO_ONLY = {name for name in METHODS if name.startswith(("ohr", "csrda", "oadac2", "ocsb2", "orusb", "oeb"))}
HINGE_ONLY = {"csrda1", "csogd_cost1", "csogd_sum1"}


def data(rows: int, classes: int = 2, *, columns: int = 4, seed: int = 0):
    rng = np.random.default_rng(seed)
    y = rng.choice(classes, size=rows, p=np.array([6, 2, 1][:classes]) / sum([6, 2, 1][:classes]))
    return rng.normal(size=(classes, columns))[y] + rng.normal(size=(rows, columns)), y


def turn_of(label, seen, *, positive=1, draws=None):
    """Return the turn of a row after so many rows of each class, without a model."""
    book = Ledger(seen=dict(enumerate(seen)))
    return Turn(
        label=label,
        z=np.zeros(1),
        t=1 + sum(seen),
        eta=0.3,
        v=1.0,
        order=list(book.seen),
        positive=positive,
        book=book,
        model=None,
        draws=draws or Draws(0),
    )


def test_generator_gives_published_numbers():
    draws = Draws(0)  # the first outputs of the reference splitmix64 from 0
    assert [draws.next() for _ in range(3)] == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert fnv1a64("") == 0xCBF29CE484222325
    assert fnv1a64("a") == 0xAF63DC4C8601EC8C
    assert start("ob", 3) == mix64(mix64(3 + 0x9E3779B97F4A7C15) ^ fnv1a64("ob"))
    assert 0 <= Draws(7).uniform() < 1


@pytest.mark.parametrize("rate", [1e-3, 0.5, 1.0, 9.0, 400.0, 1234.5])
def test_poisson_has_its_mean_and_variance(rate):
    draws = Draws(5)
    n = 4000
    found = [draws.poisson(rate) for _ in range(n)]
    assert abs(np.mean(found) - rate) < 4 * math.sqrt(rate / n)
    assert np.var(found) == pytest.approx(rate, rel=0.1, abs=1e-3)


def test_poisson_of_nothing_draws_nothing():
    draws = Draws(5)
    assert [draws.poisson(0.0), draws.poisson(-1.0), draws.state] == [0, 0, 5]


# Facts of section 7. (1) and (2) are in test_naive.py.


@pytest.mark.parametrize("kind", [OAdaB, OAdaC2, OCSB2])
def test_mean_boosting_weight_is_one_with_exogenous_errors(kind):
    rng, boosting = np.random.default_rng(0), kind(members=10)
    errors, sums, rows = np.linspace(0.2, 0.4, 10), np.zeros(10), 30_000  # the first rows weigh a little more
    for _ in range(rows):
        positive, weight = bool(rng.random() < 0.2), 1.0
        for m in range(10):
            sums[m] += weight
            boosting.draw_rate(m, weight, positive)
            weight = min(max(boosting.hand_on(m, weight, bool(rng.random() >= errors[m]), positive), 0.0), MOST)
    assert sums / rows == pytest.approx(np.ones(10), abs=0.03)


@pytest.mark.parametrize("form", [1, 2])
def test_rusboost_draws_its_class_ratio_when_weights_are_one(form):
    boosting = ORUSB(form=form)
    boosting.counts = {"+": 999.0, "-": 8999.0}  # and 1 each at the start
    boosting.label, boosting.given[0] = "+", {"+": 999.0, "-": 9000.0}
    assert boosting.draw_rate(0, 1.0, True) == pytest.approx(1.0)
    boosting.label, boosting.given[0] = "-", {"+": 1000.0, "-": 8999.0}
    negative = boosting.draw_rate(0, 1.0, False)
    assert negative == pytest.approx(0.7 / 9)
    assert 9000 * negative / (1000 * 1.0) == pytest.approx(0.7)


def test_oversampling_rate_is_at_most_nine():
    rng, method, rates = np.random.default_rng(0), OOB(), []
    for label in (rng.random(3000) < 0.02).astype(int).tolist():
        method.shares = decayed(admitted(method.shares, label), label, method.decay)
        rates.append(method.over(label))
    assert 8 < max(rates) <= 9 * (1 + 1e-12)
    assert min(rates) == 1.0


@pytest.mark.parametrize("mode", ["coin", "sqrt"])
def test_hybrid_resampling_balances_the_updates(mode):
    rng, draws = np.random.default_rng(0), Draws(start("ohr", 0))
    method, learned, ir = OHR(ir=9.0, mode=mode), [0, 0], 9.0
    method.check("svm")
    for label in (rng.random(30_000) < 1 / (1 + ir)).astype(int).tolist():
        rate = method.rate(turn_of(label, [5, 5], draws=draws))
        learned[label] += 1 if rate is None else draws.poisson(rate)
    assert learned[0] / learned[1] == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("reading", ["textbook", "paper"])
@pytest.mark.parametrize("name", sorted(set(METHODS) - HINGE_ONLY - {"csrda4"}))
def test_perceptron_leaves_zero(name, reading):
    model = NaiveClassifier(name, "perceptron", method_params={"reading": reading}, **PLAIN)
    X, y = data(30)
    model.learn(X, y)
    assert any(np.any(w != 0) for w in model.model.weights)


def test_fourth_dual_averaging_of_the_perceptron_stays_at_zero():
    model = NaiveClassifier("csrda4", "perceptron", **PLAIN)
    assert np.all(model.learn(*data(30)) == 0)


def test_kernel_step_length_is_eta_times_weight():
    settings = {**PLAIN, "unit_rows": True}
    model = NaiveClassifier("csogd_cost2", "kernel", method_params={"c_p": 3.0, "c_n": 1.0}, **settings)
    model.learn(np.eye(2), [0, 1], sample_weight=[1.0, 2.0])
    assert model.ledger[0]["travelled"] == pytest.approx(0.3)
    assert model.ledger[1]["travelled"] == pytest.approx(0.3 * 3 * 2)


@pytest.mark.parametrize("form", [1, 2, 3, 4])
def test_dual_averaging_with_the_printed_threshold_is_zero(form):
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.25).astype(int)
    X = rng.choice([-1.0, 1.0], size=(400, 900))
    X[:, :50] = np.where(y[:, None] == 1, 1.0, -1.0)
    settings = {**PLAIN, "unit_rows": True}
    printed = NaiveClassifier(f"csrda{form}", "svm", method_params={"l1": 0.1, "gamma": 1e-3}, **settings)
    printed.learn(X, y)
    assert np.all(printed.coef == 0)
    free = NaiveClassifier(f"csrda{form}", "svm", method_params={"l1": 0.0, "gamma": 0.1}, **settings)
    scores = free.learn(X, y)[200:]
    assert np.mean((scores > 0) == (y[200:] == 1)) > 0.9


# By hand.


def test_dual_averaging_by_hand():
    model = NaiveClassifier("csrda2", "svm", method_params={"l1": 0.1, "gamma": 2.0}, **PLAIN)
    scores = model.learn(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), [0, 1, 0])
    # 1: g = (1, 0), w = -1/2 (.9, 0). 2: rho = 2, g = (1, -2), mean (.5, -1), w = sqrt 2 / 2 (-.4, .9)
    assert scores == pytest.approx([0.0, 0.0, 0.5 * math.sqrt(0.5)])
    # 3: g = (2, -1), mean (2/3, -1/3), w = sqrt 3 / 2 (-(2/3 - .1), 1/3 - .1)
    assert model.coef[0] == pytest.approx(math.sqrt(3) / 2 * np.array([-2 / 3 + 0.1, 1 / 3 - 0.1]))
    assert model.ledger[1]["travelled"] == pytest.approx(0.3 * 2)


def test_cost_sensitive_forms_by_hand():
    X = np.array([[0.0, 1.0], [0.0, 1.0]])
    first = NaiveClassifier("csogd_cost1", "svm", method_params={"c_p": 1.5, "c_n": 1.0}, classes=[0, 1], eta0=1.2, **PLAIN)
    assert first.learn(X, [1, 1]).tolist() == [0.0, 1.2]
    assert first.coef[0].tolist() == [0.0, 2.4]  # 1.2 is past the margin 1, not past 1.5
    second = NaiveClassifier("csogd_sum2", "svm", method_params={"ir": 4.0}, **PLAIN)
    second.learn(np.eye(2), [0, 1])
    assert second.coef[0] == pytest.approx([-0.3, 1.2])


def test_rates_of_single_models():
    assert OOR().rate(turn_of(1, [8, 2])) == pytest.approx(3.0)
    assert OOR().rate(turn_of(0, [8, 2])) is None
    assert OUR().rate(turn_of(0, [8, 2])) == pytest.approx(1 / 3)
    assert OUR(ir=5.0).rate(turn_of(0, [8, 2])) == pytest.approx(0.2)
    assert OUR().rate(turn_of(1, [2, 8])) is None
    assert OOR().rate(turn_of(0, [1, 3, 7])) == pytest.approx(4.0)
    assert OOR().rate(turn_of(2, [1, 3, 7])) is None
    assert OUR().rate(turn_of(2, [1, 3, 7])) == pytest.approx(0.25)
    # classes declared but not seen do not count
    assert OUR().rate(turn_of(1, [0, 3, 7])) is None


@pytest.mark.parametrize(("ir", "minority"), [(None, 1), (2.0, 1), (1.0, 0), (0.5, 0)])
def test_who_is_the_minority(ir, minority):
    assert [turn_of(c, [3, 3]).is_minority(ir) for c in (0, 1)] == [minority == 0, minority == 1]


def test_rates_of_the_form_of_2013():
    for kind, rates in ((OOB, [4.0, 1.0]), (OUB, [1.0, 0.25])):
        method = kind(reading="paper")
        method.check("svm")
        method.shares = {0: 0.75, 1: 0.25}
        assert [method.rate(turn_of(label, [8, 2]), 0, True) for label in (1, 0)] == rates
        method.check("kernel")
        assert method.rate(turn_of(1, [8, 2]), 0, True) == (3.0 if kind is OOB else 1.0)


def test_under_over_bagging_rates():
    method = OUOB(members=4, ir=10.0)
    assert [method.rate(turn_of(1, [8, 2]), m, True) for m in range(4)] == [2.5, 5.0, 7.5, 10.0]
    assert [method.rate(turn_of(0, [8, 2]), m, True) for m in range(4)] == [0.25, 0.5, 0.75, 1.0]


def test_votes_make_a_score():
    f = np.array([[2.0], [0.0], [-1.0]])
    assert decided(f[1], ["b", "a"], "b") == 0
    assert decided(f[1], ["b"], None) == 1
    assert hard_score(f, np.array([1.0, 1.0, 2.0]), ["a", "b"], "b") == pytest.approx([1e-6 / 3])
    assert hard_score(f, np.ones(3), ["b", "a"], "b") == pytest.approx([-1 / 3 + 1e-6 / 3])
    assert decided(np.array([1.0, 2.0, 2.0]), ["c", "b", "a"], None) == 2
    table = hard_score(np.array([[0.0, 1.0, 0.0], [3.0, 1.0, 0.0]]), np.array([1.0, 3.0]), ["a", "b", "c"], None)
    assert table == pytest.approx([0.75 + 1.5e-6, 0.25 + 1e-6, 0.0])
    assert usable(np.array([0.0, math.nan])).tolist() == [1.0, 1.0]
    assert usable(np.array([0.5, math.nan])).tolist() == [0.5, 0.0]


def test_kappa_by_hand():
    assert kappa({(0, 0): 20, (0, 1): 5, (1, 0): 10, (1, 1): 15}) == pytest.approx(0.4)
    assert kappa({(0, 0): 3}) == 0.0
    assert kappa({}) == 0.0


def test_halves_vote_by_their_gmean():
    book = Ledger(seen={0: 5, 1: 5})
    for best, votes in ((False, [0.25, 0.25, 0.75, 0.75]), (True, [0.0, 0.0, 1.0, 1.0])):
        method = WEOB(members=2, best=best)
        assert method.votes(Ledger(seen={0: 5})).tolist() == [1.0] * 4
        method.recalls.of = [{0: 0.2, 1: 0.2}, {0: 0.9, 1: 0.4}]
        assert method.votes(book) == pytest.approx(votes)
        method.recalls.of = [{0: 0.5, 1: 0.5}] * 2
        assert method.votes(book).tolist() == ([1.0, 1.0, 0.0, 0.0] if best else [0.5] * 4)


def test_bagging_repeats_as_drawn():
    draws = Draws(start("ob", 4))
    X = np.array([[1.0], [1.0]])
    counts = [[draws.poisson(1.0) for _ in range(3)] for _ in range(2)]
    model = NaiveClassifier("ob", "svm", method_params={"members": 3}, random_state=4, **PLAIN)
    model.learn(X, [0, 0])
    taken = [min(a + b, 4) for a, b in zip(*counts, strict=True)]  # the fifth step would be past the margin
    assert [w[0, 0] for w in model.model.weights] == pytest.approx([-0.3 * k for k in taken])
    assert model.ledger[0]["travelled"] == pytest.approx(0.3 * np.mean(taken))
    whole = NaiveClassifier("ob", "svm", method_params={"members": 3, "repeat_mode": "weight"}, random_state=4, **PLAIN)
    whole.learn(X, [0, 0])
    expected = [a + b if 0.3 * a < 1 else a for a, b in zip(*counts, strict=True)]
    assert [w[0, 0] for w in whole.model.weights] == pytest.approx([-0.3 * k for k in expected])


def test_members_of_the_paper_step_together():
    params = {"members": 3, "reading": "paper"}
    model = NaiveClassifier("ob", "perceptron", method_params=params, classes=[0, 1], random_state=1, **PLAIN)
    model.learn(np.ones((3, 1)), [1, 1, 1])  # a tie is for the positive: nobody learns
    assert all(np.all(w == 0) for w in model.model.weights)
    draws = Draws(model.draws.state)
    model.learn(np.ones((1, 1)), [0])
    assert [w[0, 0] for w in model.model.weights] == pytest.approx([-0.3 * draws.poisson(1.0) for _ in range(3)])


def test_synthetic_rows_lie_between():
    X = np.array([[5.0, 0.0], [0.0, 2.0], [0.0, 4.0], [6.0, 0.0]])
    model = NaiveClassifier("osmote", "svm", eta0=1e-3, **PLAIN)
    model.learn(X, [0, 1, 1, 0])
    u = Draws(start("osmote", 0)).uniform()
    assert model.coef[0] == pytest.approx(1e-3 * np.array([-11, 2 + 4 + (4 - 2 * u)]))
    rows = [np.array([v]) for v in (3.0, 1.0, -1.0, 0.5)]
    assert [r[0] for r in nearest(rows, np.zeros(1), 3)] == [0.5, 1.0, -1.0]


# Learners.


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("reading", ["textbook", "paper"])
@pytest.mark.parametrize("name", sorted(n for n in METHODS if not n.startswith("csrda")))
def test_linear_kernel_is_the_linear_svm(name, reading, classes):
    if classes == 3 and (name in TWO_ONLY or (reading == "paper" and not name.startswith(("ogd", "hgd", "csogd")))):
        pytest.skip("knows two classes only")
    if reading == "paper" and name in ("oob", "oub", "ohr"):
        pytest.skip("the paper reading is another with the kernel")
    X, y = data(80, classes)
    same = {"method_params": {"reading": reading}, "average": False, "random_state": 2}
    kernel = NaiveClassifier(name, "kernel", learner_params={"kernel": "linear"}, **same)
    linear = NaiveClassifier(name, "svm", **same)
    np.testing.assert_allclose(kernel.learn(X, y), linear.learn(X, y), rtol=1e-9, atol=1e-9)
    for label in linear.classes:
        assert kernel.ledger[label] == pytest.approx(linear.ledger[label])


@pytest.mark.parametrize("drop", ["oldest", "smallest"])
def test_budget_drops_a_support_vector(drop):
    params = {"kernel": "linear", "budget": 2, "drop": drop}
    model = NaiveClassifier("ogd", "kernel", learner_params=params, **PLAIN)
    model.learn(np.eye(3), [0, 0, 0], sample_weight=[3.0, 1.0, 2.0])
    assert model.model.rows.tolist() == np.eye(3)[[1, 2] if drop == "oldest" else [0, 2]].tolist()


def test_fourier_features_come_near_the_kernel():
    rng = np.random.default_rng(0)
    features = Fourier(FourierParameters(features=4001, gamma=0.3), 3, stretch=2.0, intercept=True, seed=1)
    a, b = rng.normal(size=(2, 3)) / 2
    expected = a @ b + math.exp(-0.3 * 4 * np.sum((a - b) ** 2)) + 1
    assert features(a) @ features(b) == pytest.approx(expected, abs=0.04)
    assert len(features(a)) == features.width == 3 + 4001 + 1


def test_fourier_learns_what_is_not_linear():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(800, 2))
    y = (np.sum(X**2, axis=1) > 1.4).astype(int)
    scores = NaiveClassifier("hgd", "fourier", learner_params={"features": 64}).learn(X, y)
    assert np.mean((scores > 0)[300:] == (y == 1)[300:]) > 0.85


# All together.


@pytest.mark.parametrize("name", sorted(METHODS))
def test_three_classes_or_a_refusal(name):
    X, y = data(60, 3)
    y[:20] = np.minimum(y[:20], 1)
    learner = "svm" if name in HINGE_ONLY else "perceptron"
    model = NaiveClassifier(name, learner, average=False)
    if name in TWO_ONLY:
        with pytest.raises(ValueError, match="third"):
            model.learn(X, y)
        return
    assert np.isfinite(model.learn(X, y)[-1]).all()


@pytest.mark.parametrize("name", sorted(METHODS))
def test_rows_of_weight_zero_leave_no_trace(name):
    X, y = data(60)
    v = np.random.default_rng(0).choice([0.0, 0.5, 2.0], size=60)
    model, same = (NaiveClassifier(name, "svm", average=False) for _ in range(2))
    model.learn(X, y, v)
    same.learn(X[v > 0], y[v > 0], v[v > 0])
    assert np.array_equal(model.decision(X), same.decision(X))
    assert model.draws.state == same.draws.state


def test_refusals():
    for name, learner, more in [
        ("csogd_cost1", "logistic", {}),
        ("csrda1", "perceptron", {"average": False}),
        ("csrda2", "kernel", {"average": False}),
        ("csrda2", "fourier", {"average": False}),
        ("csrda2", "svm", {}),
        ("ogd", "kernel", {}),
        ("ob", "svm", {"radius": 1.0}),
        ("ob", "svm", {"method_params": {"repeat_mode": "twice"}}),
        ("ob", "svm", {"method_params": {"reading": "other"}}),
        ("ohr", "svm", {"method_params": {"mode": "other"}}),
        ("nothing", "svm", {}),
        ("ogd", "svm", {"learner_params": {"gamma": 1.0}}),
        ("ogd", "kernel", {"average": False, "learner_params": {"kernel": "other"}}),
    ]:
        with pytest.raises(ValueError, match=r"\w"):
            NaiveClassifier(name, learner, **more).learn(np.eye(2), [0, 1])
