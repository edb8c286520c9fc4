"""What a classifier has learned, as attributes: classes, weights in raw units, the ledger."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.columns import CENTER, NONE, SCALE
from poise.errors import NotFittedError
from poise.ledger import Ledger
from poise.model import Model

Scores = NDArray[np.float64]


class Learned:
    """Attributes with a trailing underscore; they are there once a row was learned."""

    _model: Model | None

    def _fitted(self) -> Model:
        model: Model | None = getattr(self, "_model", None)
        if model is None:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet; "
                "call fit, partial_fit or learn before asking it anything."
            )
        return model

    def _learned(self, attribute: str) -> Model:
        """Return the model, or refuse the way Python refuses an attribute that is not there."""
        model: Model | None = getattr(self, "_model", None)
        if model is None:
            raise AttributeError(
                f"{type(self).__name__} has no {attribute} before it has learned a row; call fit or learn first."
            )
        return model

    @property
    def classes_(self) -> NDArray[Any]:
        """Known labels, sorted."""
        return self._learned("classes_").labels.classes

    @property
    def n_features_in_(self) -> int:
        """Number of columns."""
        model = self._learned("n_features_in_")
        with model.lock:
            return int(model.core.width)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the columns, where they have any."""
        model = self._learned("feature_names_in_")
        with model.lock:
            names = model.columns.names if model.columns else None
        if names is None:
            raise AttributeError("feature_names_in_ is there only for tables and dicts; this model's columns have no names.")
        return np.array(names, dtype=object)

    @property
    def n_seen_(self) -> int:
        """Number of rows learned."""
        model = self._learned("n_seen_")
        with model.lock:
            return int(model.core.rows)

    @property
    def ledger_(self) -> Ledger:
        """Per class: seen, share, pulled and travelled."""
        model = self._learned("ledger_")
        with model.lock:
            state, labels = model.core.state(), model.labels
        order = labels.order
        seen = state["ledger_seen"][0][order]
        share, pulled, travelled = state["ledger_sums"][order].T.copy()
        if not share.any():  # no shares that forget
            share = seen / max(1, int(seen.sum()))
        return Ledger(labels.classes, seen, share, pulled, travelled)

    @property
    def coef_(self) -> Scores:
        """Weights in the units of the raw columns, one row for two classes, else one per class; first by member, if many."""
        return self._linear("coef_")[0]

    @property
    def intercept_(self) -> Scores:
        """Constant of the score, in the units of the raw columns."""
        return self._linear("intercept_")[1]

    def _linear(self, attribute: str) -> tuple[Scores, Scores]:
        model = self._learned(attribute)
        core = model.setup.core
        if core["learning"] != "linear":
            raise AttributeError(f"{type(self).__name__} has no {attribute} with a {core['learning']} learner: it is not linear.")
        with model.lock:
            state, labels = model.core.state(), model.labels
        if core["method"] == "csrda":
            state = {**state, **_averaged_gradients(state, core)}
        coef, intercept = _raw_units(state)
        members = core["members"]
        if labels.many:
            coef, intercept = coef.reshape(members, labels.many, -1), intercept.reshape(members, labels.many)
            coef, intercept = coef[:, labels.order], intercept[:, labels.order]
            return (coef, intercept) if members > 1 else (coef[0], intercept[0])
        return (-coef, -intercept) if labels.flip else (coef, intercept)


def _averaged_gradients(state: dict[str, NDArray[Any]], core: dict[str, Any]) -> dict[str, NDArray[Any]]:
    """Weights of dual averaging from its sums of steps."""
    rows = max(1, int(state["tally_counts"][0, 0]))

    def weights(sums: NDArray[Any]) -> NDArray[Any]:
        size = np.maximum(np.abs(sums) / rows - core["threshold"], 0.0)
        return np.asarray(np.sqrt(rows) / core["strength"] * np.sign(sums) * size)

    return {name: weights(state[name]) for name in ("weights", "intercept")}


def _raw_units(state: dict[str, NDArray[Any]]) -> tuple[Scores, Scores]:
    """Weights and intercepts that give the same scores on raw columns, as long as no value is clipped."""
    blend = state["tally_factors"][0, 0]
    weights, intercept = state["weights"].copy(), state["intercept"][:, 0].copy()
    if "shadow" in state:
        weights += blend * state["shadow"]
        intercept += blend * state["shadow_intercept"][:, 0]
    scaling, _, is_open, width, _ = (int(v) for v in state["columns"][0])
    if scaling == NONE:
        return weights, intercept
    rows, entries = int(state["tally_counts"][0, 0]), int(state["tally_counts"][0, 1])
    mean, variance, kind = _statistics(state, scaling, rows)
    active = entries / rows if is_open and rows else width
    with np.errstate(divide="ignore"):
        factor = np.where(variance > 0, 1.0 / np.sqrt(variance), 0.0) / np.sqrt(max(active, 1e-300))
    weights *= np.where(kind == NONE, 1.0 / np.sqrt(max(active, 1e-300)), factor)
    intercept -= weights @ np.where(kind == CENTER, mean, 0.0)
    return weights, intercept


def _statistics(state: dict[str, NDArray[Any]], scaling: int, rows: int) -> tuple[Scores, Scores, NDArray[Any]]:
    """Mean, variance and kind of scaling of each column."""
    mean, spread = state["scaler_mean"][0], state["scaler_spread"][0]
    kind = state["column_kind"][0] if "column_kind" in state else np.full(len(mean), scaling)
    count = state["scaler_count"][0].astype(np.float64) if "scaler_count" in state else np.full(len(mean), float(rows))
    of_seen = spread / np.maximum(count, 1.0)
    share = count / max(rows, 1)
    with_zeros = spread / max(rows, 1) + mean**2 * share * (1.0 - share)
    return mean, np.where(kind == SCALE, with_zeros, of_seen), kind
