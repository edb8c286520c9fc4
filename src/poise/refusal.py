"""What the core refused, in a sentence: the value, the row and column, the rule, the remedy."""

from typing import Any

from poise.errors import DataError

_RULES = {
    "missing": "is NaN, and missing values are not allowed; fill it in, leave the row out, or set missing='zero'.",
    "infinite": "is infinite (inf), and only finite numbers are allowed; correct it or leave the row out.",
    "norm": "has values so large that their squares add up to infinity; scale the columns or leave the row out.",
    "far": "would move the weights by more than 1e100; scale the columns, lower eta0 or set clamp=100.",
    "column_range": "does not exist: indices must lie between 0 and the number of columns - 1; repair the matrix.",
    "column_order": "has unsorted or repeated columns; call sum_duplicates() on the matrix.",
}


def explained(refusal: BaseException, names: list[str] | None, width: int) -> DataError:
    """Return the error that tells a user what the core refused."""
    args: tuple[Any, ...] = refusal.args
    rule, row, column = args
    if rule == "column_range":
        return DataError(f"Row {row}: column index {column} {_RULES[rule]} This one has {width} columns.")
    if column < 0:
        return DataError(f"Row {row} {_RULES[rule]}")
    where = repr(names[column]) if names and column < len(names) else str(column)
    return DataError(f"The value in row {row}, column {where} {_RULES[rule]}")
