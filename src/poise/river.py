"""Real river classifiers over the same core: dicts, pipelines, and blocks that equal rows one by one, bit for bit.

Scaling and the intercept are inside (see `poise.StreamClassifier`); rows may gain and lose features at any time.
"""

from dataclasses import replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

try:
    from river import base
except ImportError as absent:
    raise ImportError("poise.river needs river; install it with: pip install 'poise[river]'") from absent

from poise import classifier
from poise.columns import Setup
from poise.errors import DataError
from poise.features import Dense, Rows, as_rows
from poise.labels import as_labels
from poise.learners import Learner
from poise.methods import Method
from poise.model import Model, as_weights


class _River(base.MiniBatchClassifier):
    """River's verbs over a model in progress."""

    _model: Model

    def _start(self, setup: Setup) -> None:
        self._model = Model(replace(setup, open=True, owner=f"poise.river.{setup.owner}"))

    @property
    def _multiclass(self) -> bool:
        return True

    @property
    def _learned(self) -> bool:
        return self._model.columns is not None and len(self._model.labels) > 0

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None:
        """Learn one row.

        Parameters
        ----------
        x
            A dict of features.
        y
            Its label.
        w
            Factor for the length of its step.
        """
        self._model.learn_one(x if type(x) is dict else _as_dict(x), y, w)

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """Learn a block: exactly what `learn_one` would do with its rows in order.

        Parameters
        ----------
        X
            A table.
        y
            Its labels.
        w
            Factors for the length of the steps.
        """
        rows = _as_table(X)
        weights = as_weights(w, rows.rows)
        self._model.learn(rows, as_labels(y, rows.rows, weights), weights, scored=False)

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """Probability of each known label; empty before the first.

        Parameters
        ----------
        x
            A dict of features.
        """
        if not self._learned:
            return {}
        answer: dict[Any, float] = self._answering().predict_proba_one(x if type(x) is dict else _as_dict(x))
        return answer

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> Any:
        """Most likely label; None before the first.

        Parameters
        ----------
        x
            A dict of features.
        """
        return self._answering().predict_one(x if type(x) is dict else _as_dict(x)) if self._learned else None

    def predict_proba_many(self, X: Any) -> Any:
        """Probabilities as a table of the same kind as `X`, one column per label.

        Parameters
        ----------
        X
            A table.
        """
        frame = nw.from_native(X, eager_only=True)
        if not self._learned:
            return frame.select([]).to_native()
        scores, known = self._model.answer(_as_table(X))
        probabilities, labels = self._answering()._probable(scores, known), known.classes.tolist()
        if frame.implementation.is_pandas():
            return type(X)(probabilities, columns=labels, index=X.index)
        columns = {str(label): probabilities[:, k] for k, label in enumerate(labels)}
        return nw.from_dict(columns, backend=frame.implementation).to_native()

    def predict_many(self, X: Any) -> Any:
        """Most likely labels as a series of the same kind as `X`.

        Parameters
        ----------
        X
            A table.
        """
        frame = nw.from_native(X, eager_only=True)
        labels = np.array([], dtype=object)
        if self._learned:
            labels = self._answering()._decided(*self._model.answer(_as_table(X)))
        if frame.implementation.is_pandas():
            index = X.index if self._learned else X.index[:0]
            return X.iloc[:, 0].__class__(labels, index=index)
        return nw.new_series("y", labels.tolist(), backend=frame.implementation).to_native()

    def _answering(self) -> Any:
        """Return a scikit-learn face over the same model."""
        face = classifier.StreamClassifier(positive=self._model.setup.positive)
        face._model = self._model
        return face


def _as_dict(x: Any) -> dict[Any, Any]:
    try:
        return dict(x)
    except (TypeError, ValueError):
        told = f"A row is a dict of named features, and this one is of type {type(x).__name__}"
        raise DataError(f"{told}; use poise.StreamClassifier for arrays.") from None


def _as_table(X: Any) -> Rows:
    """Return a table as rows that keep their names, also those that are numbers."""
    rows = as_rows(X)
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(rows, Dense) and isinstance(frame, nw.DataFrame):
        return replace(rows, names=tuple(frame.columns))
    return rows


class StreamClassifier(_River):
    """Any method with any learner, as a river classifier; parameters as in `poise.StreamClassifier`.

    Parameters
    ----------
    method, learner, standardize, fit_intercept, average, unit_rows, eta0, learning_rate, power_t, radius, positive, missing
        See `poise.StreamClassifier`.
    n_hash, random_state
        See `poise.StreamClassifier`.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from poise.river import StreamClassifier
    >>> evaluate.progressive_val_score(datasets.Phishing(), StreamClassifier("ogd"), metrics.ROCAUC())
    ROCAUC: 95.10%
    """

    def __init__(
        self,
        method: str | Method = "hgd",
        learner: str | Learner = "logistic",
        *,
        standardize: str | None = "auto",
        fit_intercept: bool = True,
        average: bool | float | str = "auto",
        unit_rows: bool = False,
        eta0: float = 0.3,
        learning_rate: str = "constant",
        power_t: float = 0.5,
        radius: float | None = None,
        positive: Any = None,
        missing: str = "error",
        n_hash: int | None = None,
        random_state: int | None = None,
    ) -> None:
        given = {name: value for name, value in locals().items() if name not in ("self", "__class__")}
        vars(self).update(given)
        self._start(classifier.StreamClassifier(**given)._setup())


class HGDClassifier(_River):
    """Harmonized gradient descent as a river classifier; parameters as in `poise.HGDClassifier`.

    Parameters
    ----------
    learner, clamp, norm, memory, multiclass, variant, standardize, fit_intercept, average, unit_rows, eta0, learning_rate
        See `poise.HGDClassifier`.
    power_t, radius, positive, missing, n_hash, random_state
        See `poise.HGDClassifier`.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from poise.river import HGDClassifier
    >>> evaluate.progressive_val_score(datasets.Phishing(), HGDClassifier(), metrics.GeometricMean())
    GeometricMean: 89.14%
    """

    def __init__(
        self,
        learner: str | Learner = "logistic",
        *,
        clamp: float | str | None = 100.0,
        norm: str = "plain",
        memory: float | None = None,
        multiclass: str = "complement",
        variant: str = "hgd",
        standardize: str | None = "auto",
        fit_intercept: bool = True,
        average: bool | float | str = "auto",
        unit_rows: bool = False,
        eta0: float = 0.3,
        learning_rate: str = "constant",
        power_t: float = 0.5,
        radius: float | None = None,
        positive: Any = None,
        missing: str = "error",
        n_hash: int | None = None,
        random_state: int | None = None,
    ) -> None:
        given = {name: value for name, value in locals().items() if name not in ("self", "__class__")}
        vars(self).update(given)
        self._start(classifier.HGDClassifier(**given)._setup())
