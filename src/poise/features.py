"""Rows of any kind to what the core reads: dense blocks, CSR blocks, and named features as columns."""

import math
import re
import reprlib
from collections.abc import Mapping, Set, Sized
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from poise.errors import DataError, KindError
from poise.labels import as_objects, with_gaps

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
    #: The dicts the rows came from, if they did.
    records: list[dict[Any, Any]] | None = None

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.starts) - 1


@dataclass(frozen=True)
class Named:
    """Rows of named features that are not all numbers, or not the same in each row: one dict per row."""

    records: list[dict[Any, Any]]
    #: Column names, when the rows came as a table.
    table: tuple[Any, ...] | None = None

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
    if type(X) is np.ndarray:
        return Dense(as_floats(X))
    if sp.issparse(X):
        return _from_sparse(X)
    if isinstance(X, dict):
        raise DataError("X is one dict, not a block of rows; use learn_one and predict_one, or a list of dicts.")
    if isinstance(X, (list, tuple)) and X and isinstance(X[0], dict):
        for row, record in enumerate(X):
            if not isinstance(record, dict):
                raise DataError(f"Row {row} is a {type(record).__name__} where row 0 is a dict; pass a dict for every row.")
        return Named([record if type(record) is dict else dict(record) for record in X])
    try:
        frame = nw.from_native(X, eager_only=True, pass_through=True)
    except DuplicateError as error:
        name = re.search(r"'(.*)' \d+ times", str(error))
        raise DataError(f"The table has several columns called {name[1] if name else '?'!r}; rename or drop them.") from None
    if not isinstance(frame, nw.DataFrame) and hasattr(X, "__arrow_c_stream__") and hasattr(X, "schema"):
        frame = nw.from_arrow(X, backend="pyarrow")  # a batch of Arrow rows
    if isinstance(frame, nw.DataFrame):
        return _from_frame(frame)
    return Dense(as_floats(as_array(X)))


def canonical(block: Sparse) -> Sparse:
    """Return the block with sorted columns, entries of one column added up."""
    matrix = sp.csr_array((block.values.copy(), block.columns.copy(), block.starts.copy()), shape=(block.rows, block.width))
    matrix.has_canonical_format = False
    matrix.sum_duplicates()
    return Sparse(matrix.indptr, matrix.indices, matrix.data, block.width)


def as_array(X: Any) -> NDArray[Any]:
    """Return anything as an array: masked values as NaN, lists that hold text or unequal lists as objects."""
    if isinstance(X, np.ma.MaskedArray):
        if X.dtype.kind in "cmM":
            return np.asarray(X.data)
        if X.dtype.kind not in "biuf":
            return with_gaps(X)
        numbers = np.array(as_doubles(X.data))
        numbers[np.ma.getmaskarray(X)] = np.nan
        return numbers
    try:
        array = np.asarray(X)
        return np.asarray(X, dtype=object) if array.dtype.kind in "US" and isinstance(X, (list, tuple)) else array
    except ValueError:
        rows = as_objects(X)
    lengths = {_length(row) for row in rows}
    if len(lengths) > 1 or -1 in lengths:
        return rows
    cells = np.empty((len(rows), *lengths), dtype=object)  # a list inside of a cell
    for i, row in enumerate(rows):
        cells[i] = as_objects(row)
    return cells


def _length(row: Any) -> int:
    """Return the number of values of a row, -1 for what is no row."""
    if isinstance(row, (str, bytes, Mapping, Set)) or not isinstance(row, Sized) or getattr(row, "ndim", 1) == 0:
        return -1
    return len(row)


