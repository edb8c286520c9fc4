"""How good each method was while the stream ran."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import isotonic_regression

from poise.errors import DataError

try:
    import matplotlib as mpl
    from matplotlib import pyplot as plt
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter, MaxNLocator
except ImportError as missing:
    raise ImportError("Figures are drawn by matplotlib, which is not installed: run `pip install matplotlib`.") from missing

_INCHES = (6.4, 3.6)
_HIGHLIGHT = "#0072B2"
_GREYS = ("#6b6b6b", "#9a9a9a")
_DASHES = ("solid", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.5, 1.2, 1.5)))
_LABEL_GAP = 0.058
"""The least distance between two labels, as a share of the height of the picture."""

# Without these a file would hold the time it was made.
_UNDATED = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}}


@dataclass(frozen=True)
class OverTime:
    """Several methods on one stream: the quality of each window, row after row.

    One method stands out; the others are thin and grey. Every line carries its name at its end. A
    window without a value (``nan``) leaves a gap.

    Parameters
    ----------
    rows
        How many rows had been seen at the end of each window, growing.
    methods
        For each method its value in every window.
    measure
        What the values are; it becomes the label of the vertical axis.
    highlight
        The method to stand out, when it is among them.
    events
        Things that happened in the stream: the row, and a few words.
    title
        One line above the picture.

    Examples
    --------
    >>> from poise.figures import OverTime
    >>> figure = OverTime([1000, 2000], {"HGD": [0.80, 0.84], "OGD": [0.0, 0.31]})
    >>> figure.frame()["HGD"]
    array([0.8 , 0.84])
    """

    rows: npt.ArrayLike
    methods: Mapping[str, npt.ArrayLike]
    measure: str = "G-mean"
    highlight: str = "HGD"
    events: Mapping[int, str] = field(default_factory=dict)
    title: str = ""

    def __post_init__(self) -> None:
        """Refuse values that do not belong to one row of windows."""
        rows = np.asarray(self.rows)
        if rows.ndim != 1 or not rows.size or not (np.diff(rows) > 0).all():
            raise DataError(f"rows has the shape {rows.shape}: give a list of growing numbers.")
        if not self.methods or "rows" in self.methods:
            raise DataError(f"The methods are {list(self.methods)}: give at least one, and none called 'rows'.")
        for name, values in self.methods.items():
            shape = np.shape(values)
            if shape != rows.shape:
                raise DataError(
                    f"{name} has values of shape {shape} for {rows.size} windows: give one value "
                    "for each window, nan where there is none."
                )

    def frame(self) -> dict[str, npt.NDArray[np.float64]]:
        """Give the numbers behind the picture: ``rows`` and then one column for each method.

        Returns
        -------
        Columns of equal length, ready for ``pandas.DataFrame`` or ``polars.DataFrame``.
        """
        columns = {"rows": self.rows, **self.methods}
        return {name: np.array(values, dtype=np.float64) for name, values in columns.items()}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the picture.

        Parameters
        ----------
        ax
            Where to draw; by default a new picture.

        Returns
        -------
        What was drawn on.
        """
        if ax is None:
            ax = plt.subplots(figsize=_INCHES, layout="constrained")[1]
        columns = self.frame()
        rows = columns.pop("rows")
        styles = self._styles()
        ends = {}
        for name, values in columns.items():
            ax.plot(rows, values, **styles[name])
            defined = np.flatnonzero(np.isfinite(values))
            if defined.size:
                ends[name] = (float(rows[defined[-1]]), float(values[defined[-1]]))
        self._finish_axes(ax, rows)
        self._label_lines(ax, ends, styles)
        return ax

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Draw the picture into a file; the same numbers give the same bytes.

        Parameters
        ----------
        path
            Where to; the ending says what kind: ``.png``, ``.svg`` or ``.pdf``.

        Returns
        -------
        The path of the file.
        """
        path = Path(path)
        # Without a fixed salt the parts of an .svg have names drawn at random.
        with mpl.rc_context({"svg.hashsalt": "poise"}):
            picture = Figure(figsize=_INCHES, layout="constrained")
            self.plot(picture.add_subplot())
            picture.savefig(path, dpi=200, metadata=_UNDATED.get(path.suffix.lower()))
        return path

    def _styles(self) -> dict[str, dict[str, Any]]:
        others = [name for name in self.methods if name != self.highlight]
        styles: dict[str, dict[str, Any]] = {
            name: {
                "color": _GREYS[k // len(_DASHES) % len(_GREYS)],
                "linestyle": _DASHES[k % len(_DASHES)],
                "linewidth": 1.0,
                "zorder": 2,
            }
            for k, name in enumerate(others)
        }
        styles[self.highlight] = {"color": _HIGHLIGHT, "linewidth": 2.4, "zorder": 3}
        return styles

    def _finish_axes(self, ax: Axes, rows: npt.NDArray[np.float64]) -> None:
        ax.set_xlim(0, rows[-1])
        shown = np.concatenate([line.get_ydata() for line in ax.lines])
        if ((shown >= 0) & (shown <= 1))[np.isfinite(shown)].all():
            ax.set_ylim(0, 1)
        ax.set_xlabel("rows seen", fontsize=9)
        ax.set_ylabel(self.measure, fontsize=9)
        ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        ax.xaxis.set_major_formatter(EngFormatter(sep=""))
        ax.tick_params(labelsize=8, color="#888888", labelcolor="#444444")
        ax.grid(axis="y", color="#e6e6e6", linewidth=0.6)
        ax.set_axisbelow(True)
        ax.spines[["top", "right"]].set_visible(False)
        ax.spines[["left", "bottom"]].set_color("#888888")
        for k, (row, words) in enumerate(sorted(self.events.items())):
            ax.axvline(row, color="#b0b0b0", linewidth=0.8, zorder=1)
            # Above the lines, and on two levels so that neighbours do not run into each other.
            ax.annotate(
                words,
                (row, 1.0),
                xytext=(0, 3 + 10 * (k % 2)),
                xycoords=("data", "axes fraction"),
                textcoords="offset points",
                ha="center",
                fontsize=7.5,
                color="#555555",
            )
        if self.title:
            levels = min(2, len(self.events))
            ax.set_title(self.title, fontsize=10, loc="left", pad=6 + 11 * levels)

    def _label_lines(self, ax: Axes, ends: dict[str, tuple[float, float]], styles: dict[str, dict[str, Any]]) -> None:
        low, high = ax.get_ylim()
        heights = _spread({name: (at - low) / (high - low) for name, (_, at) in ends.items()})
        for name, height in heights.items():
            ax.annotate(
                name,
                ends[name],
                xytext=(1.05, height),
                textcoords="axes fraction",
                va="center",
                fontsize=8.5,
                fontweight="bold" if name == self.highlight else "normal",
                color=_HIGHLIGHT if name == self.highlight else "#444444",
                arrowprops={
                    "arrowstyle": "-",
                    "linewidth": 0.6,
                    "color": styles[name]["color"],
                    "shrinkA": 1,
                    "shrinkB": 1,
                    "relpos": (0.0, 0.5),
                },
                annotation_clip=False,
            )


def _spread(heights: dict[str, float]) -> dict[str, float]:
    """Move labels apart by as little as can be, keeping their order and the picture's limits."""
    order = sorted(heights, key=lambda name: heights[name])
    gap = min(_LABEL_GAP, 1.0 / max(1, len(order) - 1))
    steps = gap * np.arange(len(order))
    wished = np.array([heights[name] for name in order])
    # Less the steps, "at least one gap apart" reads "not falling", which has an exact solution.
    placed = isotonic_regression(wished - steps).x if order else wished
    placed = np.clip(placed, 0.0, 1.0 - steps[-1:].sum()) + steps
    return dict(zip(order, placed.tolist(), strict=True))
