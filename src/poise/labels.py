"""Labels to class numbers and back: order of arrival inside, sorted outside."""

import math
import reprlib
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
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
            raise DataError(
                f"Labels of types {_kinds(self.arrived)} cannot be sorted together; use labels of one type."
            ) from None
        #: Outside, the smaller label is the negative class; inside, the first to arrive.
        self.flip = len(self.arrived) > 1 and self.order.index(0) > self.order.index(1)

    def __len__(self) -> int:
        return len(self.arrived)

    @property
    def classes(self) -> NDArray[Any]:
        """All known labels, sorted."""
        labels = [self.arrived[code] for code in self.order]
        out = as_objects(labels)
        if all(isinstance(label, (bool, int, float, str, bytes)) for label in labels):
            plain = np.array(labels)
            if plain.dtype.kind != "O" and plain.tolist() == labels:
                return plain
        return out

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

    def alone(self, wanted: object) -> int:
        """Class number of the positive one while a single label is known: that label only where it is the one wanted."""
        return 0 if wanted is not None and self.arrived and self.arrived[0] == wanted else 1

    @property
    def ranks(self) -> list[int]:
        """Place of each class among the sorted labels."""
        ranks = [0] * len(self.order)
        for rank, code in enumerate(self.order):
            ranks[code] = rank
        return ranks

    def decode(self, codes: NDArray[np.intp]) -> NDArray[Any]:
        """Labels of positions in `classes`."""
        return self.classes[codes]

    def encode(self, y: NDArray[Any], skip: NDArray[np.bool_] | None = None) -> tuple[Codes, "Labels"]:
        """Class numbers of `y`, and the labels with those of `y` that are new, in order of arrival.

        Rows marked in `skip` bring no new label; theirs is -1 when it is unknown.
        """
        codes = np.empty(len(y), dtype=np.int32)
        arrived, known = list(self.arrived), dict(self.codes)
        numbers = y.dtype.kind in "biuf" and y.dtype != np.uint64
        done = self._encode_numbers(y, codes, skip, arrived, known) if numbers else 0
        for row, label in enumerate(y[done:].tolist(), done):
            try:
                code = known.get(label)
            except TypeError:
                code = None  # no key of a dict, so no label either
            if code is None:
                code = -1 if skip is not None and skip[row] else _enter(label, row, arrived, known)
            codes[row] = code
        return codes, self if len(arrived) == len(self.arrived) else Labels(arrived)

    def including(self, wanted: list[Any]) -> "Labels":
        """Return the labels with those of `wanted` that are new, sorted among themselves."""
        new = [label for label in wanted if label not in self.codes]
        if not new:
            return self
        Labels([*self.arrived, *new])  # refuses what cannot be sorted
        return Labels([*self.arrived, *sorted(new)])

    def _encode_numbers(
        self, y: NDArray[Any], codes: Codes, skip: NDArray[np.bool_] | None, arrived: list[Any], known: dict[Any, int]
    ) -> int:
        """Encode numeric labels in the core, row by row only where a new one turns up; returns the first row left to do."""
        row = 0
        encode: Callable[[NDArray[Any], NDArray[Any], Codes], int] = _core.encode_i64
        kind: np.dtype[Any] = np.dtype(np.int64)
        largest = 2**63 - 1
        if y.dtype.kind == "f":
            encode, kind, largest = _core.encode_f64, np.dtype(np.float64), 2**53
        while row < len(y) and len(arrived) <= _FEW and (table := _whole_numbers(arrived, largest)) is not None:
            stop = encode(np.require(y[row:], kind, "A"), table.astype(kind), codes[row:])
            if stop < 0:
                return len(y)
            row += stop
            codes[row] = -1 if skip is not None and skip[row] else _enter(y[row], row, arrived, known)
            row += 1
        return row


def as_labels(y: ArrayLike | None, rows: int, weights: NDArray[np.float64] | None = None) -> NDArray[Any]:
    """Return `y` as a 1-D array of `rows` labels that can name classes; those of rows of weight 0 may be anything."""
    if y is None:
        raise DataError("This classifier requires y to be passed, but the target y is None; give one label per row.")
    labels = _as_array(y, "y")
    if labels.ndim != 1:
        try:
            labels = column_or_1d(labels, warn=True)
        except ValueError as error:
            raise DataError(f"{str(error).rstrip('.')}; give one label per row.") from None
    if len(labels) != rows:
        raise DataError(f"X has {rows} rows and y has {len(labels)} labels; give one label per row.")
    if labels.dtype.kind == "f":
        counts = True if weights is None else weights > 0.0
        bad = np.flatnonzero((~np.isfinite(labels) | (labels != np.trunc(labels))) & counts)
        if len(bad):
            class_label(labels[bad[0]], int(bad[0]))
    return labels