def _wrong_shape(X: NDArray[Any]) -> DataError:
    """Return the error for what is not a table of numbers."""
    if X.ndim == 0:
        told = f"Expected 2D array, got {type(X.item()).__name__} instead"
        return DataError(f"{told}: pass an array, a sparse matrix, a table in memory or a list of dicts.")
    lengths = [_length(row) for row in (X if X.dtype == object else ())]
    if X.ndim == 1 and max(lengths, default=-1) >= 0:
        row = lengths.index(-1) if -1 in lengths else next(i for i, length in enumerate(lengths) if length != lengths[0])
        told = "is no list of values" if lengths[row] < 0 else f"has {lengths[row]} values where row 0 has {lengths[0]}"
        return DataError(f"Row {row} {told}; give every row the same columns, or pass dicts.")
    remedy = "X.reshape(-1, 1) if it has a single column or X.reshape(1, -1) if it is a single row"
    if X.ndim > 2:
        remedy = "X.reshape(len(X), -1), so that there is one row per example"
    return DataError(f"Expected 2D array, got {X.ndim}D array instead: Reshape your data with {remedy}.")


def as_floats(X: NDArray[Any]) -> NDArray[Any]:
    """Return a 2-D array as the core reads it: f64 or f32, aligned."""
    if X.ndim != 2:
        raise _wrong_shape(X)
    if X.dtype.kind in "biuf":
        kept = X.dtype in (np.float64, np.float32) and X.flags.aligned and all(s % X.itemsize == 0 for s in X.strides)
        return X if kept else as_doubles(X)
    if X.dtype.kind == "c":
        raise DataError("Complex data not supported: X holds complex numbers; use their real and imaginary parts as columns.")
    if X.dtype.kind in "mM":
        raise DataError("X holds dates or durations; turn them into numbers, such as seconds, first.")
    out = np.empty(X.shape)
    for row, values in enumerate(X.tolist()):
        for column, value in enumerate(values):
            out[row, column] = _as_float(value, row, column)
    return out


def as_doubles(X: Any) -> Floats:
    """Return numbers as a contiguous f64 array; what is too large for it is infinite, and refused as such."""
    with np.errstate(over="ignore"):
        return np.require(X, np.float64, ["C", "A"])


def _as_float(value: Any, row: int, column: int | str) -> float:
    """Return a number of any kind as a float, None as NaN."""
    if type(value) is float:
        return value
    if value is None or _is_na(value):
        return math.nan
    told = f"The value in row {row}, column {column!r} is {reprlib.repr(value)}"
    if isinstance(value, (str, bytes)):
        where = "it as a column of a table or in a dict" if isinstance(column, int) else "dicts"
        raise DataError(f"{told}: text is no number; convert it, or pass {where} to learn it as a category.")
    try:
        return float(value)
    except OverflowError:
        raise DataError(f"{told}, too large for a 64-bit float; scale it down.") from None
    except (TypeError, ValueError):
        raise KindError(
            f"{told}: argument must be a string or a real number, not {type(value).__name__}; give a number."
        ) from None


def _is_na(value: Any) -> bool:
    """Whether this is pandas.NA, which cannot be compared."""
    return type(value).__name__ == "NAType"


def _from_sparse(X: Any) -> Sparse:
    if X.ndim != 2:
        raise DataError(f"Expected 2D array, got a {X.ndim}D sparse array instead: Reshape your data to one row per example.")
    if X.dtype.kind == "c":
        raise DataError("Complex data not supported: X holds complex numbers; use their real and imaginary parts as columns.")
    if X.dtype.kind not in "biuf":
        raise DataError(f"The sparse matrix holds values of type {X.dtype}; convert it to numbers first, with X.astype(float).")
    matrix = _as_csr(X)
    starts, entries = matrix.indptr, min(len(matrix.indices), len(matrix.data))
    if len(starts) != matrix.shape[0] + 1 or starts[0] != 0:
        raise DataError(
            f"The sparse matrix is damaged: indptr has {len(starts)} entries and begins with {starts[:1].tolist()}, and for its "
            f"{matrix.shape[0]} rows it must have {matrix.shape[0] + 1} and begin with 0; build it anew."
        )
    if starts[-1] > entries or np.any(starts[1:] < starts[:-1]):
        row = int(np.flatnonzero((starts[1:] < starts[:-1]) | (starts[1:] > entries))[0])
        raise DataError(
            f"The sparse matrix is damaged: indptr goes from {starts[row]} to {starts[row + 1]} in row {row}, "
            f"and it must rise to the {entries} entries at most; build it anew."
        )
    index = np.int64 if max(starts.dtype.itemsize, matrix.indices.dtype.itemsize) > 4 else np.int32
    return Sparse(
        np.require(starts, index, ["C", "A"]),
        np.require(matrix.indices, index, ["C", "A"]),
        as_doubles(matrix.data),
        int(matrix.shape[1]),
    )


