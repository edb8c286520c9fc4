"""The quality benchmark in small: the figures it prints, and the pieces they stand on."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

import real_data
from poise import HGDClassifier, StreamClassifier

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
FEW = ("credit", "phoneme", "spambase", "yeast3", "pageblocks0", "HTRU2", "yeast6")


@pytest.fixture
def part(monkeypatch):
    """Import a file of the benchmarks folder by its name."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module


@pytest.fixture
def sets(part):
    return part("quality_sets")


@pytest.fixture
def figures(part):
    return part("quality_figures")


def attained(sets, make):
    """Means over the few sets: AUC by scores, G-mean and F1."""
    found = []
    for name in FEW:
        real_data.require(name)
        stream = sets.shuffled(sets.stored(name), 0)
        run = sets.measure(stream.y, make().learn(stream.X, stream.y))
        found.append((run.auc, run.gmean, run.f1))
    return np.mean(found, axis=0)


class TestMeans:
    def test_of_the_practical_setting(self, sets):
        np.testing.assert_allclose(attained(sets, HGDClassifier), [0.910, 0.843, 0.630], atol=0.003)

    def test_of_plain_gradient_descent(self, sets):
        np.testing.assert_allclose(attained(sets, lambda: StreamClassifier("ogd")), [0.900, 0.628, 0.579], atol=0.003)

    def test_of_the_61_sets_are_held_to_floors_in_the_benchmark(self, part):
        quality = part("quality")
        assert quality.FLOORS == {"auc": 0.875, "gmean": 0.807, "f1": 0.600}


class TestFigures:
    def test_the_published_result_on_a8a_is_repeated(self, figures):
        real_data.require("a8a")
        lines = figures.anchor(permutations=2)
        assert [line.name.split(",")[0] for line in lines] == ["a8a auc_hard", "a8a G-mean", "a8a F1"]
        assert all(line.ok for line in lines)

    def test_a_late_class_is_learned_with_a_largest_weight_and_lost_without(self, figures):
        for name in figures.LATE:
            real_data.require(name)
        lines = figures.late(seeds=2)
        assert all(line.ok for line in lines)
        got = np.array([line.got for line in lines]).reshape(3, 4)  # all rows, without; later rows, without
        np.testing.assert_allclose(got[:, 0], [0.87, 0.93, 0.88], atol=0.01)
        assert got[0, 3] < 0.51
        assert (got[:, 0] > got[:, 1] + 0.05).all()
        assert (got[:, 2] > got[:, 3] + 0.1).all()

    def test_one_row_of_1e9_costs_no_more_than_a_point(self, figures):
        names = ("MagicTelescope", "HTRU2")
        for name in names:
            real_data.require(name)
        lines = figures.absurd(names, seeds=2)
        assert all(line.ok for line in lines)
        assert sum(line.bounded for line in lines) == 5

    def test_a_row_of_1e9_counts_as_one_at_five_deviations(self, figures):
        absurd, plain = figures.absurd_loss(figures.simulated(0), 1)
        assert absurd == pytest.approx(plain, abs=0.001)

    def test_memory_stands_still(self, figures):
        if not Path("/proc/self/statm").is_file():
            pytest.skip("this system does not tell the memory of a process in /proc/self/statm")
        (line,) = figures.memory(rows=1_000_000)
        assert line.ok


class TestPieces:
    def test_a_line_tells_its_bound_and_whether_it_is_met(self, figures):
        assert str(figures.Line("recall", 0.5, low=0.6)).split() == ["recall", "0.5000", ">=", "0.6", "MISSED"]
        assert str(figures.Line("loss", 0.5, high=0.6)).split() == ["loss", "0.5000", "<=", "0.6", "ok"]
        assert str(figures.Line("beside", 0.5)).split() == ["beside", "0.5000"]

    def test_half_the_negatives_lead_and_every_row_comes_once(self, figures):
        y = (np.arange(100) % 5 == 0).astype(np.int64)
        order, lead = figures.late_order(y, 0)
        assert lead == 40
        assert not y[order[:lead]].any()
        np.testing.assert_array_equal(np.sort(order), np.arange(100))

    def test_ranks_are_of_sets_that_all_methods_ran_on(self, part):
        quality, peers = part("quality"), part("quality_peers")
        results = [
            peers.Result("a", "one", 10, 0.9, 0.8, 0.7, 1e-3),
            peers.Result("b", "one", 10, 0.8, 0.8, 0.9, 1e-3),
            peers.Result("a", "two", 10, 0.1, 0.1, 0.1, 1e-3),
        ]
        head, first, second = quality.table(results)
        assert head.startswith("1 sets")
        assert first.split() == ["a", "0.900", "0.800", "0.700", "1.00", "1.50", "2.00", "100.0"]
        assert second.split() == ["b", "0.800", "0.800", "0.900", "2.00", "1.50", "1.00", "100.0"]


class TestPeers:
    @pytest.mark.parametrize(
        ("peer", "module"),
        [
            ("scikit-learn SGD", "sklearn"),
            ("scikit-learn SGD, step 0.01", "sklearn"),
            ("river", "river"),
            ("Vowpal Wabbit", "vowpalwabbit"),
        ],
    )
    def test_learns_and_scores_before_it_learns(self, part, figures, sets, peer, module):
        pytest.importorskip(module)
        stream = figures.simulated(0, rows=300, d=3, imbalance=2)
        given = part("quality_peers").scores(peer, stream)
        assert given[0] == 0
        assert sets.measure(stream.y[100:], given[100:]).auc > 0.8

    def test_finished_runs_are_taken_from_the_file(self, part, tmp_path, monkeypatch):
        peers, out = part("quality_peers"), tmp_path / "peers.jsonl"
        kept = peers.Result("scikit-learn SGD (0)", "nowhere", 7, 0.5, 0.5, 0.5, 1.0)
        out.write_text('{"method": "cut o', encoding="utf-8")
        peers._keep(out, kept)
        monkeypatch.setattr(peers, "installed", lambda: ({"scikit-learn SGD": kept.method}, ["river left out"]))
        assert peers.run({"nowhere": 7}, out, jobs=1) == ([kept], ["river left out"])
        assert out.read_text(encoding="utf-8").count("\n") == 2


def test_a_missing_folder_is_named(part, monkeypatch, tmp_path):
    monkeypatch.setenv("POISE_DATA", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["quality.py", "--late"])
    with pytest.raises(SystemExit, match="a9a, HTRU2, mammography"):
        part("quality").main()
