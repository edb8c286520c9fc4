"""The table of data sets, and reading a set from a folder of ``.npz`` files."""

import csv
import difflib
import os
import zipfile
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.utils import Bunch

from poise.errors import DataError

_FOLDER_VARIABLE = "POISE_DATA"


@dataclass(frozen=True, slots=True)
class DataSet:
    """What the published tables say about one data set.

    Parameters
    ----------
    number
        Its number there: D1 to D72, in the order of growing imbalance.
    name
        Its name there, and the name to load it by.
    n
        How many rows it has.
    d
        How many columns it has.
    ir
        Rows of the larger class for each row of the smaller one, to two decimals.
    group
        How imbalanced it is: "E" equal, "L" low (to 2), "M" medium (to 10), "H" high.
    notes
        Where the copy that is to be had differs, and what to beware of.

    Examples
    --------
    >>> from poise.datasets import describe
    >>> describe("a9a")
    DataSet(number='D41', name='a9a', n=48842, d=123, ir=3.18, group='M', notes='')
    """

    number: str
    name: str
    n: int
    d: int
    ir: float
    group: str
    notes: str


def names() -> list[str]:
    """List the names of all 72 data sets, from the most even to the most imbalanced.

    Examples
    --------
    >>> from poise.datasets import names
    >>> len(names()), names()[-1]
    (72, 'pc2')
    """
    return list(_table())


def describe(name: str) -> DataSet:
    """Say what is published about a data set, without reading it.

    Parameters
    ----------
    name
        One of `names()`.

    Examples
    --------
    >>> from poise.datasets import describe
    >>> describe("mammography").ir
    42.01
    """
    table = _table()
    if name not in table:
        spelling = {known.lower(): known for known in table}
        near = difflib.get_close_matches(str(name).lower(), list(spelling), n=3)
        meant = " or ".join(spelling[found] for found in near)
        remedy = f"did you mean {meant}?" if near else "poise.datasets.names() lists them."
        raise DataError(f"No data set is called {name!r}: {remedy}")
    return table[name]


def load(name: str, *, folder: str | os.PathLike[str] | None = None) -> Bunch:
    """Read a data set as it is stored: rows in file order, columns unscaled.

    The file ``<name>.npz`` is looked for in `folder`, then in the folder that the environment
    variable ``POISE_DATA`` names. About half of the sets are stored in blocks of one class (their
    notes say so): shuffle the rows before you stream them.

    Parameters
    ----------
    name
        One of `names()`.
    folder
        Where the files are.

    Returns
    -------
    X (float32 or float64), y (1 for the smaller, positive class, 0 for the other), name, n, d and
    ir as counted in this copy, and ``published``, what is published about it (a `DataSet`).

    Examples
    --------
    >>> from poise.datasets import load
    >>> phoneme = load("phoneme")  # doctest: +SKIP
    >>> phoneme.X.shape, round(phoneme.ir, 2)  # doctest: +SKIP
    ((5404, 5), 2.41)
    """
    published = describe(name)
    path = _find(name, folder)
    X, labels = _read(path)
    y = (labels > 0).astype(np.int64)
    n_pos = int(y.sum())
    if not 0 < n_pos < y.size:
        raise DataError(f"{path} holds rows of one class only: get the file anew.")
    n, d = X.shape
    return Bunch(X=X, y=y, name=name, n=n, d=d, ir=(n - n_pos) / n_pos, published=published)


@cache
def _table() -> dict[str, DataSet]:
    text = files(__package__).joinpath("table.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return {
        row["name"]: DataSet(
            number=row["number"],
            name=row["name"],
            n=int(row["n"]),
            d=int(row["d"]),
            ir=float(row["ir"]),
            group=row["group"],
            notes=row["notes"],
        )
        for row in rows
    }


def _find(name: str, folder: str | os.PathLike[str] | None) -> Path:
    given = [folder, os.environ.get(_FOLDER_VARIABLE)]
    folders = [Path(place) for place in given if place]
    for place in folders:
        path = place / f"{name}.npz"
        if path.is_file():
            return path
    looked = " and ".join(str(place) for place in folders) or "no folder, since none was named"
    raise DataError(
        f"{name}.npz was not found (looked in {looked}): set the environment variable "
        f"{_FOLDER_VARIABLE} to the folder that holds it, or pass folder=."
    )


def _read(path: Path) -> tuple[npt.NDArray[np.floating], npt.NDArray[np.integer]]:
    try:
        # Without pickle a file can hold numbers only, so reading it can run nothing.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            X, y = stored["X"], stored["y"]
    except (OSError, ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile) as cause:
        raise DataError(f"{path} is not a readable file with the arrays X and y ({cause}): get it anew.") from cause
    if X.ndim != 2 or y.shape != X.shape[:1] or X.dtype.kind not in "fiub":
        raise DataError(
            f"{path} holds X of shape {X.shape} and type {X.dtype} with y of shape {y.shape}: X "
            "must be a table of numbers and y one label for each row; get the file anew."
        )
    kept = X.dtype if X.dtype in (np.float32, np.float64) else np.float32
    return np.ascontiguousarray(X, dtype=kept), y
