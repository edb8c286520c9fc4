"""Labels to class numbers and back: order of arrival inside, sorted outside."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from poise import _core
from poise.errors import DataError

Codes = NDArray[np.int32]

#: The core looks labels up one after the other; beyond this many a hash table is faster.
_FEW = 64


class Labels:
    """The known labels; a copy with more of them is made before a block is learned and kept if it was.

    Examples
    --------
    >>> import numpy as np
    >>> from poise.labels import Labels
    >>> codes, grown = Labels().encode(np.array(["fraud", "fine", "fraud"]))
    >>> codes.tolist(), grown.classes.tolist()
    ([0, 1, 0], ['fine', 'fraud'])
    """

    def __init__(self, arrived: Iterable[Any] = ()) -> None:
        self.arrived = list(arrived)
        self.codes = {label: code for code, label in enumerate(self.arrived)}
        try:
            self.order = sorted(range(len(self.arrived)), key=self.arrived.__getitem__)
        except TypeError:
            kinds = " and ".join(sorted({type(label).__name__ for label in self.arrived}))
            raise DataError(f"Labels of types {kinds} cannot be sorted together; use labels of one type.") from None
        #: Outside, the smaller label is the negative class; inside, the first to arrive.
        self.flip = len(self.arrived) > 1 and self.order.index(0) > self.order.index(1)

    def __len__(self) -> int:
        return len(self.arrived)

    @property
    def classes(self) -> NDArray[Any]:
        """All known labels, sorted."""
        labels = [self.arrived[code] for code in self.order]
        out = np.array(labels)
        if out.ndim == 1 and out.dtype.kind != "O" and all(a == b for a, b in zip(out.tolist(), labels, strict=True)):
            return out
        return np.array(labels, dtype=object)

    @property
    def many(self) -> int:
        """Number of score columns; 0 stands for the single score of two classes."""
        return len(self.arrived) if len(self.arrived) > 2 else 0

    def positive(self, wanted: object) -> int:
        """Class number of the positive one of the first two classes: the one wanted, else the larger label."""
        if len(self.arrived) < 2:
            return 1
        code = self.codes.get(wanted, -1) if wanted is not None else -1
        return code if code in (0, 1) else int(not self.flip)

    def decode(self, codes: NDArray[np.intp]) -> NDArray[Any]:
        """Labels of positions in `classes`."""
        return self.classes[codes]

    def encode(self, y: NDArray[Any], skip: NDArray[np.bool_] | None = None) -> tuple[Codes, "Labels"]:
        """Class numbers of `y`, and the labels with those of `y` that are new, in order of arrival.

        Rows marked in `skip` bring no new label; theirs is -1 when it is unknown.
        """
        codes = np.empty(len(y), dtype=np.int32)
        arrived, known = list(self.arrived), dict(self.codes)
        row = self._encode_numbers(y, codes, skip, arrived, known) if y.dtype.kind in "biuf" else 0
        for row, label in enumerate(y[row:].tolist(), row):
            code = known.get(label)
            if code is None:
                if skip is not None and skip[row]:
                    code = -1
                else:
                    code = known[_checked(label, row)] = len(arrived)
                    arrived.append(label)
            codes[row] = code
        return codes, self if len(arrived) == len(self.arrived) else Labels(arrived)

    def _encode_numbers(
        self, y: NDArray[Any], codes: Codes, skip: NDArray[np.bool_] | None, arrived: list[Any], known: dict[Any, int]
    ) -> int:
        """Encode numeric labels in the core, row by row only where a new one turns up; returns the first row left to do."""
        row = 0
        while row < len(y) and len(arrived) <= _FEW and (table := _plain_table(arrived)) is not None:
            floats = y.dtype.kind == "f" or table.dtype.kind == "f"
            encode, kind = (_core.encode_f64, np.float64) if floats else (_core.encode_i64, np.int64)
            stop = encode(y[row:].astype(kind, copy=False), table.astype(kind, copy=False), codes[row:])
            if stop < 0:
                return len(y)
            row += stop
            if skip is not None and skip[row]:
                codes[row] = -1
            else:
                label = y[row].item()
                codes[row] = known[_checked(label, row)] = len(arrived)
                arrived.append(label)
            row += 1
        return row


def as_labels(y: ArrayLike | None, rows: int) -> NDArray[Any]:
    """Return `y` as a 1-D array of `rows` labels that can name classes."""
    if y is None:
        raise DataError("This classifier requires y to be passed, but the target y is None; give one label per row.")
    labels = np.asarray(y)
    if labels.ndim != 1:
        labels = column_or_1d(labels, warn=True)
    if len(labels) != rows:
        raise DataError(f"X has {rows} rows and y has {len(labels)} labels; give one label per row.")
    if labels.dtype.kind == "f":
        _refuse_broken_floats(labels)
    elif labels.dtype.kind == "c":
        raise DataError("Complex data not supported: the labels are complex numbers; use numbers, text or booleans.")
    return labels


def _refuse_broken_floats(labels: NDArray[Any]) -> None:
    bad = np.flatnonzero(~np.isfinite(labels))
    if len(bad):
        raise DataError(f"Label in row {bad[0]} is {labels[bad[0]]}, NaN and infinity name no class; drop the row.")
    if not np.array_equal(labels, np.trunc(labels)):
        check_classification_targets(labels)


def _checked(label: Any, row: int) -> Any:
    if label is None or label != label:
        raise DataError(f"Label in row {row} is missing; drop the row, or learn it when its label is known.")
    return label


def _plain_table(arrived: list[Any]) -> NDArray[Any] | None:
    """Labels as numbers the core can compare; None where they are none."""
    if not all(isinstance(label, (bool, int, float)) for label in arrived):
        return None
    if any(isinstance(label, float) for label in arrived):
        return np.array(arrived, dtype=np.float64)
    if any(abs(label) >= 2**63 for label in arrived):
        return None
    return np.array(arrived, dtype=np.int64)
