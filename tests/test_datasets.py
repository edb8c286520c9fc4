"""The table of data sets, reading them, and the scaling of columns."""

import math
import os
import pickle
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from poise.datasets import describe, load, names, scale_columns, schedules
from poise.errors import DataError

SHARED = Path(__file__).parents[2] / "shared" / "datasets"
FOLDER = Path(os.environ.get("POISE_DATA") or SHARED)
NO_COPY = ("equity", "BNG", "MiniBooNE")
COPIES = [name for name in names() if name not in NO_COPY]
PARTS = ("jannis", "higgs")


class TestTable:
    def test_has_the_72_sets_in_order(self):
        assert [describe(name).number for name in names()] == [f"D{k}" for k in range(1, 73)]

    def test_imbalance_grows_down_the_table(self):
        ratios = [describe(name).ir for name in names()]
        assert ratios == sorted(ratios)

    @pytest.mark.parametrize("name", names())
    def test_the_group_follows_from_the_imbalance(self, name):
        found = describe(name)
        limits = {"E": (1, 1), "L": (1.01, 2), "M": (2.01, 10), "H": (10.01, math.inf)}
        low, high = limits[found.group]
        assert low <= found.ir <= high

    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            ("phonem", "'phonem': did you mean phoneme"),
            ("A9A", "'A9A': did you mean a9a"),
            ("no such set", r"names\(\) lists them"),
        ],
    )
    def test_an_unknown_name_is_refused_with_near_ones(self, wrong, message):
        with pytest.raises(DataError, match=message):
            describe(wrong)


def pools(name):
    """Rows of the smaller, positive class and of the other one, as published."""
    positives = round(describe(name).n / (1 + describe(name).ir))
    return positives, describe(name).n - positives


every_schedule = pytest.mark.parametrize("schedule", schedules(), ids=lambda schedule: f"{schedule.dataset} {schedule.kind}")


class TestSchedules:
    def test_are_24_of_8_sets_each_in_three_kinds(self):
        found = [(schedule.dataset, schedule.kind) for schedule in schedules()]
        sets = ["a8a", "Click", "MagicTelescope", "phoneme", "Satellite", "steel-plates-fault", "pol", "mushroom"]
        assert found == [(name, kind) for name in sets for kind in ("increase", "decrease", "gradual")]

    @every_schedule
    def test_take_no_more_rows_of_a_class_than_there_are(self, schedule):
        """Rows are drawn without replacement over the whole stream."""
        positives, negatives = pools(schedule.dataset)
        assert 0 < schedule.expected_positives <= positives
        assert 0 < schedule.length - schedule.expected_positives <= negatives

    @every_schedule
    def test_move_the_ratio_as_their_kind_says(self, schedule):
        ends = [phase.ir or [(phase.length - phase.positives) / phase.positives] for phase in schedule.phases]
        ratios = [ratio for pair in ends for ratio in pair]
        assert all(1.0 <= ratio <= 100.0 for ratio in ratios)
        if schedule.kind == "gradual":
            assert all(phase.positives is None for phase in schedule.phases)
            assert [end[1] for end in ends[:-1]] == [end[0] for end in ends[1:]]  # without a jump
        else:
            assert ratios == sorted(set(ratios), reverse=schedule.kind == "decrease")

    @pytest.mark.parametrize("name", ["MagicTelescope", "phoneme", "Satellite", "pol"])
    def test_keep_the_negatives_of_each_phase_as_printed(self, name):
        counts = {
            phase.length - phase.positives for s in schedules() if s.dataset == name for phase in s.phases if phase.positives
        }
        assert counts == {{"MagicTelescope": 2000, "phoneme": 500, "Satellite": 1000, "pol": 2000}[name]}

    def test_expect_what_the_integral_of_the_share_gives(self):
        """Over a long phase from a to b: log((1 + b) / (1 + a)) / (b - a) of the rows."""
        for schedule in schedules():
            for phase in schedule.phases:
                if phase.ir:
                    a, b = phase.ir
                    expected = phase.length * math.log((1 + b) / (1 + a)) / (b - a)
                    assert phase.expected_positives == pytest.approx(expected, abs=0.5)


