"""The figure gives its numbers, draws one line for each method and labels it where it ends."""

import importlib
import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from poise.errors import DataError
from poise.figures import OverTime

ROWS = [1000, 2000, 3000]
METHODS = {"OGD": [0.0, np.nan, 0.4], "HGD": [0.7, 0.8, 0.82], "OOB": [0.6, 0.7, 0.81]}


@pytest.fixture
def ax():
    return Figure(figsize=(6.4, 3.6)).add_subplot()


def texts(ax):
    return {text.get_text(): text for text in ax.texts}


def line_of(ax, name):
    """The line of a method, found by its numbers."""
    return next(line for line in ax.lines if np.array_equal(line.get_ydata(), METHODS[name], equal_nan=True))


class TestFrame:
    def test_holds_the_rows_and_a_column_for_each_method(self):
        frame = OverTime(ROWS, METHODS).frame()
        assert list(frame) == ["rows", "OGD", "HGD", "OOB"]
        np.testing.assert_array_equal(frame["rows"], ROWS)
        np.testing.assert_array_equal(frame["OGD"], METHODS["OGD"])

    def test_changing_it_does_not_change_the_figure(self):
        values = np.array([0.1, 0.2, 0.3])
        figure = OverTime(ROWS, {"HGD": values})
        figure.frame()["HGD"][:] = 9.0
        np.testing.assert_array_equal(figure.frame()["HGD"], [0.1, 0.2, 0.3])


class TestPlot:
    def test_draws_the_numbers_of_the_frame(self, ax):
        figure = OverTime(ROWS, METHODS)
        figure.plot(ax)
        assert len(ax.lines) == len(METHODS)
        for name in METHODS:
            np.testing.assert_array_equal(line_of(ax, name).get_xdata(), ROWS)

    def test_draws_on_what_it_was_given_and_returns_it(self, ax):
        assert OverTime(ROWS, METHODS).plot(ax) is ax

    def test_makes_a_picture_of_its_own_otherwise(self):
        with mpl.rc_context({"backend": "agg"}):
            from matplotlib import pyplot as plt

            drawn = OverTime(ROWS, METHODS).plot()
            assert len(drawn.lines) == len(METHODS)
            plt.close(drawn.figure)

    def test_one_method_stands_out_and_the_others_are_thin_and_grey(self, ax):
        OverTime(ROWS, METHODS).plot(ax)
        loud = line_of(ax, "HGD")
        for name in ("OGD", "OOB"):
            quiet = line_of(ax, name)
            assert quiet.get_linewidth() < loud.get_linewidth()
            assert quiet.get_zorder() < loud.get_zorder()
            red, green, blue = mpl.colors.to_rgb(quiet.get_color())
            assert red == green == blue
        assert to_hex(loud.get_color()) == "#0072b2"

    def test_any_method_can_stand_out(self, ax):
        OverTime(ROWS, METHODS, highlight="OOB").plot(ax)
        assert line_of(ax, "OOB").get_linewidth() > line_of(ax, "HGD").get_linewidth()

    def test_grey_lines_differ_by_more_than_shade(self, ax):
        OverTime(ROWS, METHODS).plot(ax)
        assert line_of(ax, "OGD").get_linestyle() != line_of(ax, "OOB").get_linestyle()

    def test_every_line_carries_its_name_at_its_last_value(self, ax):
        OverTime(ROWS, METHODS | {"late": [0.2, 0.3, np.nan]}).plot(ax)
        assert set(texts(ax)) == {*METHODS, "late"}
        assert texts(ax)["HGD"].xy == (3000, 0.82)
        assert texts(ax)["late"].xy == (2000, 0.3)

    def test_a_method_without_any_value_has_no_label(self, ax):
        OverTime(ROWS, {"HGD": [0.1, 0.2, 0.3], "none": [np.nan] * 3}).plot(ax)
        assert set(texts(ax)) == {"HGD"}

    @pytest.mark.parametrize("count", [2, 8, 28])
    def test_labels_never_cover_each_other_nor_change_order(self, ax, count):
        rng = np.random.default_rng(count)
        ends = np.sort(0.8 + 0.01 * rng.random(count))
        OverTime([1], {f"m{k}": [end] for k, end in enumerate(ends)}).plot(ax)
        heights = [texts(ax)[f"m{k}"].get_position()[1] for k in range(count)]
        assert np.diff(heights).min() >= min(0.058, 1 / (count - 1)) - 1e-9
        assert heights[0] >= -1e-9
        assert heights[-1] <= 1 + 1e-9

    def test_labels_with_room_stay_at_their_lines(self, ax):
        OverTime([1], {"HGD": [0.8], "OGD": [0.2]}).plot(ax)
        assert [texts(ax)[name].get_position()[1] for name in ("HGD", "OGD")] == [0.8, 0.2]

    def test_events_are_marked_and_named(self, ax):
        OverTime(ROWS, METHODS, events={1500: "habits change"}).plot(ax)
        assert texts(ax)["habits change"].xy == (1500, 1.0)
        assert any(list(line.get_xdata()) == [1500, 1500] for line in ax.lines)

    def test_shares_are_drawn_from_0_to_1(self, ax):
        OverTime(ROWS, METHODS).plot(ax)
        assert ax.get_ylim() == (0.0, 1.0)

    def test_other_measures_find_their_own_range(self, ax):
        OverTime(ROWS, {"HGD": [0.5, 3.0, 7.0]}, measure="imbalance").plot(ax)
        assert ax.get_ylim()[1] > 7.0
        assert ax.get_ylabel() == "imbalance"


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_saving_twice_gives_the_same_bytes(tmp_path, ending):
    figure = OverTime(ROWS, METHODS, title="G-mean", events={1500: "habits change"})
    first = figure.save(tmp_path / f"first.{ending}")
    second = figure.save(str(tmp_path / f"second.{ending}"))
    assert first == tmp_path / f"first.{ending}"
    assert first.read_bytes() == second.read_bytes()
    assert first.stat().st_size > 2000
    # Within one second even a stored time would be the same.
    assert not any(date in first.read_bytes() for date in (b"CreationDate", b"dc:date"))


@pytest.mark.parametrize(
    ("rows", "methods", "message"),
    [
        ([], {"HGD": []}, "rows has the shape"),
        ([2, 1], {"HGD": [0.1, 0.2]}, "growing numbers"),
        ([1, 2], {}, "give at least one"),
        ([1, 2], {"rows": [0.1, 0.2]}, "none called 'rows'"),
        ([1, 2], {"HGD": [0.1]}, r"HGD has values of shape \(1,\) for 2 windows"),
    ],
)
def test_values_that_do_not_fit_are_refused(rows, methods, message):
    with pytest.raises(DataError, match=message):
        OverTime(rows, methods)


def test_without_matplotlib_the_error_says_what_to_run(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "poise.figures.over_time")
    with pytest.raises(ImportError, match="pip install matplotlib"):
        importlib.import_module("poise.figures.over_time")
