"""The 24 dynamic streams of the published tables: how the class ratio of eight data sets changes from phase to phase."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np


@dataclass(frozen=True, slots=True)
class Phase:
    """One stretch of a stream: a fixed number of positives, or a class ratio that moves from row to row.

    Parameters
    ----------
    length
        How many rows.
    positives
        How many of them are positive; None where the ratio moves.
    ir
        Negatives per positive at the first and at the last row; None where the number is fixed.

    Examples
    --------
    >>> from poise.datasets import Phase
    >>> Phase(length=900, positives=400).expected_positives
    400.0
    >>> round(Phase(length=3500, ir=(10.0, 1.25)).expected_positives, 1)
    634.9
    """

    length: int
    positives: int | None = None
    ir: tuple[float, float] | None = None

    @property
    def expected_positives(self) -> float:
        """Positives to expect: row by row 1 / (1 + ratio) where the ratio moves."""
        if self.ir is None:
            return float(self.positives or 0)
        return float((1.0 / (1.0 + np.linspace(*self.ir, self.length))).sum())


@dataclass(frozen=True, slots=True)
class Schedule:
    """One dynamic stream: what is drawn, without replacement, from the rows of a data set.

    Parameters
    ----------
    dataset
        The name of the set, whose smaller class stays the positive one.
    kind
        "increase", "decrease" or "gradual": how the imbalance changes.
    phases
        One after the other.
    note
        How the plan differs from the printed one, whose misprints are undone.

    Examples
    --------
    >>> from poise.datasets import schedules
    >>> schedules()[0].dataset, schedules()[0].kind, schedules()[0].length
    ('a8a', 'increase', 15000)
    """

    dataset: str
    kind: str
    phases: tuple[Phase, ...]
    note: str = ""

    @property
    def length(self) -> int:
        """How many rows the stream has."""
        return sum(phase.length for phase in self.phases)

    @property
    def expected_positives(self) -> float:
        """How many positives it takes from the set; exact unless it is gradual."""
        return sum(phase.expected_positives for phase in self.phases)


@cache
def _read() -> tuple[Schedule, ...]:
    text = files(__package__).joinpath("schedules.json").read_text(encoding="utf-8")
    return tuple(
        Schedule(
            dataset=row["dataset"],
            kind=row["kind"],
            phases=tuple(
                Phase(phase["length"], phase.get("positives"), (phase["ir"][0], phase["ir"][1]) if "ir" in phase else None)
                for phase in row["phases"]
            ),
            note=row["note"],
        )
        for row in json.loads(text)
    )


def schedules() -> list[Schedule]:
    """List the 24 dynamic streams: eight data sets, each with growing, shrinking and gradual imbalance.

    Examples
    --------
    >>> from poise.datasets import schedules
    >>> [schedule.kind for schedule in schedules() if schedule.dataset == "phoneme"]
    ['increase', 'decrease', 'gradual']
    """
    return list(_read())