@pytest.mark.parametrize("name", COPIES)
def test_every_copy_is_what_the_table_says(name):
    if not (FOLDER / f"{name}.npz").is_file():
        pytest.skip(f"{name}.npz is not in {FOLDER}: set POISE_DATA to the folder that holds it")
    data, published = load(name, folder=FOLDER), describe(name)
    assert data.X.shape == (data.n, data.d) == (len(data.y), published.d)
    assert data.X.flags.c_contiguous
    assert data.X.dtype in (np.float32, np.float64)
    assert np.isfinite(data.X).all()
    assert set(np.unique(data.y)) == {0, 1}
    assert data.ir == pytest.approx(published.ir, abs=0.00501)
    assert data.ir == np.sum(data.y == 0) / np.sum(data.y == 1) >= 1
    if name in PARTS:
        assert f"partial copy: {data.n} of the {published.n} rows" in published.notes
    else:
        assert data.n == published.n


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_in_blocks_of_one_class_says_so(name):
    if not (FOLDER / f"{name}.npz").is_file():
        pytest.skip(f"{name}.npz is not in {FOLDER}: set POISE_DATA to the folder that holds it")
    y = load(name, folder=FOLDER).y
    runs = 1 + np.count_nonzero(np.diff(y))
    expected_if_shuffled = 1 + 2 * np.sum(y == 1) * np.sum(y == 0) / len(y)
    in_blocks = "blocks of one class" in describe(name).notes
    assert in_blocks == (runs < 0.6 * expected_if_shuffled)


@pytest.mark.parametrize("name", NO_COPY)
def test_sets_without_a_copy_say_so(name):
    assert describe(name).notes == "no copy known"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with one small set in it, and no other place to look."""
    monkeypatch.delenv("POISE_DATA", raising=False)
    stored = np.asfortranarray([[1, 2], [3, 4], [5, 6]], dtype=np.uint8)
    np.savez(tmp_path / "stock.npz", X=stored, y=np.array([-1, 1, -1], dtype=np.int8))
    return tmp_path


class TestLoading:
    def test_gives_rows_labels_and_what_is_known(self, folder):
        data = load("stock", folder=folder)
        np.testing.assert_array_equal(data.X, [[1, 2], [3, 4], [5, 6]])
        np.testing.assert_array_equal(data.y, [0, 1, 0])
        assert (data.name, data.n, data.d, data.ir) == ("stock", 3, 2, 2.0)
        assert data.published == describe("stock")

    @pytest.mark.parametrize(("stored", "given"), [("u1", "f4"), ("i8", "f4"), ("f4", "f4"), ("f8", "f8")])
    def test_keeps_floats_and_turns_whole_numbers_into_floats(self, folder, stored, given):
        np.savez(folder / "bank.npz", X=np.eye(2, dtype=stored), y=[-1, 1])
        assert load("bank", folder=folder).X.dtype == np.dtype(given)

    def test_looks_where_the_environment_says(self, folder, monkeypatch):
        monkeypatch.setenv("POISE_DATA", str(folder))
        assert load("stock").n == 3

    def test_the_named_folder_comes_before_the_environment(self, folder, tmp_path, monkeypatch):
        other = tmp_path / "other"
        other.mkdir()
        np.savez(other / "stock.npz", X=np.eye(2), y=[-1, 1])
        monkeypatch.setenv("POISE_DATA", str(other))
        assert load("stock", folder=folder).n == 3

    def test_a_missing_file_names_the_folders_and_the_remedy(self, folder, tmp_path, monkeypatch):
        monkeypatch.setenv("POISE_DATA", str(tmp_path / "second"))
        with pytest.raises(DataError) as refused:
            load("bank", folder=folder)
        for part in ("bank.npz", str(folder), str(tmp_path / "second"), "POISE_DATA", "folder="):
            assert part in str(refused.value)

    def test_without_any_folder_it_says_how_to_name_one(self, folder):
        with pytest.raises(DataError, match=r"none was named\): set .* POISE_DATA"):
            load("stock")

    def test_a_name_cannot_lead_out_of_the_folder(self, folder):
        with pytest.raises(DataError, match="No data set is called"):
            load("../stock", folder=folder / "inner")


class Fuse:
    """Something that leaves a mark when it is unpickled."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return (Path.touch, (self.mark,))


class TestBrokenFiles:
    @pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut short", b"plain text"])
    def test_a_file_that_is_no_archive_is_refused(self, folder, content):
        (folder / "bank.npz").write_bytes(content)
        with pytest.raises(DataError, match=r"bank\.npz is not a readable file"):
            load("bank", folder=folder)

    def test_a_single_array_is_refused(self, folder):
        with (folder / "bank.npz").open("wb") as file:
            np.save(file, np.eye(2))
        with pytest.raises(DataError, match=r"bank\.npz is not a readable file"):
            load("bank", folder=folder)

    def test_a_file_cut_short_is_refused(self, folder):
        whole = (folder / "stock.npz").read_bytes()
        for length in range(0, len(whole), 50):
            (folder / "bank.npz").write_bytes(whole[:length])
            with pytest.raises(DataError, match=r"bank\.npz is not a readable file"):
                load("bank", folder=folder)

    @pytest.mark.parametrize(
        "stored",
        [
            {"X": np.zeros(3), "y": np.zeros(3)},
            {"X": np.zeros((3, 1)), "y": np.zeros(2)},
            {"X": np.array([["a"], ["b"]]), "y": np.zeros(2)},
        ],
    )
    def test_arrays_that_are_no_table_are_refused(self, folder, stored):
        np.savez(folder / "bank.npz", **stored)
        with pytest.raises(DataError, match="must be a table of numbers"):
            load("bank", folder=folder)

    def test_missing_labels_are_refused(self, folder):
        np.savez(folder / "bank.npz", X=np.eye(2))
        with pytest.raises(DataError, match="with the arrays X and y"):
            load("bank", folder=folder)

    def test_one_class_only_is_refused(self, folder):
        np.savez(folder / "bank.npz", X=np.eye(2), y=[1, 1])
        with pytest.raises(DataError, match="rows of one class only"):
            load("bank", folder=folder)

    @pytest.mark.parametrize("form", ["pickle", "array of objects"])
    def test_nothing_in_a_file_is_ever_run(self, folder, form):
        mark, path = folder / "was run", folder / "bank.npz"
        if form == "pickle":
            path.write_bytes(pickle.dumps(Fuse(mark)))
        else:
            np.savez(path, X=np.array([[Fuse(mark)]], dtype=object), y=[1])
        with pytest.raises(DataError, match="not a readable file"):
            load("bank", folder=folder)
        assert not mark.exists()


