"""The simulated stream is the same each time, and is as hard as it says."""

import itertools

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from poise.errors import ParameterError
from poise.metrics import auc, confusion, gmean
from poise.streams import FraudStream


def whole(stream):
    blocks = list(stream)
    return np.concatenate([X for X, _ in blocks]), np.concatenate([y for _, y in blocks])


@pytest.fixture(scope="module")
def drifting():
    return whole(FraudStream())


@pytest.fixture(scope="module")
def steady():
    return whole(FraudStream(drift=False))


def linear_scores(learn, score):
    """Scores of `score`'s rows by a balanced logistic regression that learned from `learn`."""
    X, y = learn
    scaler = StandardScaler().fit(X)
    model = LogisticRegression(class_weight="balanced", max_iter=1000)
    model.fit(np.clip(scaler.transform(X), -5, 5), y)
    return model.decision_function(np.clip(scaler.transform(score[0]), -5, 5))


class TestBlocks:
    def test_have_the_stated_size_but_for_the_last(self):
        sizes = [(X.shape, y.shape) for X, y in FraudStream(n=25, block=10)]
        assert sizes == [((10, 10), (10,)), ((10, 10), (10,)), ((5, 10), (5,))]

    @pytest.mark.parametrize("block", [1, 999, 10_000, 10_001, 23_456, 50_000])
    def test_of_any_size_hold_the_same_rows(self, block):
        n = 500 if block == 1 else 23_456
        X, y = whole(FraudStream(n=n, block=block))
        expected_X, expected_y = whole(FraudStream(n=n))
        np.testing.assert_array_equal(X, expected_X)
        np.testing.assert_array_equal(y, expected_y)

    def test_are_types_that_a_model_takes(self):
        for X, y in FraudStream(n=30, block=20):
            assert (X.dtype, y.dtype) == (np.float64, np.int64)
            assert X.flags.c_contiguous

    def test_that_are_kept_do_not_keep_their_neighbours_in_memory(self):
        for X, y in FraudStream(n=2000, block=500):
            assert X.base is None
            assert y.base is None

    def test_belong_to_whoever_got_them(self):
        stream = FraudStream(n=2000, block=500)
        for X, _ in stream:
            X[:] = -1.0
        assert not any((X == -1.0).any() for X, _ in stream)


class TestRepeating:
    def test_each_pass_starts_anew(self):
        stream = FraudStream(n=20_000, block=1000)
        begun = list(itertools.islice(stream, 3))
        again = list(itertools.islice(stream, 3))
        for (X, y), (same_X, same_y) in zip(begun, again, strict=True):
            np.testing.assert_array_equal(X, same_X)
            np.testing.assert_array_equal(y, same_y)

    def test_equal_settings_are_equal_streams(self):
        assert FraudStream(n=10, seed=3) == FraudStream(n=10, seed=3)

    def test_another_seed_gives_other_rows(self):
        first, second = whole(FraudStream(n=1000))[0], whole(FraudStream(n=1000, seed=1))[0]
        assert (first[:, 0] == second[:, 0]).mean() < 0.05

    def test_each_part_has_random_numbers_of_its_own(self, steady):
        X, _ = steady
        assert (X[:10_000, 0] == X[10_000:20_000, 0]).mean() < 0.05


class TestColumns:
    def test_have_a_name_each(self, drifting):
        names = FraudStream().columns
        assert len(names) == len(set(names)) == drifting[0].shape[1] == 10

    @pytest.mark.parametrize(
        ("name", "low", "high"),
        [
            ("amount", 0.01, 100_000),
            ("hour", 0, 24),
            ("weekday", 0, 6),
            ("seconds_since_last", 1, 1e9),
            ("purchases_last_day", 0, 1000),
            ("km_from_home", 0, 20_000),
            ("merchant_risk", 0, 1),
            ("account_age_days", 1, 1e6),
            ("card_present", 0, 1),
        ],
    )
    def test_stay_within_what_they_mean(self, drifting, name, low, high):
        values = drifting[0][:, FraudStream().columns.index(name)]
        assert low <= values.min() < values.max() <= high

    def test_come_in_the_order_of_time(self, drifting):
        day = drifting[0][:, FraudStream().columns.index("weekday")]
        hour = drifting[0][:, FraudStream().columns.index("hour")]
        hours_on = np.diff(24 * day + hour)
        weeks_begun = hours_on < -100
        assert weeks_begun.sum() == 11
        assert (hours_on[~weeks_begun] >= 0).all()


class TestRhythm:
    def test_more_is_bought_on_saturday_afternoon_than_on_sunday_night(self, drifting):
        X, _ = drifting
        day, hour = (X[:, FraudStream().columns.index(name)] for name in ("weekday", "hour"))
        busy = np.sum((day == 5) & (hour >= 14) & (hour < 18))
        quiet = np.sum((day == 6) & (hour >= 2) & (hour < 6))
        assert busy > 10 * quiet

    def test_fraud_is_more_likely_at_night(self, drifting):
        X, y = drifting
        hour = X[:, FraudStream().columns.index("hour")]
        night = (hour >= 1) & (hour < 5)
        assert y[night].mean() > 1.5 * y[~night].mean()


@pytest.mark.parametrize("drift", [True, False])
@pytest.mark.parametrize("ratio", [9, 50, 500])
def test_the_ratio_holds_over_the_whole_stream(ratio, drift):
    _, y = whole(FraudStream(n=100_000, ratio=ratio, drift=drift, seed=2))
    expected = y.size / (1 + ratio)
    assert abs(y.sum() - expected) < 4 * np.sqrt(expected)


class TestDrift:
    def test_fraud_comes_in_waves(self):
        _, y = whole(FraudStream(ratio=50))
        share = [part.mean() for part in np.array_split(y, 20)]
        assert max(share) > 3 * min(share)

    def test_without_drift_the_share_stays(self):
        _, y = whole(FraudStream(ratio=50, drift=False))
        share = [part.mean() for part in np.array_split(y, 20)]
        assert max(share) < 1.5 * min(share)

    def test_a_model_of_the_first_half_grows_old_in_the_second(self, drifting):
        X, y = drifting
        half = len(y) // 2
        first, second = (X[:half], y[:half]), (X[half:], y[half:])
        assert auc(y[:half], linear_scores(first, first)) > 0.92
        assert auc(y[half:], linear_scores(first, second)) < 0.90

    def test_without_drift_it_stays_good(self, steady):
        X, y = steady
        half = len(y) // 2
        first, second = (X[:half], y[:half]), (X[half:], y[half:])
        assert auc(y[half:], linear_scores(first, second)) > 0.92


@pytest.mark.parametrize("kind", ["steady", "drifting"])
def test_a_good_linear_model_is_good_but_not_perfect(kind, request):
    X, y = request.getfixturevalue(kind)
    scores = linear_scores((X, y), (X, y))
    assert 0.90 <= auc(y, scores) <= 0.95
    assert 0.80 <= gmean(confusion(y, scores > 0)) <= 0.90


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n": 0}, "n is 0: give a whole number of at least 1"),
        ({"n": 1e6}, "n is 1000000.0: give a whole number"),
        ({"block": 0}, "block is 0"),
        ({"seed": -1}, "seed is -1: give a whole number of at least 0"),
        ({"ratio": 0.5}, "ratio is 0.5: give a finite number of at least 1"),
        ({"ratio": float("nan")}, "ratio is nan"),
    ],
)
def test_settings_that_make_no_stream_are_refused(wrong, message):
    with pytest.raises(ParameterError, match=message):
        FraudStream(**wrong)
