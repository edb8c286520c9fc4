"""The errors that poise raises on purpose: one family, so that one ``except`` catches them all."""

import difflib
import math
import reprlib
from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError as _SklearnNotFittedError


class PoiseError(Exception):
    """Anything that poise refuses, with the value, the rule and the remedy in its message.

    Examples
    --------
    >>> from poise.errors import DataError, FileError, NotFittedError, PoiseError
    >>> [kind.__name__ for kind in (DataError, FileError, NotFittedError)
    ...  if issubclass(kind, PoiseError)]
    ['DataError', 'FileError', 'NotFittedError']
    """


class DataError(PoiseError, ValueError):
    """Rows, labels, scores or settings that cannot be used as they are.

    Examples
    --------
    >>> from poise.errors import DataError
    >>> try:
    ...     raise DataError("Row 3, column 1 is nan: replace or drop it.")
    ... except ValueError as refused:
    ...     print(refused)
    Row 3, column 1 is nan: replace or drop it.
    """


class KindError(DataError, TypeError):
    """A value of a kind that no column can hold, such as a list; also a TypeError, which scikit-learn asks for.

    Examples
    --------
    >>> from poise.errors import DataError, KindError
    >>> issubclass(KindError, DataError) and issubclass(KindError, TypeError)
    True
    """


class ParameterError(PoiseError, ValueError):
    """A setting that does not exist or lies outside its range.

    Examples
    --------
    >>> from poise import HGD
    >>> from poise.errors import ParameterError
    >>> try:
    ...     HGD(norm="cubed")
    ... except ParameterError as refused:
    ...     print(refused)
    norm is 'cubed'; it must be one of 'plain', 'squared'.
    """


class FileError(PoiseError, ValueError):
    """A model file that is damaged, cut short, or made by a version that is not understood.

    Examples
    --------
    >>> from poise.errors import FileError
    >>> issubclass(FileError, ValueError)
    True
    """


class NotFittedError(PoiseError, _SklearnNotFittedError):  # type: ignore[misc]
    """A question to a model that has not learned a single row yet.

    Examples
    --------
    >>> import sklearn.exceptions
    >>> from poise.errors import NotFittedError
    >>> issubclass(NotFittedError, sklearn.exceptions.NotFittedError)
    True
    """


def closest(name: str, known: Iterable[str]) -> str:
    """Return the ending of an error message that offers the nearest known name."""
    near = difflib.get_close_matches(str(name), list(known), n=1)
    return f": did you mean {near[0]!r}?" if near else "."


def require_choice(parameter: str, value: object, choices: tuple[object, ...]) -> None:
    """Refuse a value that is not one of the choices."""
    if isinstance(value, np.ndarray) or value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise ParameterError(f"{parameter} is {value!r}; it must be one of {listed}.")


def as_number(value: Any) -> float:
    """Return a parameter as a float, NaN when it is no number."""
    try:
        return math.nan if isinstance(value, (bool, np.bool_, str, bytes)) else float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def require_number(parameter: str, value: Any, low: float, high: float, other: str = "") -> float:
    """Return a number above `low` and at most `high` as a float; `other` names what else the parameter may be."""
    number = as_number(value)
    if not low < number <= high:
        raise ParameterError(
            f"{parameter} is {reprlib.repr(value)}; it must be a number above {low:g} and at most {high:g}{other}."
        )
    return number


def require_count(name: str, value: Any, most: int, *, none: bool = False) -> None:
    """Refuse what is no whole number from 1 to `most`."""
    if value is None and none:
        return
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or not 1 <= value <= most:
        raise ParameterError(
            f"{name} is {reprlib.repr(value)}; it must be a whole number from 1 to {most:,}{', or None' if none else ''}."
        )