KINDS = {
    "array": np.asarray,
    "fortran array": np.asfortranarray,
    "csr array": scipy.sparse.csr_array,
    "csc array": scipy.sparse.csc_array,
    "coo array": scipy.sparse.coo_array,
    "csr matrix": scipy.sparse.csr_matrix,
}


def dense(X):
    return X.toarray() if scipy.sparse.issparse(X) else X


@pytest.mark.parametrize("kind", KINDS)
class TestScalingColumns:
    def test_every_column_gets_the_length_one(self, kind):
        X = np.random.default_rng(0).normal(size=(9000, 3)) * [1e-3, 1.0, 1e6]
        scaled = dense(scale_columns(KINDS[kind](X)))
        np.testing.assert_allclose(np.linalg.norm(scaled, axis=0), 1.0, rtol=1e-12)
        np.testing.assert_allclose(scaled, X / np.linalg.norm(X, axis=0), rtol=1e-12)

    def test_zeros_stay_zero_and_tiny_columns_are_not_blown_up(self, kind):
        X = np.array([[0.0, 1e-20, 3.0], [0.0, 0.0, 4.0]])
        expected = [[0.0, 1e-6, 0.6], [0.0, 0.0, 0.8]]
        np.testing.assert_allclose(dense(scale_columns(KINDS[kind](X))), expected, rtol=1e-12)

    def test_float32_squares_do_not_overflow(self, kind):
        X = np.array([[3e30], [4e30]], dtype=np.float32)
        scaled = scale_columns(KINDS[kind](X))
        assert scaled.dtype == np.float32
        np.testing.assert_allclose(dense(scaled), [[0.6], [0.8]], rtol=1e-6)

    @pytest.mark.parametrize(("given_type", "result"), [("f4", "f4"), ("f8", "f8"), ("u1", "f8"), ("i8", "f8")])
    def test_type_of_the_result(self, kind, given_type, result):
        X = KINDS[kind](np.array([[3, 1], [4, 0]], dtype=given_type))
        assert scale_columns(X).dtype == np.dtype(result)

    def test_kind_of_the_result_and_the_input_stay_the_same(self, kind):
        X = KINDS[kind](np.array([[3.0, 1.0], [4.0, 0.0]]))
        before = X.copy()
        scaled = scale_columns(X)
        assert type(scaled) is type(X)
        np.testing.assert_array_equal(dense(X), dense(before))

    @pytest.mark.parametrize("value", [math.nan, math.inf, 1e200])
    def test_a_value_without_a_finite_square_is_refused_by_column(self, kind, value):
        X = KINDS[kind](np.array([[1.0, 2.0], [1.0, value]]))
        with pytest.raises(DataError, match="Column 1 has a sum of squares of"):
            scale_columns(X)


def test_entries_given_twice_in_a_sparse_matrix_are_added_first():
    twice = scipy.sparse.csr_array(([1.0, 2.0, 4.0], [0, 0, 0], [0, 2, 3]), shape=(2, 1))
    np.testing.assert_allclose(scale_columns(twice).toarray(), [[0.6], [0.8]])


@given(arrays(np.float64, (5, 3), elements=st.floats(-1e6, 1e6).filter(lambda v: abs(v) > 1e-3)))
def test_scaling_twice_is_scaling_once(X):
    once = scale_columns(X)
    np.testing.assert_allclose(scale_columns(once), once, rtol=1e-12)


@pytest.mark.parametrize("wrong", [np.zeros(3), np.array([["a"]]), np.zeros((2, 2, 2))])
def test_what_is_no_table_of_numbers_is_refused(wrong):
    with pytest.raises(DataError, match="give a table of numbers"):
        scale_columns(wrong)
