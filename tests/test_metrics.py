"""The measures agree with scikit-learn where both are defined, and keep their zero rules."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn import metrics as sklearn_metrics

from poise.errors import DataError
from poise.metrics import (
    Confusion,
    auc,
    balanced_accuracy,
    confusion,
    confusion_table,
    f1,
    gmean,
    recall_per_class,
)

NAN = math.nan


@pytest.fixture(params=range(5))
def rng(request):
    return np.random.default_rng(request.param)


def labels(rng, classes, n=300):
    """Random labels among which every class occurs."""
    return np.concatenate([np.arange(classes), rng.integers(0, classes, n)])


@pytest.mark.parametrize("classes", [2, 3, 7])
class TestAgainstScikitLearn:
    def test_table_of_counts(self, rng, classes):
        y, said = labels(rng, classes), labels(rng, classes)[::-1]
        expected = sklearn_metrics.confusion_matrix(y, said)
        np.testing.assert_array_equal(confusion_table(y, said, range(classes)), expected)

    def test_recall(self, rng, classes):
        y, said = labels(rng, classes), labels(rng, classes)[::-1]
        expected = sklearn_metrics.recall_score(y, said, average=None)
        np.testing.assert_allclose(recall_per_class(confusion_table(y, said, range(classes))), expected)

    def test_balanced_accuracy(self, rng, classes):
        y, said = labels(rng, classes), labels(rng, classes)[::-1]
        expected = sklearn_metrics.balanced_accuracy_score(y, said)
        found = balanced_accuracy(confusion_table(y, said, range(classes)))
        assert found == pytest.approx(expected, rel=1e-14)

    def test_gmean_is_the_geometric_mean_of_recalls(self, rng, classes):
        y, said = labels(rng, classes), labels(rng, classes)[::-1]
        recall = sklearn_metrics.recall_score(y, said, average=None)
        found = gmean(confusion_table(y, said, range(classes)))
        assert found == pytest.approx(float(np.prod(recall)) ** (1 / classes), rel=1e-12)

    def test_f1_is_of_the_positive_class_or_the_plain_average(self, rng, classes):
        y, said = labels(rng, classes), labels(rng, classes)[::-1]
        average = "binary" if classes == 2 else "macro"
        expected = sklearn_metrics.f1_score(y, said, average=average)
        found = f1(confusion_table(y, said, range(classes)))
        assert found == pytest.approx(expected, rel=1e-14)

    def test_auc_with_many_ties(self, rng, classes):
        y = labels(rng, classes)
        scores = rng.integers(1, 6, (y.size, classes)).astype(float)
        if classes == 2:
            expected = sklearn_metrics.roc_auc_score(y, scores[:, 1])
            assert auc(y, scores[:, 1]) == pytest.approx(expected, rel=1e-14)
        else:
            shares = scores / scores.sum(axis=1, keepdims=True)
            expected = sklearn_metrics.roc_auc_score(y, shares, multi_class="ovr")
            assert auc(y, shares) == pytest.approx(expected, rel=1e-12)


class TestCounting:
    def test_counts_one_class_against_all_others(self):
        counted = confusion(["a", "b", "c", "a"], ["a", "a", "c", "b"], positive="a")
        assert counted == Confusion(tp=1, fp=1, tn=1, fn=1)

    def test_no_rows_give_no_counts(self):
        assert confusion([], []) == Confusion(tp=0, fp=0, tn=0, fn=0)

    def test_the_record_and_its_table_give_the_same_measures(self):
        counts = Confusion(tp=3, fp=5, tn=11, fn=2)
        np.testing.assert_array_equal(counts.table, [[11, 5], [2, 3]])
        for measure in (balanced_accuracy, gmean, f1):
            assert measure(counts) == measure([[11, 5], [2, 3]])

    def test_the_table_keeps_the_given_order_of_classes(self):
        table = confusion_table(["no", "yes", "yes"], ["yes", "yes", "no"], ["yes", "no"])
        np.testing.assert_array_equal(table, [[1, 1], [1, 0]])


@pytest.mark.parametrize(
    ("case", "counts", "accuracy", "g", "f"),
    [
        ("nothing was seen", Confusion(tp=0, fp=0, tn=0, fn=0), NAN, NAN, NAN),
        ("negatives only, all hit", Confusion(tp=0, fp=0, tn=9, fn=0), NAN, NAN, NAN),
        ("negatives only, one missed", Confusion(tp=0, fp=1, tn=8, fn=0), NAN, NAN, 0.0),
        ("positives only, all hit", Confusion(tp=9, fp=0, tn=0, fn=0), NAN, NAN, 1.0),
        ("positives only, none hit", Confusion(tp=0, fp=0, tn=0, fn=9), NAN, NAN, 0.0),
        ("always negative", Confusion(tp=0, fp=0, tn=90, fn=10), 0.5, 0.0, 0.0),
        ("always positive", Confusion(tp=10, fp=90, tn=0, fn=0), 0.5, 0.0, 2 / 11),
        ("always right", Confusion(tp=10, fp=0, tn=90, fn=0), 1.0, 1.0, 1.0),
        ("always wrong", Confusion(tp=0, fp=90, tn=0, fn=10), 0.0, 0.0, 0.0),
        ("third class unseen and uncalled", [[8, 2, 0], [1, 4, 0], [0, 0, 0]], 0.8, 0.8, None),
        ("one class of three", [[8, 2, 0], [0, 0, 0], [0, 0, 0]], NAN, NAN, None),
    ],
)
def test_zero_rules(case, counts, accuracy, g, f):
    assert balanced_accuracy(counts) == pytest.approx(accuracy, nan_ok=True), case
    assert gmean(counts) == pytest.approx(g, nan_ok=True), case
    if f is not None:
        assert f1(counts) == pytest.approx(f, nan_ok=True), case


class TestManyClasses:
    def test_a_class_that_was_neither_seen_nor_called_does_not_lower_f1(self):
        table = [[8, 2, 0], [1, 4, 0], [0, 0, 0]]
        assert f1(table) == pytest.approx((16 / 19 + 8 / 11) / 2)

    def test_a_class_that_was_called_but_not_seen_counts_as_zero_in_f1(self):
        table = [[8, 1, 1], [1, 4, 0], [0, 0, 0]]
        assert f1(table) == pytest.approx((16 / 19 + 8 / 10 + 0) / 3)

    def test_gmean_of_very_many_small_recalls_does_not_round_to_zero(self):
        size = 400
        table = np.full((size, size), 1.0) + np.diag(np.full(size, 0.01))
        assert gmean(table) == pytest.approx(1.01 / (size + 0.01))


class TestAuc:
    def test_a_single_class_has_none(self):
        assert math.isnan(auc([1, 1], [0.2, 0.3]))
        assert math.isnan(auc([], []))

    def test_equal_scores_give_one_half(self):
        assert auc([0, 1, 1], [7.0, 7.0, 7.0]) == 0.5

    def test_infinite_scores_have_a_rank(self):
        assert auc([0, 1], [-math.inf, math.inf]) == 1.0

    def test_a_row_without_a_score_is_left_out(self):
        assert auc([1, 0, 1, 0], [NAN, 0.1, 0.4, NAN]) == 1.0

    def test_columns_follow_the_named_classes(self):
        scores = np.array([[0.9, 0.1, 0.0], [0.2, 0.7, 0.1], [0.1, 0.2, 0.7]])
        assert auc(["b", "a", "c"], scores, classes=["b", "a", "c"]) == 1.0

    def test_a_class_without_rows_is_left_out_of_the_average(self):
        scores = np.array([[0.9, 0.1, 0.5], [0.2, 0.7, 0.1]])
        assert auc([0, 1], scores, classes=[0, 1, 2]) == 1.0

    @given(st.lists(st.tuples(st.booleans(), st.integers(-4, 4)), min_size=2, max_size=40))
    def test_it_is_the_share_of_pairs_in_the_right_order(self, rows):
        y = np.array([positive for positive, _ in rows])
        scores = np.array([score for _, score in rows], dtype=float)
        gaps = scores[y][:, None] - scores[~y][None, :]
        expected = ((gaps > 0) + 0.5 * (gaps == 0)).mean() if gaps.size else NAN
        assert auc(y, scores) == pytest.approx(expected, nan_ok=True)

    @given(st.lists(st.tuples(st.booleans(), st.integers(-99, 99)), min_size=2, max_size=40))
    def test_only_the_order_of_the_scores_matters(self, rows):
        y = [positive for positive, _ in rows]
        scores = np.array([score for _, score in rows], dtype=float)
        value = auc(y, scores)
        assert auc(y, np.exp(scores / 50)) == pytest.approx(value, nan_ok=True, rel=1e-14)
        assert auc(y, -scores) == pytest.approx(1 - value, nan_ok=True, rel=1e-14)


class TestLaws:
    tables = st.integers(2, 5).flatmap(lambda size: arrays(np.int64, (size, size), elements=st.integers(0, 50)))

    @given(tables)
    def test_every_value_is_a_share_or_nan(self, table):
        for measure in (balanced_accuracy, gmean, f1):
            value = measure(table)
            assert math.isnan(value) or -1e-12 <= value <= 1 + 1e-12

    @given(tables)
    def test_gmean_is_never_above_balanced_accuracy(self, table):
        value = gmean(table)
        assert math.isnan(value) or value <= balanced_accuracy(table) + 1e-12

    @given(tables, st.integers(2, 9))
    def test_seeing_every_row_several_times_changes_nothing(self, table, times):
        for measure in (balanced_accuracy, gmean, f1):
            assert measure(table * times) == pytest.approx(measure(table), nan_ok=True)

    @given(tables, st.randoms(use_true_random=False))
    def test_the_order_of_three_and_more_classes_does_not_matter(self, table, random):
        order = random.sample(range(len(table)), len(table))
        turned = table[np.ix_(order, order)]
        measures = (balanced_accuracy, gmean) + ((f1,) if len(table) > 2 else ())
        for measure in measures:
            assert measure(turned) == pytest.approx(measure(table), nan_ok=True)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: confusion([1, 0], [1]), r"shape \(2,\) for 1 answers"),
        (lambda: confusion([[1]], [1]), r"True labels have the shape \(1, 1\)"),
        (lambda: confusion([1], [[1]]), r"Given labels have the shape \(1, 1\)"),
        (lambda: confusion_table(["a"], ["z"], ["a", "b"]), "label 'z' is not among the classes"),
        (lambda: gmean([[1, 2]]), r"shape \(1, 2\): it must be square"),
        (lambda: gmean([[5]]), r"shape \(1, 1\): it must be square"),
        (lambda: f1([[1, -2], [0, 1]]), "count is -2.0"),
        (lambda: f1([[1, NAN], [0, 1]]), "count is nan"),
        (lambda: auc([0, 1], [0.5]), r"shape \(2,\) for 1 answers"),
        (lambda: auc([0, 1], np.zeros((2, 3))), "3 columns of scores for 2 classes"),
        (lambda: auc([0, 1], np.zeros((2, 1, 1))), "Scores have 3 dimensions"),
    ],
)
def test_what_cannot_be_measured_is_refused_with_the_reason(wrong, message):
    with pytest.raises(DataError, match=message):
        wrong()
