"""The online classifier: scikit-learn's protocol over a model in progress, and the one-row family."""

import copy
import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from poise import _core
from poise.columns import Setup
from poise.errors import DataError, NotFittedError, ParameterError
from poise.features import as_rows
from poise.labels import Labels, as_classes, as_labels
from poise.learned import Learned
from poise.model import Model, as_weights

Scores = NDArray[np.float64]


class Online(Learned, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learning and answering, for blocks and for single rows; subclasses say what their setup is."""

    missing: str
    positive: Any

    def _setup(self) -> Setup:
        raise TypeError(f"{type(self).__name__} does not say how it is set up.")

    # ---- learning

    def fit(self, X: Any, y: ArrayLike | None, sample_weight: ArrayLike | None = None) -> Self:
        """Forget everything, then learn the rows once, in their order.

        Parameters
        ----------
        X
            Rows: an array, a scipy sparse matrix, a table, or a list of dicts.
        y
            One label per row.
        sample_weight
            One factor per row for the length of its step, between 0 and 1e6.

        Returns
        -------
        The classifier.
        """
        model = Model(self._setup())
        rows = as_rows(X)
        weights = as_weights(sample_weight, rows.rows)
        labels = as_labels(y, rows.rows, weights)
        if rows.rows == 0:
            raise DataError("Found array with 0 sample(s) while a minimum of 1 is required by fit; give at least one row.")
        if weights is not None and not weights.any():
            raise DataError("All sample weights are zero: fit would learn nothing; give at least one row a positive weight.")
        codes, distinct = Labels().encode(labels, None if weights is None else weights == 0)
        _warn_of_blocks(codes)
        model.learn(rows, labels, weights, scored=False, classes=distinct.arrived)
        self._model = model
        return self

    def partial_fit(
        self,
        X: Any,
        y: ArrayLike | None,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn the rows in their order, once; scikit-learn's rules: `classes` at the first call, none may come later.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`; a weight of 0 leaves a row out.
        classes
            All labels there will ever be; needed at the first call.

        Returns
        -------
        The classifier.
        """
        self._learn(X, y, classes, sample_weight, scored=False, grow=False)
        return self

    def learn(
        self,
        X: Any,
        y: ArrayLike | None,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Scores:
        """Test, then train: score each row before it is learned.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`; a weight of 0 leaves a row out.
        classes
            Labels to know from the start; others may still come later.

        Returns
        -------
        One score per row, above 0 for ``classes_[1]``; with more than two classes a column per class, NaN where the class
        was not known yet.
        """
        scores: Scores = self._learn(X, y, classes, sample_weight, scored=True, grow=True)
        return scores

    def _learn(self, X: Any, y: Any, classes: Any, sample_weight: Any, *, scored: bool, grow: bool) -> Any:
        known = getattr(self, "_model", None)
        model = known or Model(self._setup())
        if not grow and known is None and classes is None:
            raise DataError("classes must be passed on the first call to partial_fit; give all labels there will ever be.")
        rows = as_rows(X)
        weights = as_weights(sample_weight, rows.rows)
        labels = as_labels(y, rows.rows, weights)
        listed = [] if classes is None else as_classes(classes)
        if not grow and known is not None and listed and set(listed) != set(model.labels.arrived):
            raise DataError(
                f"classes is {listed} and was {model.labels.classes.tolist()} at the first call; "
                "give the same classes, or use learn, which accepts new ones."
            )
        scores = model.learn(rows, labels, weights, scored=scored, grow=grow, classes=listed)
        if known is None and (first := self._first(model)) is not model:
            return first.learn(rows, labels, weights, scored=scored, grow=grow, classes=listed)
        return scores

    def _first(self, model: Model) -> Model:
        """Keep the model of the first call; returns another one if another thread was first."""
        kept: Model = self.__dict__.setdefault("_model", model)
        return kept

    def learn_one(self, x: Any, y: Any, sample_weight: float = 1.0) -> Any:
        """Learn one row; returns its score before it was learned.

        Parameters
        ----------
        x
            A dict of named features (numbers, texts, booleans) or a 1-D array.
        y
            Its label.
        sample_weight
            Factor for the length of its step; 0 leaves it out.
        """
        model = getattr(self, "_model", None)
        if model is None:
            model = Model(self._setup())
            score = model.learn_one(x, y, sample_weight)
            first = self._first(model)
            return score if first is model else first.learn_one(x, y, sample_weight)
        return model.learn_one(x, y, sample_weight)

    # ---- answering

    def decision_function(self, X: Any) -> Scores:
        """Score rows: above 0 means ``classes_[1]``; with more than two classes one column per class.

        Parameters
        ----------
        X
            Rows of any kind that `fit` takes.
        """
        scores: Scores = self._fitted().score(as_rows(X))
        return scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Most likely label of each row under equal class weights.

        Parameters
        ----------
        X
            Rows of any kind that `fit` takes.
        """
        return self._decided(*self._fitted().answer(as_rows(X)))

    def predict_proba(self, X: Any) -> Scores:
        """Probabilities per class: the sigmoid or softmax of the score, so those of a balanced stream.

        Parameters
        ----------
        X
            Rows of any kind that `fit` takes.
        """
        return self._probable(*self._fitted().answer(as_rows(X)))

    def decision_one(self, x: Any) -> Any:
        """Score one row, a dict or 1-D array.

        Parameters
        ----------
        x
            The row.
        """
        return self._fitted().score_one(x)

    def predict_one(self, x: Any) -> Any:
        """Most likely label of one row, a dict or 1-D array.

        Parameters
        ----------
        x
            The row.
        """
        score, labels = self._fitted().answer_one(x)
        return self._decided(np.reshape(score, (1, -1)), labels).item()

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """Probability of each label for one row, a dict or 1-D array.

        Parameters
        ----------
        x
            The row.
        """
        score, labels = self._fitted().answer_one(x)
        probabilities = self._probable(np.reshape(score, (1, -1)), labels)[0]
        return dict(zip(labels.classes.tolist(), probabilities.tolist(), strict=True))

    def _decided(self, scores: Scores, labels: Labels) -> NDArray[Any]:
        self._require_labels(labels)
        if scores.ndim == 2 and scores.shape[1] > 1:
            return labels.decode(np.argmax(scores, axis=1))
        flat = scores.reshape(len(scores))
        if len(labels) == 1:
            return labels.decode(np.zeros(len(flat), dtype=np.intp))
        positive = self._fitted().setup.positive
        tie_is_upper = positive is None or positive != labels.classes[0]
        return labels.decode((flat >= 0 if tie_is_upper else flat > 0).astype(np.intp))

    def _probable(self, scores: Scores, labels: Labels) -> Scores:
        self._require_labels(labels)
        if len(labels) == 1:
            return np.ones((len(scores), 1))
        out = np.array(scores, dtype=np.float64, order="C")
        if out.ndim == 2 and out.shape[1] > 1:
            _core.proportions(out)
            return out
        upper = out.reshape(len(out), 1)
        lower = -upper
        _core.proportions(upper)
        _core.proportions(lower)
        return np.hstack([lower, upper])

    def _require_labels(self, labels: Labels) -> None:
        if not len(labels):
            raise NotFittedError(
                f"This {type(self).__name__} instance has met no label yet; learn a row with a weight above 0 first."
            )

    # ---- scikit-learn's protocol

    def set_params(self, **params: Any) -> Self:
        """Set parameters for the next `fit`; a model in progress keeps those it began with, and a warning says so.

        Parameters
        ----------
        params
            Parameters of the constructor by name.
        """
        super().set_params(**params)
        if self.__sklearn_is_fitted__() and not self._as_begun():
            changed = ", ".join(sorted(params))
            warnings.warn(
                f"{changed} set on a {type(self).__name__} that has begun to learn: the model in progress keeps the parameters "
                "it began with; call fit to start anew with the new ones.",
                UserWarning,
                stacklevel=2,
            )
        return self

    def _as_begun(self) -> bool:
        """Tell whether the parameters are those that the model in progress began with."""
        try:
            return self._setup() == self._fitted().setup
        except ParameterError:  # the next fit says what is wrong with it
            return False

    def __copy__(self) -> Self:
        """Copy the model in progress too: a copy and its original learn apart."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        if self.__sklearn_is_fitted__():
            other._model = copy.deepcopy(self._model)
        return other

    def __sklearn_is_fitted__(self) -> bool:
        """Tell scikit-learn whether anything was learned."""
        return getattr(self, "_model", None) is not None

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what this classifier can do."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing == "zero"
        return tags


def _warn_of_blocks(codes: NDArray[np.int32]) -> None:
    """Warn when the labels come in few runs: one pass over sorted rows ends with the last class in its ears."""
    n = len(codes)
    if n < 100:
        return
    runs = 1 + int(np.count_nonzero(codes[1:] != codes[:-1]))
    shares = np.unique(codes, return_counts=True)[1] / n
    expected = 1 + (n - 1) * (1.0 - float(np.sum(shares**2)))
    if len(shares) > 1 and runs < 0.1 * expected:
        warnings.warn(
            f"The labels come in {runs} runs where about {expected:.0f} would be usual for these rows in random order: "
            "fit learns row by row, so shuffle the rows first unless this is their true order in time.",
            UserWarning,
            stacklevel=3,
        )
