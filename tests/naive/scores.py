"""From internal scores, in order of arrival, to the scores the outside sees."""

import numpy as np
import numpy.typing as npt

from .ledger import Label

Array = npt.NDArray[np.float64]
Scored = tuple[Array, list[Label]]  # scores of a row, and the classes known when it was scored


def sign(order: list[Label]) -> float:
    """Return what makes a two-class score > 0 mean the larger label.

    Inside, "up" is the second arrival; a lone class counts as the negative one.
    """
    return -1.0 if len(order) == 2 and order[0] > order[1] else 1.0


def arranged(order: list[Label], scored: list[Scored]) -> Array:
    """Return one score a row for up to two classes, else a column per sorted label.

    A class unknown when a row was scored has nan there; a two-class score s makes -s/2, +s/2.
    """
    if len(order) <= 2:
        return np.array([f[0] * sign(known) for f, known in scored])
    table = np.full((len(scored), len(order)), np.nan)
    column = {label: j for j, label in enumerate(sorted(order))}
    for i, (f, known) in enumerate(scored):
        values = list(f) if len(f) > 1 else [-f[0] / 2, f[0] / 2]
        for label, value in zip(known, values, strict=False):
            table[i, column[label]] = value
    return table