def as_classes(classes: Any) -> list[Any]:
    """Return the labels listed in `classes`, each once."""
    listed = _as_array(list(classes) if isinstance(classes, (set, frozenset)) else classes, "classes")
    if listed.ndim != 1 or len(listed) == 0:
        raise DataError(f"classes must be a 1-D list of labels, not an array of shape {listed.shape}; list every label once.")
    return list(dict.fromkeys([class_label(label, None) for label in listed.tolist()]))


def as_objects(values: Sequence[Any]) -> NDArray[Any]:
    """Return the values as a 1-D array that keeps them as they are."""
    out = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        out[i] = value
    return out


def with_gaps(masked: "np.ma.MaskedArray[Any, Any]") -> NDArray[Any]:
    """Return a masked array as plain objects, with None where it is masked."""
    out = np.array(masked.data, dtype=object)
    out[np.ma.getmaskarray(masked)] = None
    return out


def class_label(label: Any, row: int | None) -> Any:
    """Return a label as a plain value that can name a class, or refuse it; no row: it was listed in classes=."""
    where, remedy = ("label in classes", "list real labels only") if row is None else (f"label in row {row}", "drop the row")
    if np.ma.is_masked(label):
        label = None
    if isinstance(label, np.generic) or (isinstance(label, np.ndarray) and label.ndim == 0):
        if label.dtype.kind in "mM":
            raise DataError(f"The {where} is {label}, a date or duration; turn it into text or a whole number first.")
        label = label.item()
    try:
        hash(label)
    except TypeError:
        raise DataError(
            f"The {where} is {reprlib.repr(label)}, a {type(label).__name__}, which names no class; "
            "use numbers, text or booleans."
        ) from None
    if _is_missing(label):
        raise DataError(f"The {where} is missing ({label}): NaN and None name no class; {remedy}.")
    if isinstance(label, complex):
        raise DataError(f"Complex data not supported: the {where} is {label}; use numbers, text or booleans.")
    if isinstance(label, (Real, Decimal)) and label in (math.inf, -math.inf):
        raise DataError(f"The {where} is {label}: infinity names no class; {remedy}.")
    if isinstance(label, (Real, Decimal)) and label != int(label):  # type: ignore[arg-type]
        raise DataError(
            f"Unknown label type: the {where} is {label}, no whole number; cut it into classes first, such as y > 0.5."
        )
    return label


def _is_missing(label: Any) -> bool:
    try:
        return label is None or bool(label != label)  # noqa: PLR0124 - true for NaN of any type
    except TypeError:  # pandas.NA answers neither yes nor no
        return True


def _kinds(labels: list[Any]) -> str:
    return " and ".join(sorted({type(label).__name__ for label in labels}))


def _sortable(one: Any, other: Any) -> bool:
    try:
        bool(one < other)
    except TypeError:
        return False
    return True


def _enter(label: Any, row: int, arrived: list[Any], known: dict[Any, int]) -> int:
    """Give a label that is not known yet its number."""
    label = class_label(label, row)
    if arrived and not _sortable(label, arrived[0]):
        raise DataError(
            f"The label in row {row} is {reprlib.repr(label)}, and labels of types {_kinds([label, arrived[0]])} "
            "cannot be sorted together; use labels of one type."
        )
    arrived.append(label)
    known[label] = len(arrived) - 1
    return known[label]


def _as_array(labels: Any, name: str) -> NDArray[Any]:
    """Return labels as an array; text and numbers in one list stay what they are."""
    if isinstance(labels, np.ma.MaskedArray) and np.ma.is_masked(labels):
        labels = with_gaps(labels)
    try:
        out = np.asarray(labels)
    except ValueError:
        row, listed = next((i, label) for i, label in enumerate(labels) if isinstance(label, (list, tuple, np.ndarray)))
        told = f"The label in row {row}" if name == "y" else f"The label at place {row} of {name}"
        raise DataError(f"{told} is {reprlib.repr(listed)}, which names no class; use numbers, text or booleans.") from None
    if out.dtype.kind in "US" and out.ndim == 1 and isinstance(labels, (list, tuple)) and out.tolist() != list(labels):
        out = as_objects(labels)  # numpy made text of numbers or bytes, or cut a text's last NUL off
    elif out.dtype.kind == "f" and isinstance(labels, (list, tuple)) and np.max(np.abs(out), initial=0.0) >= 2.0**53:
        out = as_objects(labels)  # numpy made floats of whole numbers that no integer type of its holds together
    if out.dtype.kind == "c":
        raise DataError(f"Complex data not supported: {name} holds complex numbers; use numbers, text or booleans.")
    if out.dtype.kind in "mM":
        raise DataError(f"{name} holds dates or durations; turn them into text or whole numbers first.")
    return out


def _whole_numbers(labels: list[Any], largest: int) -> NDArray[np.int64] | None:
    """Labels as whole numbers the core can compare; None where they are none, or too large to be compared exactly."""
    if not all(isinstance(label, (bool, int, float)) and abs(label) <= largest for label in labels):
        return None
    return np.array([int(label) for label in labels], dtype=np.int64)
