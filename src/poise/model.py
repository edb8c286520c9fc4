"""A model in progress: the compiled core, its labels and its column names, kept in step under one lock."""

import math
import reprlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise import _core
from poise.columns import Columns, Setup
from poise.errors import DataError, FileError, as_number
from poise.features import Dense, Floats, Named, Rows, Sparse, as_array, as_doubles, as_floats, canonical
from poise.labels import Labels, as_objects
from poise.refusal import explained, unreadable
from poise.stored import form_of
from poise.turns import Turns

LARGEST_WEIGHT = 1e6
#: Columns of a model that keeps rows: each row takes 8 bytes for each of them.
WIDEST_KEPT = 1 << 16


class Model:
    """Learns and scores rows of any kind; a call is learned as a whole or not at all."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.labels = Labels()
        self.columns: Columns | None = None
        self._lock = Turns()
        #: Its method is a user's own, which may ask this very model.
        self._asks = "own" in setup.core
        self._adopt(self.labels)

    def _adopt(self, labels: Labels) -> None:
        self.labels = labels
        self._codes = labels.codes
        self._flip = labels.flip
        self._many = labels.many
        if self.columns is not None:
            self._tell(self.columns.core, labels)

    def _tell(self, core: Any, labels: Labels) -> None:
        """Tell the core how the labels sort and which one is positive."""
        alone = labels.alone(self.setup.positive)
        core.sort_classes(labels.ranks, labels.positive(self.setup.positive), alone)

    @property
    def core(self) -> Any:
        """The compiled core; there is one as soon as the first rows have come."""
        assert self.columns is not None
        return self.columns.core

    @property
    def lock(self) -> Turns:
        """Whoever holds it finds the model between two calls, never within one."""
        return self._lock

    # ---- blocks

    def learn(
        self,
        rows: Rows,
        y: NDArray[Any],
        weights: Floats | None,
        *,
        scored: bool,
        grow: bool = True,
        classes: Sequence[Any] = (),
    ) -> Any:
        """Learn a block; returns the score of each row before it was learned, or None unless `scored`.

        `classes` are known before the first row; others may come only if the labels may `grow`.
        """
        with self._lock:
            known = self.labels.including(list(classes))
            left_out = None if weights is None or weights.all() else weights == 0
            codes, labels = known.encode(y, left_out)
            if not grow and len(labels) > len(known):
                raise _unknown_label(y, codes, known)
            if self.setup.two_classes and len(labels) > 2:
                raise _third_class(codes, labels, self.setup.two_classes)
            columns = self.columns or Columns.starting_with(rows, self.setup)
            saved, seen = None, columns.core.rows
            block, undo = columns.admit(rows, left_out)
            try:
                _require_room(columns)
                if self.columns is None:
                    columns.core.declare(len(known))
                elif len(known) > max(columns.core.classes, 1):
                    saved = columns.core.state()
                    columns.core.declare(len(known))
                scores = self._learn_block(columns, block, codes, weights, labels, scored=scored)
                self._keep(columns, labels)
            except BaseException:
                if columns.core.rows > seen:  # interrupted when all rows were learned: their names and labels must stay too
                    self._keep(columns, labels)
                    raise
                if saved is not None:
                    columns.core.restore(saved)
                undo()
                raise
            return scores[:, labels.order] if scored and labels.many else scores

    def _keep(self, columns: Columns, labels: Labels) -> None:
        self.columns = columns
        if labels is not self.labels:
            self._adopt(labels)

    def _learn_block(
        self, columns: Columns, block: Dense | Sparse, codes: Any, weights: Floats | None, labels: Labels, *, scored: bool
    ) -> Any:
        self._tell(columns.core, labels)
        wish = (codes, weights, labels.flip, labels.many, scored)

        def run(block: Dense | Sparse) -> Any:
            if isinstance(block, Dense):
                return columns.core.learn(block.X, *wish)
            return columns.core.learn_csr(block.starts, block.columns, block.values, block.width, *wish)

        self._lock.learning = True
        try:
            return _run(run, block, columns)
        finally:
            self._lock.learning = False

    def score(self, rows: Rows) -> Any:
        """Score rows without learning: one number for two classes, else one per class, in sorted order."""
        with self._lock:
            assert self.columns is not None
            block = self.columns.place(rows)
            core = self.core

            def run(block: Dense | Sparse) -> Any:
                if isinstance(block, Dense):
                    return core.score(block.X)
                return core.score_csr(block.starts, block.columns, block.values, block.width)

            scores = _run(run, block, self.columns)
            if self._many:
                return scores[:, self.labels.order]
            return -scores if self._flip else scores

    def answer(self, rows: Rows) -> tuple[Any, Labels]:
        """Return the scores of rows with the labels they are about, though another thread may bring new ones."""
        with self._lock:
            return self.score(rows), self.labels

    # ---- single rows

    def learn_one(self, x: Any, y: Any, weight: float) -> Any:
        """Learn one dict or 1-D array; returns its score before."""
        with self._lock:
            try:
                code = self._codes.get(y, -1)
                kind = type(weight)
                plain = (kind is float or kind is int) and 0.0 <= weight <= LARGEST_WEIGHT
                known = plain and code >= 0 and self.columns is not None
            except (TypeError, ValueError, ArithmeticError):
                known = False  # no label or no weight at all: the long way says why
            if known:
                columns: Any = self.columns
                before = columns.core.classes
                try:
                    self._lock.learning = self._asks
                    if type(x) is dict:
                        score = columns.learn_named(x, code, weight, self._many)
                    else:
                        score = columns.learn_array(x, code, weight, self._many)
                except (_core.RowRefused, TypeError, UnicodeEncodeError) as error:
                    raise self._refused(error, x) from None
                finally:
                    self._lock.learning = False
                if score is not None:
                    if self._many:
                        return score[0, self.labels.order]
                    return -score if self._flip and before > 1 else score
            weights = as_weights(as_objects([weight]), 1)
            boxed = isinstance(y, np.ndarray) and y.ndim == 0 and not np.ma.is_masked(y)
            labels = as_objects([y.item() if boxed else y])
            score = self.learn(single(x), labels, weights, scored=True)[0]
            return score if self._many else float(score)

    def score_one(self, x: Any) -> Any:
        """Score one dict or 1-D array."""
        with self._lock:
            assert self.columns is not None
            try:
                score = self.columns.score_named(x) if type(x) is dict else self.columns.score_array(x)
            except (_core.RowRefused, TypeError, UnicodeEncodeError) as error:
                raise self._refused(error, x) from None
            if score is None:
                score = self.score(single(x))[0]
                return score if self._many else float(score)
            if self._many:
                return score[0, self.labels.order]
            return -score if self._flip else score

    def answer_one(self, x: Any) -> tuple[Any, Labels]:
        """Return the score of one dict or 1-D array with the labels it is about."""
        with self._lock:
            return self.score_one(x), self.labels

    def _refused(self, error: Exception, x: Any) -> Exception:
        """Return the error that tells a user what is wrong with a single row."""
        assert self.columns is not None
        if isinstance(error, _core.RowRefused):
            return explained(error, self.columns.names, self.columns.place(single(x)))
        return unreadable(error, x, 0) if type(x) is dict else error

    # ---- state

    def tensors(self) -> dict[str, NDArray[Any]]:
        """All of the state as named arrays."""
        with self._lock:
            assert self.columns is not None
            return self.columns.tensors()

    def snapshot(self) -> tuple[list[Any], dict[str, NDArray[Any]]]:
        """Labels in order of arrival and all of the state, both of one moment."""
        with self._lock:
            return list(self.labels.arrived), self.tensors()

    @classmethod
    def restored(cls, setup: Setup, labels: Labels, tensors: dict[str, NDArray[Any]]) -> "Model":
        """Return the model whose state `tensors` gave."""
        classes = form_of(tensors).classes
        if len(labels) != classes and not classes < len(labels) <= 2:
            raise FileError(f"it has {len(labels)} labels for {classes} classes")
        model = cls(setup)
        model.columns = Columns.restored(setup, tensors)
        model._adopt(labels)
        return model

    def __getstate__(self) -> dict[str, Any]:
        """State for pickle and copy: plain data only."""
        with self._lock:
            tensors = None if self.columns is None else self.columns.tensors()
            return {"setup": self.setup, "arrived": self.labels.arrived, "tensors": tensors}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Rebuild from `__getstate__`."""
        self.__init__(state["setup"])  # type: ignore[misc]
        if state["tensors"] is not None:
            self.columns = Columns.restored(self.setup, state["tensors"])
        self._adopt(Labels(state["arrived"]))


