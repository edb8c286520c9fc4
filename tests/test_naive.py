"""The oracle itself, held to answers known by hand or by theory."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from naive import NaiveClassifier
from naive.ledger import Ledger
from naive.losses import slopes
from naive.scaler import Scaler
from naive.weighting import HGD, Row, harmonized

PLAIN: dict[str, Any] = {"standardize": None, "fit_intercept": False, "average": False}


def filled(seen: Sequence[int], pulled: Sequence[float]) -> Ledger:
    """Return a ledger as it would be after some rows."""
    return Ledger(
        seen=dict(enumerate(seen)),
        pulled=dict(enumerate(pulled)),
        travelled=dict(enumerate(pulled)),
    )


def shares_after(
    form: str, sizes: Sequence[int], gradients: Sequence[float], rows: int, seed: int = 0
) -> npt.NDArray[np.float64]:
    """Drive the weight alone with step lengths that do not depend on the model."""
    rng = np.random.default_rng(seed)
    method, ledger = HGD(clamp=None, multiclass=form), filled([0] * len(sizes), [0.0] * len(sizes))
    chance = np.array(sizes) / sum(sizes)
    for y in rng.choice(len(sizes), size=rows, p=chance).tolist():
        a = method.weigh(Row(y), ledger)
        ledger.seen[y] += 1
        ledger.pulled[y] += a * gradients[y]
    pulls = np.array(list(ledger.pulled.values()))
    return np.asarray(pulls / pulls.sum())


@pytest.mark.parametrize("form", ["complement", "inverse", "printed"])
@pytest.mark.parametrize("memory", [None, 0.9])
def test_the_first_weight_is_one(form: str, memory: float | None) -> None:
    ledger = Ledger()
    ledger.admit("only")
    assert HGD(multiclass=form, memory=memory).weigh(Row("only"), ledger) == 1.0


@pytest.mark.parametrize("form", ["complement", "printed"])
def test_two_classes_give_the_printed_binary_rule(form: str) -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        pos, more = rng.integers(1, 1000, size=2)
        neg = pos + more
        pulled = rng.gamma(1.0, 10.0, size=2)
        s_neg, s_pos = 1 + pulled
        rho, total = (neg + 1) / (pos + 1), s_neg + s_pos
        ledger = filled([int(neg), int(pos)], pulled.tolist())
        weigh = HGD(clamp=None, multiclass=form).weigh
        assert weigh(Row(1), ledger) == pytest.approx(2 * rho * s_neg / total)
        assert weigh(Row(0), ledger) == pytest.approx(2 * s_pos / total)


@pytest.mark.parametrize("form", ["complement", "inverse"])
@pytest.mark.parametrize("gradients", [(1.0, 4.0), (3.0, 1.0), (1.0, 1.0)])
def test_the_pull_ratio_goes_to_the_root_of_the_gradient_ratio(form: str, gradients: tuple[float, float]) -> None:
    # dS_-/dS_+ = c/r with c = g_-/g_+ and r = S_-/S_+, so r -> sqrt(c) whatever the class sizes.
    negative, positive = shares_after(form, (9, 1), gradients, 100_000)
    root = math.sqrt(gradients[0] / gradients[1])
    assert negative / positive == pytest.approx(root, rel=0.02)


@pytest.mark.parametrize("seed", range(3))
def test_complement_equalises_the_classes_and_printed_runs_away(seed: int) -> None:
    sizes = (100, 30, 10, 3, 1)
    equal, one_larger = (1.0,) * 5, (3.0, 1.0, 1.0, 1.0, 1.0)
    fair = shares_after("complement", sizes, equal, 50_000, seed)
    assert fair == pytest.approx([0.2] * 5, abs=0.01)
    assert shares_after("complement", sizes, one_larger, 20_000, seed).max() < 0.4
    # Equal gradients: the lead of the first rows stays. Unequal ones: the largest takes all.
    unfair = shares_after("printed", sizes, equal, 20_000, seed)
    assert unfair.max() / unfair.min() > 100
    assert shares_after("printed", sizes, one_larger, 20_000, seed)[0] > 0.99


def test_printed_and_inverse_for_three_classes() -> None:
    sums = {"a": 1.0, "b": 2.0, "c": 5.0}
    assert harmonized("b", 4.0, sums, "complement") == pytest.approx(4 * 1.5 * 6 / 8)
    assert harmonized("b", 4.0, sums, "printed") == pytest.approx(4 * 3 * 2 / 8)
    assert harmonized("b", 4.0, sums, "inverse") == pytest.approx(4 * 8 / (3 * 2))


def test_the_clamp() -> None:
    late = filled([10_000, 0], [1.0, 0.0])
    free = HGD(clamp=None).weigh(Row(1), late)
    assert free == pytest.approx(10_001 * 2 * 2 / 3)
    assert HGD().weigh(Row(1), late) == 100.0
    # R = 10001: never binding upwards here; from below at 1/R
    assert HGD(clamp="assumption4").weigh(Row(1), late) == free
    tiny = filled([9, 0], [1e9, 0.0])
    assert HGD(clamp="assumption4").weigh(Row(0), tiny) == pytest.approx(1 / 10)


def test_memory_shares_by_hand() -> None:
    method, ledger = HGD(memory=0.8, clamp=None), Ledger()

    def learn(label: str) -> float:
        if label not in ledger.seen:
            ledger.admit(label)
        a = method.weigh(Row(label), ledger)
        ledger.seen[label] += 1
        method.remember(label)
        return a

    assert learn("a") == 1.0
    assert method.share("a", ledger) == pytest.approx(0.8 * 0.5 + 0.2)
    # "b" takes over the phantom's .4: base = .6/.4, equal sums make the rest 1
    assert learn("b") == pytest.approx(0.6 / 0.4)
    assert method.share("b", ledger) == pytest.approx(0.8 * 0.4 + 0.2)
    # "c" gets 1/3, the others shrink to 2/3 of (.48, .52): base = .52 * 2/3 / (1/3)
    assert learn("c") == pytest.approx(0.52 * 2)
    assert method.share("a", ledger) == pytest.approx(0.8 * 0.48 * 2 / 3)
    assert sum(method.shares.values()) == pytest.approx(1.0)


def test_three_rows_by_hand() -> None:
    model = NaiveClassifier("hgd", "svm", eta0=0.5, **PLAIN)
    scores = model.learn(np.array([[2.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), [0, 1, 0])
    # row 1: a = 1, w = (-1, 0), length 1
    # row 2: N = (2, 1), S = (2, 1): a = 2 * 2 * 2/3 = 8/3, w = (-1, 4/3), length 4/3
    # row 3: N = (2, 2), S = (2, 7/3): a = 2 * (7/3)/(13/3) = 14/13, step 7/13 on both
    assert scores == pytest.approx([0.0, 0.0, 1 / 3])
    assert model.coef[0] == pytest.approx([-1 - 7 / 13, 4 / 3 - 7 / 13])
    far = 1 + 7 / 13 * math.sqrt(2)
    first, second = model.ledger[0], model.ledger[1]
    assert first == pytest.approx({"seen": 2, "share": 2 / 3, "pulled": far, "travelled": far})
    assert second["pulled"] == second["travelled"] == pytest.approx(4 / 3)
    gis = [3 / 4, 3 / 4 * far]  # GI is undefined at row 1
    assert model.gi["gi"] == pytest.approx(gis[1])
    assert model.gi["gii"] == pytest.approx(sum((g - 1) ** 2 for g in gis))
    assert model.gi["gii_log"] == pytest.approx(sum(math.log(g) ** 2 for g in gis))
    assert model.gi["counted"] == 2


def test_squared_norm_by_hand() -> None:
    params = {"norm": "squared"}
    model = NaiveClassifier("hgd", "svm", eta0=0.5, method_params=params, **PLAIN)
    model.learn(np.array([[4.0, 0.0], [0.0, 1.0]]), [0, 1])
    # row 1: a = 1, length 2, pulled 4; row 2: a = 2 * 2 * 5/6 = 10/3, length without a 1/2
    assert model.ledger[0]["pulled"] == pytest.approx(4.0)
    assert model.ledger[1]["travelled"] == pytest.approx(10 / 3 / 2)
    assert model.ledger[1]["pulled"] == pytest.approx(10 / 3 / 4)


def test_ohgd_by_hand() -> None:
    method = HGD(variant="ohgd")
    ledger = filled([3, 1], [2.0, 0.5])
    assert method.weigh(Row(1, 2, 9.0, 1), ledger) == 1.0
    # counts include the row: rho = 3/2
    assert method.weigh(Row(1, 5, 0.5, 1), ledger) == pytest.approx(2 * 1.5 * 2 / 2.5 * 0.5)
    assert method.weigh(Row(0, 5, 0.5, 1), ledger) == pytest.approx(2 * 0.5 / 2.5 * 0.5)
    assert method.weigh(Row(0, 5, 0.0, 1), ledger) == 1e-2
    assert method.weigh(Row(1, 5, 1e9, 1), ledger) == 2e2


def test_perceptron_leaves_zero() -> None:
    model = NaiveClassifier("ogd", "perceptron", eta0=1.0, **PLAIN)
    model.learn(np.array([[1.0, 2.0]]), [1])
    assert model.coef[0] == pytest.approx([-1.0, -2.0])  # a lone class is the negative one


def test_average_is_the_plain_mean_for_500_rows() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(510, 3)), rng.integers(0, 2, size=510)
    raw = NaiveClassifier(standardize=None, average=False, classes=[0, 1])
    model = NaiveClassifier(standardize=None, classes=[0, 1])
    weights = []
    for i in range(510):
        raw.learn(x[i : i + 1], y[i : i + 1])
        model.learn(x[i : i + 1], y[i : i + 1])
        weights.append(np.append(raw.coef, raw.intercept))
        mean = np.mean(weights, axis=0)
        if i < 500:
            assert np.append(model.coef, model.intercept) == pytest.approx(mean)
    assert np.append(model.coef, model.intercept) != pytest.approx(mean)


def test_scaler_by_hand() -> None:
    scaler = Scaler("center", 1)
    assert scaler.z(np.array([7.0])) == [0.0]
    for value in (1.0, 3.0):
        scaler.see(np.array([value]))
    assert scaler.z(np.array([2.5])) == pytest.approx([0.5])  # mean 2, deviation 1
    assert scaler.z(np.array([1e9])) == [5.0]
    for value in (1.0, 3.0) * 9:
        scaler.see(np.array([value]))
    scaler.see(np.array([1e9]))  # the 21st row is seen as 7
    assert scaler.mean == pytest.approx([(40 + 7) / 21])
    assert scaler.variance() == pytest.approx(np.var([1.0, 3.0] * 10 + [7.0]))


def test_scale_mode_divides_only_and_leaves_zeros_alone() -> None:
    scaler = Scaler("scale", 4)
    for value in (9.0, 11.0) * 10:
        scaler.see(np.array([value, 0.0, 1.0, value]))
    assert scaler.z(np.array([4.0, 3.0, 1.0, 0.0])) == pytest.approx([2.0, 0.0, 0.0, 0.0])
    scaler.see(np.array([0.0, 0.0, 1.0, 100.0]))
    assert scaler.mean == pytest.approx([200 / 21, 0.0, 1.0, 215 / 21])


def test_unit_rows_and_the_intercept_outside_the_length() -> None:
    model = NaiveClassifier("ogd", "perceptron", standardize=None, unit_rows=True, eta0=1.0)
    model.learn(np.array([[3.0, 4.0], [0.0, 0.0]]), ["a", "a"])
    assert model.ledger["a"]["travelled"] == pytest.approx(math.sqrt(2))
    assert model.coef[0] == pytest.approx([-0.6, -0.8])


def test_softmax_of_two_is_logistic_and_of_three_is_by_hand() -> None:
    assert slopes("softmax", np.array([0.7]), 1) == slopes("logistic", np.array([0.7]), 1)
    assert slopes("logistic", np.array([0.7]), 1) == pytest.approx([-1 / (1 + math.exp(0.7))])
    g = slopes("softmax", np.log([1.0, 2.0, 5.0]), 1)
    assert g == pytest.approx([1 / 8, 2 / 8 - 1, 5 / 8])
    assert slopes("svm", np.array([-2.0, 0.5, 1.5]), 2).tolist() == [0.0, 1.0, 0.0]


def test_sign_follows_the_sorted_labels() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(300, 2)), np.repeat(["b", "a"], 150)
    x[:150] += 3  # "b" arrives first, yet > 0 must mean "b"
    model = NaiveClassifier()
    scores = model.learn(x, y)
    assert scores.shape == (300,)
    assert model.decision(np.array([[3.0, 3.0], [0.0, 0.0]])) @ [1, -1] > 0
    inside = x[np.abs((x - x.mean(axis=0)) / x.std(axis=0)).max(axis=1) < 2]
    assert model.decision(inside) == pytest.approx((inside @ model.coef.T + model.intercept)[:, 0])


def test_a_third_class_splits_the_weights_and_fills_columns() -> None:
    model = NaiveClassifier("ogd", "svm", eta0=1.0, **PLAIN)
    x = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 4.0], [1.0, 0.0]])
    table = model.learn(x, [5, 3, 4, 4])
    # 5 arrives first, so it is the internal negative: w = (-1, 0), then (-1, 1)
    # row 3: score 2 towards 3; split into (1/2, -1/2) for 5, (-1/2, 1/2) for 3, zeros for 4
    nan = math.nan
    rows = [[nan, nan, nan], [nan, nan, 0.0], [1.0, nan, -1.0]]
    # row 3 scores 5: -1, 3: 1, 4: 0, targets -1, -1, +1: 5 is at its margin, 3 and 4 step
    after = {5: (0.5, -0.5), 3: (-2.5, -3.5), 4: (2.0, 4.0)}
    rows.append([after[3][0], after[4][0], after[5][0]])
    assert table == pytest.approx(np.array(rows), nan_ok=True)
    assert model.ledger[4]["travelled"] == pytest.approx(math.sqrt(20 * 2) + 1)


def test_declared_classes_exist_from_the_start() -> None:
    model = NaiveClassifier(classes=[2, 0, 1])
    assert model.learn(np.eye(2), [1, 0]).shape == (2, 3)
    assert model.ledger[2] == {"seen": 0, "share": 0.0, "pulled": 0.0, "travelled": 0.0}
    assert model.gi["counted"] == 1  # unseen classes do not stand in the way


def test_k_class_imbalance_is_largest_over_smallest() -> None:
    book = filled([1, 1, 1, 0], [2.0, 8.0, 4.0, 0.0])
    assert book.imbalance(None) == 4.0
    book.travelled[2] = 0.0
    assert math.isnan(book.imbalance(None))


def test_weight_zero_skips_and_others_multiply_the_step() -> None:
    x = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 1.0]])
    model, same = NaiveClassifier("ogd", **PLAIN), NaiveClassifier("ogd", **PLAIN)
    model.learn(x, ["a", "new", "b"], sample_weight=[1, 0, 1])
    same.learn(x[[0, 2]], ["a", "b"])
    assert model.classes == ["a", "b"]
    assert np.array_equal(model.coef, same.coef)
    double = NaiveClassifier("ogd", **PLAIN)
    double.learn(x[:1], ["a"], sample_weight=[2])
    assert double.ledger["a"]["travelled"] == pytest.approx(2 * 0.3 * 0.5)
    assert double.ledger["a"]["seen"] == 1


def test_radius_projects_and_counts_the_real_length() -> None:
    model = NaiveClassifier("ogd", "svm", eta0=1.0, radius=1.0, **PLAIN)
    model.learn(np.array([[3.0, 4.0]]), [0])
    assert np.linalg.norm(model.coef) == pytest.approx(1.0)
    assert model.ledger[0]["travelled"] == pytest.approx(1.0)


@pytest.mark.parametrize(("schedule", "power"), [("constant", 0.0), ("sqrt", 0.5), ("invscaling", 0.25)])
def test_step_schedules(schedule: str, power: float) -> None:
    model = NaiveClassifier("ogd", "perceptron", eta0=1.0, learning_rate=schedule, power_t=0.25, **PLAIN)
    model.learn(np.eye(4), [0] * 4)  # every row is at the kink of its own weight
    assert -model.coef[0] == pytest.approx([t**-power for t in range(1, 5)])


def test_positive_names_the_class_below_the_line() -> None:
    x, y = np.eye(2), [0, 1]
    default, other = NaiveClassifier("ogd", **PLAIN), NaiveClassifier("ogd", positive=0, **PLAIN)
    assert np.array_equal(default.learn(x, y), other.learn(x, y))  # never flips the sign
    assert math.isnan(NaiveClassifier().gi["gi"])
    default.learn(2 * x, [1, 1])
    other.learn(2 * x, [1, 1])
    assert default.gi["gi"] * other.gi["gi"] == pytest.approx(1.0)
    assert default.gi["gi"] == default.ledger[0]["travelled"] / default.ledger[1]["travelled"]


def test_a_fourth_class_gets_zeros_and_one_known_class_half_a_score() -> None:
    model = NaiveClassifier("ogd", "perceptron", eta0=1.0, **PLAIN)
    table = model.learn(np.ones((4, 1)), ["d", "c", "b", "a"])
    # scores 0, -1 (one class, the negative), then 0 for two classes, then three columns
    assert table[1] == pytest.approx([math.nan, math.nan, math.nan, 0.5], nan_ok=True)
    assert np.isfinite(table).sum(axis=1).tolist() == [0, 1, 2, 3]
    assert model.coef.shape == (4, 1)