def _as_csr(X: Any) -> Any:
    """Return a sparse matrix as CSR; broken indices are refused before scipy follows them to convert it."""
    try:
        if X.format in ("csc", "bsr"):
            type(X)((X.data, X.indices, X.indptr), shape=X.shape, copy=False).check_format(full_check=True)
        elif X.format == "coo":
            for along, length in zip(X.coords, X.shape, strict=True):
                if len(along) != len(X.data) or (len(along) and not 0 <= along.min() <= along.max() < length):
                    raise ValueError(f"indices must lie between 0 and {length - 1}, one pair for each value")
        return X.tocsr()
    except ValueError as error:
        raise DataError(f"The sparse matrix is damaged ({str(error).rstrip('.')}); build it anew.") from None


def _from_frame(frame: nw.DataFrame[Any]) -> Rows:
    names, dtypes = tuple(frame.columns), list(frame.schema.values())
    numeric = [_is_numeric(frame.get_column(name), dtype) for name, dtype in zip(names, dtypes, strict=True)]
    if all(numeric):
        narrow = bool(dtypes) and all(dtype == nw.Float32 for dtype in dtypes)
        kept = names if names and all(isinstance(name, str) for name in names) else None
        return Dense(_stacked(frame, np.float32 if narrow else np.float64), kept)
    for name, dtype in zip(names, dtypes, strict=True):
        if dtype.is_temporal():
            raise DataError(f"Column {name!r} holds dates or durations; turn it into numbers, such as seconds, first.")
        if dtype.is_nested():
            raise DataError(f"Column {name!r} holds lists or records; spread them over columns of numbers or text first.")
    columns = [_as_list(frame.get_column(name)) for name in names]
    return Named([dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)], names)


def as_numbers(rows: Named) -> Dense:
    """Return a table as numbers; a value that is none is refused by row and column."""
    assert rows.table is not None
    X = np.empty((rows.rows, len(rows.table)))
    for row, record in enumerate(rows.records):
        for column, name in enumerate(rows.table):
            X[row, column] = _as_float(record[name], row, name)
    return Dense(X, rows.table)


def _is_numeric(column: nw.Series[Any], dtype: Any) -> bool:
    if dtype == nw.Object:  # pandas keeps numbers beside None like this
        values = [value for value in column.to_list() if value is not None]
        return bool(values) and all(_is_number(value) for value in values)
    if dtype == nw.Unknown:  # pandas' sparse columns
        return column.to_numpy().dtype.kind in "biuf"
    return bool(dtype.is_numeric() or dtype == nw.Boolean)


def _is_number(value: Any) -> bool:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    return isinstance(value, (Real, Decimal))


def _as_list(column: nw.Series[Any]) -> list[Any]:
    try:
        return [None if _is_na(value) else value for value in column.to_list()]
    except UnicodeDecodeError as error:
        raise DataError(
            f"Column {column.name!r} holds bytes that are no UTF-8 text ({error.reason}); decode them first."
        ) from None


def _stacked(frame: nw.DataFrame[Any], dtype: type[np.floating[Any]]) -> NDArray[Any]:
    out = np.empty((len(frame), len(frame.columns)), dtype=dtype)
    for j, name in enumerate(frame.columns):
        column = frame.get_column(name)
        if column.dtype == nw.Object:
            out[:, j] = [_as_float(value, row, name) for row, value in enumerate(column.to_list())]
            continue
        if column.null_count() or column.dtype in (nw.Int128, nw.UInt128):
            column = column.cast(nw.Float64).fill_null(float("nan"))
        out[:, j] = column.to_numpy()
    return out
