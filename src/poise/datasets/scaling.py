"""Bring every column of a whole data set to the length 1."""

from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt
import scipy.sparse

from poise.errors import DataError

_SHORTEST_NORM = 1e-14
_BLOCK_ROWS = 4096

Columns = TypeVar("Columns")
"""A table of numbers: a numpy array, or any scipy sparse matrix or array."""

_Floats: TypeAlias = npt.NDArray[np.floating]
# One sparse kind stands for all of them: what is used here, they all have.
_Sparse: TypeAlias = "scipy.sparse.csr_array[Any]"


def scale_columns(X: Columns) -> Columns:
    """Divide each column by its Euclidean length over all rows.

    This is the column step of the published experiments. It looks at the whole data set first, so
    it does not suit a stream: use it to repeat published tables. Squares are summed in double
    precision. A column shorter than 1e-14 is divided by 1e-14; a column of zeros stays as it is.

    Parameters
    ----------
    X
        Rows as a numpy array or a scipy sparse matrix; it is not changed.

    Returns
    -------
    A new table of the same kind: float32 for float32, float64 for every other type of number.

    Examples
    --------
    >>> import numpy as np
    >>> from poise.datasets import scale_columns
    >>> scale_columns(np.array([[3.0, 0.0], [4.0, 2.0]]))
    array([[0.6, 0. ],
           [0.8, 1. ]])
    """
    sparse = scipy.sparse.issparse(X)
    table: Any = X if sparse else np.asarray(X)
    if table.ndim != 2 or table.dtype.kind not in "fiub":
        raise DataError(
            f"X has the shape {table.shape} and the type {table.dtype}: give a table of numbers with one row for each example."
        )
    return cast("Columns", _scale_sparse(table) if sparse else _scale_dense(table))


def _scale_dense(X: _Floats) -> _Floats:
    squares = np.zeros(X.shape[1])
    # By blocks: a double copy of all of a float32 table would take twice its memory.
    for start in range(0, len(X), _BLOCK_ROWS):
        squares += _square(X[start : start + _BLOCK_ROWS]).sum(axis=0)
    scaled = np.empty(X.shape, dtype=_kept_type(X.dtype))
    return np.divide(X, _norms(squares), out=scaled, casting="same_kind")


def _scale_sparse(X: _Sparse) -> _Sparse:
    rows = X.tocsr(copy=True)
    rows.sum_duplicates()
    squares: npt.NDArray[np.float64] = np.zeros(rows.shape[1])
    np.add.at(squares, rows.indices, _square(rows.data))
    lengths = _norms(squares)[rows.indices]
    rows.data = np.divide(rows.data, lengths).astype(_kept_type(rows.dtype))
    return rows.asformat(X.format)


def _square(values: _Floats) -> npt.NDArray[np.float64]:
    # A square beyond the largest number is refused below, with the name of its column.
    with np.errstate(over="ignore"):
        return np.square(values, dtype=np.float64)


def _norms(squares: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    broken = np.flatnonzero(~np.isfinite(squares))
    if broken.size:
        raise DataError(
            f"Column {broken[0]} has a sum of squares of {squares[broken[0]]}: replace values "
            "that are missing, infinite or above 1e150 before scaling."
        )
    return np.maximum(np.sqrt(squares), _SHORTEST_NORM)


def _kept_type(given: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(np.float32 if given == np.float32 else np.float64)
