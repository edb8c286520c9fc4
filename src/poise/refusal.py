"""What the core refused, in a sentence: the value, the row and column, the rule, the remedy."""

import math
import reprlib
from typing import Any

import numpy as np

from poise.errors import DataError, as_number
from poise.features import Dense, Sparse

_RULES = {
    "missing": "is NaN, and missing values are not allowed; fill it in, leave the row out, or set missing='zero'.",
    "infinite": "is infinite ({value}), and only finite numbers are allowed; correct it or leave the row out.",
    "norm": "has values so large that their squares add up to infinity, the largest {value} in column {where}; "
    "scale the columns or leave the row out.",
    "own_value": "got an answer from the method that cannot be used; weights must lie between 0 and 1e9, repeats be whole "
    "numbers from 0 to 1e6, margins and synthetic rows (at most 64) must be finite; poise.method(compile=False) shows an error "
    "inside it.",
    "far": "would move the weights by more than 1e80; scale the columns, lower eta0, or bound what a row weighs "
    "(HGD: clamp=100; CSRDA: a larger gamma).",
    "column_range": "names column {column}, which does not exist: indices must lie between 0 and {last}; repair the matrix.",
    "column_order": "has unsorted or repeated columns; call sum_duplicates() on the matrix.",
}


def explained(refusal: BaseException, names: list[str] | None, block: Dense | Sparse) -> DataError:
    """Return the error that tells a user what the core refused."""
    args: tuple[Any, ...] = refusal.args
    rule, row, column = args
    at, values = _entries(block, row)
    value = None
    if rule == "norm" and len(at):
        column = int(at[np.argmax(np.abs(values))])
    if len(found := values[at == column]):
        value = float(found[0])
    where = repr(names[column]) if names and 0 <= column < len(names) else str(column)
    if not names and isinstance(block, Sparse) and block.records:  # hashed: which name led to the column?
        name = _name_of(block.records[row])
        where, value = repr(name), as_number(block.records[row].get(name))
    told = _RULES[rule].format(value=value, where=where, column=column, last=block.width - 1)
    return DataError(f"The value in row {row}, column {where} {told}" if rule in ("missing", "infinite") else f"Row {row} {told}")


def _entries(block: Dense | Sparse, row: int) -> tuple[Any, Any]:
    """Columns and values of one row."""
    if isinstance(block, Dense):
        return np.arange(block.width), np.asarray(block.X[row])
    part = slice(int(block.starts[row]), int(block.starts[row + 1]))
    return block.columns[part], block.values[part]


def _name_of(record: dict[Any, Any]) -> Any:
    """Name of the value a row was refused for: the first that is not finite, else the largest."""
    sizes = {name: 1.0 if isinstance(value, str) else abs(as_number(value)) for name, value in record.items()}
    return next(
        (name for name, size in sizes.items() if not math.isfinite(size)), max(sizes, key=sizes.__getitem__, default=None)
    )


def unreadable(error: Exception, record: dict[Any, Any], row: int) -> Exception:
    """Return the error that tells a user which name or value of a dict is unusable; `error` itself if it is another one."""
    if isinstance(error, UnicodeEncodeError):
        return DataError(
            f"Row {row} holds the text {error.object!r}, which is no valid Unicode; encode or replace its lone surrogate."
        )
    name = error.args[0] if len(error.args) == 1 else None
    if name is None or name not in record:
        return error
    value = record[name]
    if isinstance(value, int):
        return DataError(f"Row {row}, feature {name!r} holds {reprlib.repr(value)}, too large for a 64-bit float; scale it down.")
    return DataError(
        f"Row {row}, feature {name!r} holds {reprlib.repr(value)}, which is of type {type(value).__name__}; "
        "give a number, a text, True or False, or None where it is missing."
    )