def single(x: Any) -> Rows:
    """Return one dict or 1-D array as a block of one row."""
    if isinstance(x, dict):
        return Named([dict(x)])
    row = as_array(x)
    if row.ndim != 1:
        raise DataError(
            f"One row is a dict or a 1-D array, not an array of {row.ndim} dimensions; use learn or predict for blocks."
        )
    return Dense(as_floats(row[np.newaxis]))


def as_weights(sample_weight: Any, rows: int) -> Floats | None:
    """Return sample weights as f64, or None where every row weighs 1."""
    if sample_weight is None:
        return None
    given = as_array(sample_weight)
    if given.ndim > 1:
        raise DataError("Sample weights must be 1D array or scalar; give one number per row.")
    if isinstance(sample_weight, np.ma.MaskedArray) and np.ma.is_masked(sample_weight):
        row = int(np.flatnonzero(np.ma.getmaskarray(sample_weight))[0])
        raise DataError(f"sample_weight in row {row} is masked, so it is no number; give a number per row.")
    for row, weight in enumerate(given.ravel().tolist() if given.dtype.kind not in "biuf" else ()):
        if isinstance(weight, bool) or not math.isnan(as_number(weight)) or isinstance(weight, float):
            continue
        told = f"sample_weight in row {row} is {reprlib.repr(weight)}"
        raise DataError(f"{told}, which is no number that a float can hold; give a number per row.")
    weights = as_doubles(given if given.ndim else np.full(rows, given))
    if len(weights) != rows:
        raise DataError(f"sample_weight.shape == {weights.shape}, expected {(rows,)}: give one weight per row.")
    bad = np.flatnonzero(~((weights >= 0.0) & (weights <= LARGEST_WEIGHT)))
    if len(bad):
        raise DataError(
            f"sample_weight in row {bad[0]} is {float(weights[bad[0]])!r}; a weight must lie between 0 and 1e6: "
            "0 leaves the row out, divide all weights by a common factor if they are larger."
        )
    return weights


