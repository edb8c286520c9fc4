"""Rows of any kind to what the core reads: dense blocks, CSR blocks, and named features as columns."""

from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from poise.errors import DataError

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Dense:
    """A block of rows as a 2-D array of f64 or f32, with column names if it had any."""

    X: NDArray[Any]
    names: tuple[str, ...] | None = None

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def width(self) -> int:
        """Number of columns."""
        return int(self.X.shape[1])


@dataclass(frozen=True)
class Sparse:
    """A block of rows in CSR form."""

    starts: NDArray[Any]
    columns: NDArray[Any]
    values: Floats
    width: int

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.starts) - 1


@dataclass(frozen=True)
class Named:
    """Rows of named features that are not all numbers, or not the same in each row: one dict per row."""

    records: list[dict[Any, Any]]

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.records)


Rows = Dense | Sparse | Named


def as_rows(X: Any) -> Rows:
    """Return any accepted input as rows; no copy of a 2-D f64 or f32 array.

    Examples
    --------
    >>> from poise.features import as_rows
    >>> as_rows([[1, 2], [3, 4]]).X.dtype
    dtype('float64')
    """
    if isinstance(X, np.ndarray):
        return Dense(_as_floats(X))
    if sp.issparse(X):
        return _from_sparse(X)
    if isinstance(X, dict):
        raise DataError("X is one dict, not a block of rows; use learn_one and predict_one, or a list of dicts.")
    if isinstance(X, list) and X and all(isinstance(row, dict) for row in X):
        return Named(X)
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return _from_frame(frame)
    return Dense(_as_floats(np.asarray(X)))


def canonical(block: Sparse) -> Sparse:
    """Return the block with sorted columns, entries of one column added up."""
    matrix = sp.csr_array((block.values.copy(), block.columns.copy(), block.starts.copy()), shape=(block.rows, block.width))
    matrix.has_canonical_format = False
    matrix.sum_duplicates()
    return Sparse(matrix.indptr, matrix.indices, matrix.data, block.width)


def _as_floats(X: NDArray[Any]) -> NDArray[Any]:
    if X.ndim != 2:
        raise DataError(
            f"Expected 2D array, got {'scalar' if X.ndim == 0 else f'{X.ndim}D'} array instead. Reshape your data with "
            "X.reshape(-1, 1) if it has a single column or X.reshape(1, -1) if it is a single row."
        )
    if X.dtype.kind in "biuf":
        kept = X.dtype in (np.float64, np.float32) and X.flags.aligned and all(s % X.itemsize == 0 for s in X.strides)
        return X if kept else np.array(X, dtype=np.float64)
    if X.dtype.kind == "c":
        raise DataError("Complex data not supported: X holds complex numbers; use their real and imaginary parts as columns.")
    if X.dtype.kind in "mM":
        raise DataError("X holds dates or durations; turn them into numbers, such as seconds, first.")
    return _objects_as_floats(X)


def _objects_as_floats(X: NDArray[Any]) -> NDArray[Any]:
    try:
        return X.astype(np.float64)
    except (TypeError, ValueError):
        pass
    for row, values in enumerate(X):
        for column, value in enumerate(values):
            try:
                float(value)
            except (TypeError, ValueError) as error:
                rule = "argument must be a string or a real number" if isinstance(error, TypeError) else "is no number"
                kind = TypeError if isinstance(error, TypeError) else DataError
                raise kind(
                    f"Row {row}, column {column} holds {value!r}: {rule}; pass text as a column of a table or as a dict."
                ) from None
    raise DataError("X cannot be read as numbers; pass an array of numbers, a table or dicts.")


def _from_sparse(X: Any) -> Sparse:
    if X.dtype.kind == "c":
        raise DataError("Complex data not supported: X holds complex numbers; use their real and imaginary parts as columns.")
    matrix = X.tocsr()
    index = np.int64 if np.int64 in (matrix.indptr.dtype, matrix.indices.dtype) else np.int32
    return Sparse(
        np.ascontiguousarray(matrix.indptr, dtype=index),
        np.ascontiguousarray(matrix.indices, dtype=index),
        np.ascontiguousarray(matrix.data, dtype=np.float64),
        int(matrix.shape[1]),
    )


def _is_number(dtype: Any) -> bool:
    return bool(dtype.is_numeric() or dtype == nw.Boolean)


def _from_frame(frame: nw.DataFrame[Any]) -> Rows:
    names = [str(name) if isinstance(name, str) else name for name in frame.columns]
    doubled = {name for name in names if names.count(name) > 1}
    if doubled:
        raise DataError(f"The table has several columns called {sorted(map(str, doubled))[0]!r}; rename or drop them.")
    dtypes = list(frame.schema.values())
    if all(_is_number(dtype) for dtype in dtypes):
        narrow = bool(dtypes) and all(dtype == nw.Float32 for dtype in dtypes)
        kept = tuple(names) if names and all(isinstance(name, str) for name in names) else None
        return Dense(_stacked(frame, np.float32 if narrow else np.float64), kept)
    for name, dtype in zip(names, dtypes, strict=True):
        if dtype.is_temporal():
            raise DataError(f"Column {name!r} holds dates or durations; turn it into numbers, such as seconds, first.")
        if dtype.is_nested():
            raise DataError(f"Column {name!r} holds lists or records; spread them over columns of numbers or text first.")
    columns = [frame.get_column(name).to_list() for name in frame.columns]
    return Named([dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)])


def _stacked(frame: nw.DataFrame[Any], dtype: type[np.floating[Any]]) -> NDArray[Any]:
    out = np.empty((len(frame), len(frame.columns)), dtype=dtype)
    for j, name in enumerate(frame.columns):
        column = frame.get_column(name)
        if column.null_count():
            column = column.cast(nw.Float64).fill_null(float("nan"))
        out[:, j] = column.to_numpy()
    return out
