"""The benchmark of the published grids in small: every method on two sets, and the pieces its tables stand on."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

import real_data
from poise import StreamClassifier, methods
from poise.datasets import load, scale_columns
from poise.metrics import balanced_accuracy, confusion

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
FEW = ("vertebra", "ecoli4")


@pytest.fixture
def grid(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("grid")


@pytest.fixture
def small(grid, monkeypatch):
    """Two small sets as the grid takes them."""
    for name in FEW:
        real_data.require(name)
    monkeypatch.setenv("POISE_DATA", str(real_data.FOLDER))
    return grid.prepared(list(FEW))


@pytest.fixture
def published(tmp_path):
    """A table in the form of the published one; the method's own name is in another column than where it stands."""
    rows = ["method,learner,metric,value,rank,supplement_label"]
    labels = {"OGD": 1, "CSOGD_CI": 2, "CSOGD_SII": 3, "OAdaB": 4, "CSRDA_IV": 5}
    rows += [f"other,svm,{metric},{1 / k},{k},{label}" for metric in ("auc", "gmean", "f1") for label, k in labels.items()]
    path = tmp_path / "static.csv"
    path.write_text("\n".join([*rows, "other,kernel,auc,,,CSRDA_I"]), encoding="utf-8")
    return path


class TestRuns:
    def test_of_every_method_on_two_sets(self, grid, small):
        found = grid.run(("perceptron", "svm"), small)
        assert {learner: len(values) for learner, values in found.items()} == {"perceptron": 25, "svm": 28}
        for values in found.values():
            for name, rows in values.items():
                assert np.isfinite(rows).all(), name
                assert rows.shape == (2, 3)
        assert min(found["svm"]["hgd"][:, 1]) > 0.5

    def test_of_the_kernel_and_of_the_textbooks(self, grid, small):
        paper, textbook = (grid.run(("kernel",), small, reading)["kernel"] for reading in ("paper", "textbook"))
        assert len(paper) == len(textbook) == 24
        np.testing.assert_array_equal(paper["ogd"], textbook["ogd"])
        assert not np.array_equal(paper["oob"], textbook["oob"])

    def test_is_the_setting_of_the_paper(self, grid, small):
        whole = load("ecoli4", folder=real_data.FOLDER)
        order = np.random.default_rng(0).permutation(whole.n)
        model = StreamClassifier.paper("oob", "svm", ir=whole.ir, random_state=0)
        scores = model.learn(scale_columns(whole.X.astype(np.float64))[order], whole.y[order], classes=[0, 1])
        expected = balanced_accuracy(confusion(whole.y[order], (scores >= 0).astype(int)))
        assert grid.Job("svm", "oob", small[1], "paper").run()[0] == expected

    def test_of_the_smallest_sets_print_a_table_and_exit_with_0(self, grid, small, published, monkeypatch, capsys):
        monkeypatch.setattr(sys, "argv", ["grid.py", "--sets", "2", "--published", str(published)])
        assert grid.main() == 0
        told = capsys.readouterr().out
        assert "svm, reading=paper, 2 sets" in told
        assert "hgd" in told
        assert "MISSED" not in told


class TestPieces:
    def test_all_published_methods_are_there(self, grid):
        assert set(grid.defined("svm")) == set(methods.names()) - grid.BEYOND
        assert set(grid.defined("svm")) - set(grid.defined("perceptron")) == {"csogd_cost1", "csogd_sum1", "csrda1"}

    def test_ranks_share_ties_and_sets_without_a_value_are_left_out(self, grid):
        columns = {"a": [0.5, 0.4, 0.0], "b": [0.5, 0.8, 0.0], "c": [0.25, 0.2, 0.0]}
        values = {name: np.array(column)[:, np.newaxis] for name, column in columns.items()}
        summary = grid.Summary.of(values, 0)
        np.testing.assert_allclose(summary.ranks, [1.75, 1.25, 3.0])
        np.testing.assert_allclose(summary.of_best, [0.75, 1.0, 0.375])
        np.testing.assert_allclose(summary.means, [0.45, 0.65, 0.225])
        assert summary.left_out == 1

    @pytest.mark.parametrize("count", [2, 24, 25, 28])
    def test_mean_ranks_average_to_half_of_one_more_than_there_are_methods(self, grid, count):
        """Whatever the values, with ties and with sets that are left out."""
        rng = np.random.default_rng(count)
        values = {f"method {k}": rng.integers(0, 6, size=(61, 3)) / 5 for k in range(count)}
        values["method 0"][:4] = np.nan
        for metric in range(3):
            summary = grid.Summary.of(values, metric)
            assert summary.ranks.mean() == pytest.approx((count + 1) / 2, rel=1e-12)
            assert summary.left_out >= 4

    def test_published_rows_go_by_the_label_of_the_supplement(self, grid, published):
        found = grid.read_published(published)
        assert {name for _, _, name in found} == {"ogd", "csogd_cost1", "csogd_sum2", "oadab", "csrda4"}
        assert found["svm", "auc", "csogd_sum2"] == (pytest.approx(1 / 3), 3.0)

    def test_agreement_with_itself_is_1(self, grid, published):
        found = grid.read_published(published)
        names = ["ogd", "csogd_cost1", "csogd_sum2", "oadab", "csrda4"]
        order = np.arange(1.0, 6.0)
        own = grid.Summary(1 / order, 1 / order, order, 0)
        lines = grid.agreement("svm", names, dict.fromkeys(grid.METRICS, own), found)
        assert len(lines) == 7
        assert all(line.count("r = 1.000, off by 0.000") == 2 for line in lines[1:])
        assert "4 methods without csrda4" in lines[-1]

    def test_limits_are_those_of_whole_grids(self, grid):
        whole, kernel, part = (grid.cost(700.0, kernel=k, whole=w) for k, w in ((False, True), (True, True), (False, False)))
        assert [line.high for line in whole] == [100.0, None, None]
        assert [line.high for line in kernel] == [600.0, None, 4.0]
        assert not whole[0].ok
        assert not any(line.bounded for line in part)
