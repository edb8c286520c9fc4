"""Parameters that several methods share, each checked in one place."""

import reprlib
from typing import Any

from poise.errors import ParameterError, as_number, require_choice

REPEAT_MODES = (None, "sequential", "weight")
LARGEST_RATIO = 1e6


def require_ratio(value: Any) -> None:
    """Refuse what is no class ratio."""
    if value is not None and not 1 / LARGEST_RATIO <= as_number(value) <= LARGEST_RATIO:
        raise ParameterError(
            f"ir is {reprlib.repr(value)}; it must be the number of negatives per positive, from 1e-6 to 1e6, "
            "or None to count as the stream goes."
        )


def require_share(name: str, value: Any, *, one: bool = False) -> None:
    """Refuse what does not lie between 0 and 1."""
    number = as_number(value)
    if not (0 < number < 1 or (one and number == 1)):
        raise ParameterError(f"{name} is {reprlib.repr(value)}; it must lie between 0 and 1{', or be 1' if one else ''}.")


def require_amount(name: str, value: Any, *, zero: bool = False, none: bool = False) -> None:
    """Refuse what is no number from 1e-6 to 1e6."""
    number = as_number(value)
    if value is None and none:
        return
    if not (1 / LARGEST_RATIO <= number <= LARGEST_RATIO or (zero and number == 0)):
        others = ", or 0" * zero + ", or None" * none
        raise ParameterError(f"{name} is {reprlib.repr(value)}; it must be a number from 1e-6 to 1e6{others}.")


def require_repeat_mode(value: Any) -> None:
    """Refuse an unknown way to repeat a row."""
    require_choice("repeat_mode", value, REPEAT_MODES)


def given(value: float | None, otherwise: float) -> float:
    """Return a parameter, or what stands for None."""
    return otherwise if value is None else float(value)