def _run(run: Callable[[Dense | Sparse], Any], block: Dense | Sparse, columns: Columns) -> Any:
    """Run a block, once more in canonical form when its columns are unsorted, and explain a refusal."""
    try:
        return run(block)
    except _core.RowRefused as refusal:
        if refusal.args[0] != "column_order" or not isinstance(block, Sparse):
            raise explained(refusal, columns.names, block) from None
    ordered = canonical(block)
    try:
        return run(ordered)
    except _core.RowRefused as refusal:
        raise explained(refusal, columns.names, ordered) from None


def _require_room(columns: Columns) -> None:
    """Refuse rows too wide to be kept whole."""
    core = columns.setup.core
    if columns.width > WIDEST_KEPT and (core["learning"] == "kernel" or core["method"] == "osmote"):
        keeper = "kernel" if core["learning"] == "kernel" else "osmote"
        raise DataError(
            f"X has {columns.width:,} columns, and {keeper} keeps whole rows, of at most {WIDEST_KEPT:,} columns; "
            "hash onto fewer (n_hash), select columns, or use another learner or method."
        )


def _third_class(codes: Any, labels: Labels, rule: str) -> DataError:
    rows = np.flatnonzero(codes == 2)
    where = f"The label in row {rows[0]}" if len(rows) else "A label in classes"
    third, known = reprlib.repr(labels.arrived[2]), " and ".join(reprlib.repr(label) for label in labels.arrived[:2])
    return DataError(f"{where} is {third}, a third class beside {known}, and {rule}.")


def _unknown_label(y: NDArray[Any], codes: Any, known: Labels) -> DataError:
    row = int(np.flatnonzero(codes >= len(known))[0])
    listed = ", ".join(repr(label) for label in known.classes.tolist())
    return DataError(
        f"The label in row {row} is {reprlib.repr(y.tolist()[row])}, which is not among the classes {listed} of the first call; "
        "name it in classes= there, or use learn, which accepts new classes."
    )
