"""The columns of a model: fixed by the first array or table, or named and growing, or hashed."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise import _core
from poise.errors import DataError, FileError
from poise.features import Dense, Named, Rows, Sparse, as_numbers
from poise.methods.plugins import own_functions
from poise.refusal import unreadable
from poise.stored import form_of, require_whole
from poise.vocabulary import TEXT, Vocabulary

CENTER, SCALE, NONE = 1, 2, 0
_SCALING = {"none": NONE, "center": CENTER, "scale": SCALE}
Undo = Callable[[], None]


@dataclass(frozen=True)
class Setup:
    """Everything a model needs to know before its first row."""

    core: dict[str, Any]
    standardize: str | None
    positive: Any
    n_hash: int | None
    owner: str
    #: What is defined for two classes only, and what to use for more; None: any number will do.
    two_classes: str | None = None
    #: Take a table's columns as named features that may come and go, from the first row on.
    open: bool = False

    def scaling(self, sparse: bool) -> str:
        """Scaling of the core; "auto" centres unless the input is sparse or hashed."""
        if self.standardize == "auto":
            return "scale" if sparse else "center"
        return self.standardize or "none"


class Columns:
    """The core with the names of its columns."""

    def __init__(self, setup: Setup, scaling: str, *, named: bool, hashed: bool) -> None:
        self.setup = setup
        self.scaling = scaling
        self.hashed = hashed
        #: Names may still be added, and rows need not have all of them.
        self.open = named or hashed
        self.words = Vocabulary()
        each = self.open or bool(setup.core["skip_missing"])
        self.core = _core.Core(setup.core, scaling, each and not hashed, self.open)
        if "own" in setup.core:
            self.core.follow(own_functions(*setup.core["own"]))
        if hashed:
            assert setup.n_hash is not None
            self.core.hash_onto(setup.n_hash)
            self.core.widen(setup.n_hash)

    @classmethod
    def starting_with(cls, rows: Rows, setup: Setup) -> "Columns":
        """Return the columns that the first rows ask for."""
        named = isinstance(rows, Named) or (setup.open and isinstance(rows, Dense) and bool(rows.names))
        if setup.n_hash is not None:
            if not named and not (isinstance(rows, Dense) and rows.names):
                raise DataError(
                    "n_hash hashes the names of features, and these rows have none; pass dicts or a table, or drop n_hash."
                )
            return cls(setup, setup.scaling(sparse=True), named=False, hashed=True)
        if not isinstance(rows, Named) and (rows.width == 0 or (setup.open and not named)):
            raise _nameless(rows, setup.owner)
        columns = cls(setup, setup.scaling(sparse=isinstance(rows, Sparse)), named=named, hashed=False)
        if not named and not isinstance(rows, Named):
            columns.core.widen(rows.width)
            if isinstance(rows, Dense) and rows.names:
                columns.words.add_numbers(rows.names)
        return columns

    @property
    def width(self) -> int:
        """Number of columns."""
        return int(self.core.width)

    @property
    def names(self) -> list[str] | None:
        """Column names, where there are any."""
        return self.words.names if len(self.words) else None

    # ---- rows to blocks

    def admit(self, rows: Rows, left_out: NDArray[np.bool_] | None = None) -> tuple[Dense | Sparse, Undo]:
        """Return the rows as a block to learn from, with new names entered, and how to take that back.

        Rows marked in `left_out` weigh nothing and bring no names.
        """
        if left_out is not None and left_out.all():
            return self.place(rows), _nothing
        if isinstance(rows, Named) and not rows.table and not self.open and len(self.words):
            return self._open_up(rows, left_out)
        if not self.open:
            return self._fixed(rows), _nothing
        records, forget = self._records(rows), self._forgetting()
        try:
            if records is None:
                assert isinstance(rows, Dense)
                assert rows.names
                self._enter(dict.fromkeys(rows.names, 0.0))
                return self._table(rows), forget
            if not self.hashed:
                for row, record in enumerate(records):
                    if left_out is None or not left_out[row]:
                        self._enter(record, row)
            return self._sparse(records, skip_unknown=left_out is not None), forget
        except BaseException:
            forget()
            raise

    def place(self, rows: Rows) -> Dense | Sparse:
        """Return the rows as a block to score; names the model has not met are left out."""
        if isinstance(rows, Named) and not rows.table and not self.open and len(self.words):
            return self._filled(rows)
        if not self.open:
            return self._fixed(rows)
        records = self._records(rows)
        if records is None:
            assert isinstance(rows, Dense)
            return self._table(rows)
        return self._sparse(records, skip_unknown=True)

    def _fixed(self, rows: Rows) -> Dense | Sparse:
        owner = self.setup.owner
        if isinstance(rows, Named) and not rows.table:
            raise DataError(f"{owner} was fitted on columns without names; pass an array with {self.width} columns, not dicts.")
        names = rows.table if isinstance(rows, Named) else rows.names if isinstance(rows, Dense) else None
        if names and len(self.words) and list(names) != self.words.names:
            raise DataError(_names_differ(list(names), self.words.names))
        if isinstance(rows, Named):
            rows = as_numbers(rows)
        if rows.width != self.width:
            raise DataError(
                f"X has {rows.width} features, but {owner} is expecting {self.width} features as input; "
                "give the columns of the first call."
            )
        if len(self.words) and not names:
            warnings.warn(
                f"X does not have valid feature names, but {owner} was fitted with feature names", UserWarning, stacklevel=5
            )
        elif names and not len(self.words):
            warnings.warn(f"X has feature names, but {owner} was fitted without feature names", UserWarning, stacklevel=5)
        return rows

    def _records(self, rows: Rows) -> list[dict[Any, Any]] | None:
        """One dict per row; None for a table of numbers that need no dicts."""
        if isinstance(rows, Named):
            return rows.records
        if not isinstance(rows, Dense) or not rows.names:
            raise _nameless(rows, self.setup.owner)
        if not self.hashed:
            return None
        return [dict(zip(rows.names, row, strict=True)) for row in rows.X.tolist()]

    def _enter(self, record: dict[Any, Any], row: int = 0) -> None:
        kinds = self.words.add(record, row)
        if kinds:
            number, text = _SCALING[self.scaling], SCALE if self.scaling != "none" else NONE
            self.core.add_columns([text if kind == TEXT else number for kind in kinds])

    def _forgetting(self) -> Undo:
        """Return how to forget the names that come from now on, however far an interruption let them come."""
        known = len(self.words)

        def forget() -> None:
            if len(self.words) > known:
                self.words.forget(len(self.words) - known)
                self.core.narrow(known)

        return forget

    def _sparse(self, records: list[dict[Any, Any]], *, skip_unknown: bool) -> Sparse:
        starts = np.zeros(len(records) + 1, dtype=np.int64)
        columns: list[int] = []
        values: list[float] = []
        for row, record in enumerate(records):
            try:
                at, x = self.core.entries(record, self.words.numbers, self.words.texts, skip_unknown)
            except (TypeError, UnicodeEncodeError) as error:
                raise unreadable(error, record, row) from None
            columns += at
            values += x
            starts[row + 1] = len(columns)
        return Sparse(starts, np.array(columns, dtype=np.int64), np.array(values, dtype=np.float64), self.width, records)

    def _table(self, rows: Dense) -> Sparse:
        assert rows.names
        known = [j for j, name in enumerate(rows.names) if name in self.words.numbers]
        at = np.array([self.words.numbers[rows.names[j]] for j in known], dtype=np.int64)
        order = np.argsort(at)
        values = np.ascontiguousarray(rows.X[:, np.array(known, dtype=np.int64)[order]], dtype=np.float64)
        starts = np.arange(rows.rows + 1, dtype=np.int64) * len(known)
        return Sparse(starts, np.tile(at[order], rows.rows), values.ravel(), self.width)

    def _open_up(self, rows: Named, left_out: NDArray[np.bool_] | None) -> tuple[Dense | Sparse, Undo]:
        """Let columns be absent and new ones come from now on: a model of a table's columns meets dicts."""
        saved = self.core.state()

        def close() -> None:
            self.core.restore(saved)
            self.words.forget(len(self.words) - self.core.width)
            self.open = False

        try:
            self.core.count_each()
            self.open = True
            block, _ = self.admit(rows, left_out)
        except BaseException:
            close()
            raise
        return block, close

    def _filled(self, rows: Named) -> Dense:
        """Dicts for a model of a table's columns; an absent number counts as the column's mean where columns are centred."""
        absent = np.zeros(self.width)
        if self.scaling == "center":
            absent = self.core.state()["scaler_mean"][0]
        X = np.tile(absent, (rows.rows, 1))
        for row, record in enumerate(rows.records):
            try:
                at, values = self.core.entries(record, self.words.numbers, self.words.texts, True)
            except TypeError as error:
                raise unreadable(error, record, row) from None
            X[row, at] = values
        return Dense(X, tuple(self.words.names))

    # ---- single rows, without a block

    def learn_named(self, x: dict[Any, Any], code: int, weight: float, many: int) -> Any:
        """Learn one dict in the core; None when it needs the long way."""
        if not self.open:
            return None
        return self.core.learn_named(x, self.words.numbers, self.words.texts, code, weight, many)

    def score_named(self, x: dict[Any, Any]) -> Any:
        """Score one dict in the core; None when it needs the long way."""
        return self.core.score_named(x, self.words.numbers, self.words.texts) if self.open else None

    def learn_array(self, x: Any, code: int, weight: float, many: int) -> Any:
        """Learn one array row in the core; None when it needs the long way, as a masked array does."""
        return self.core.learn_one(x, code, weight, many) if type(x) is np.ndarray and not self.open else None

    def score_array(self, x: Any) -> Any:
        """Score one array row in the core; None when it needs the long way."""
        return self.core.score_one(x) if type(x) is np.ndarray and not self.open else None

    # ---- state

    def tensors(self) -> dict[str, NDArray[Any]]:
        """State as named arrays."""
        tensors: dict[str, NDArray[Any]] = dict(self.core.state())
        tensors["names"] = self.words.to_bytes()
        return tensors

    @classmethod
    def restored(cls, setup: Setup, tensors: dict[str, NDArray[Any]]) -> "Columns":
        """Return the columns and core whose state `tensors` gave."""
        form = form_of(tensors)
        if setup.n_hash is not None:
            fits = form.hashed and form.open and not form.each and form.width == form.hashed == setup.n_hash
        else:
            fits = not form.hashed and form.each == (form.open or bool(setup.core["skip_missing"]))
        if not fits or form.scaling not in {setup.scaling(form.hashed > 0), setup.scaling(sparse=True)}:
            raise FileError("its columns do not fit its parameters")
        tensors = require_whole(tensors, form, setup.core)
        columns = cls(setup, form.scaling, named=form.open, hashed=False)  # the core takes its width from the tensors
        columns.hashed = form.hashed > 0
        columns.words = Vocabulary.from_bytes(tensors["names"])
        if len(columns.words) not in ((0,) if form.hashed else (form.width,) if form.open else (0, form.width)):
            raise FileError(f"it names {len(columns.words)} of {form.width} columns")
        try:
            columns.core.restore(tensors)
        except ValueError as error:
            raise FileError(str(error)) from None
        return columns


def _nothing() -> None:
    pass


def _nameless(rows: Dense | Sparse, owner: str) -> DataError:
    """Return the error for rows without columns, or without the names that are asked for."""
    if rows.width == 0:
        shape = f"(shape=({rows.rows}, 0))"
        return DataError(f"Found array with 0 feature(s) {shape} while a minimum of 1 is required; pass at least one column.")
    return DataError(f"{owner} knows its columns by name; pass dicts or a table, not an array without names.")


def _names_differ(given: list[str], known: list[str]) -> str:
    message = "The feature names should match those that were passed during fit.\n"
    unseen, missing = sorted(set(given) - set(known)), sorted(set(known) - set(given))

    def listed(names: list[str]) -> str:
        return "".join(f"- {name}\n" for name in names[:5]) + ("- ...\n" if len(names) > 5 else "")

    if unseen:
        message += "Feature names unseen at fit time:\n" + listed(unseen)
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n" + listed(missing)
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    return message + "Give the columns of the first call, in their order."
