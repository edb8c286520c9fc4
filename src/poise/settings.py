"""Parameters of a classifier to the settings of the core, each checked."""

import reprlib
from typing import Any

import numpy as np

from poise import learners, methods
from poise.columns import Setup
from poise.errors import ParameterError, require_choice, require_number
from poise.learners import Learner
from poise.methods import Method

#: Parameters every classifier has beside its method and learner.
SHARED = (
    "standardize",
    "fit_intercept",
    "average",
    "unit_rows",
    "eta0",
    "learning_rate",
    "power_t",
    "radius",
    "positive",
    "missing",
    "n_hash",
    "random_state",
)


def method_value(method: Any) -> Method:
    """Return the method a name stands for, or the value itself."""
    if isinstance(method, Method):
        return method
    if isinstance(method, str):
        return methods.get(method)()
    raise ParameterError(f"method is {reprlib.repr(method)}; give a name such as 'hgd' or a value such as HGD(memory=0.995).")


def learner_value(learner: Any) -> Learner:
    """Return the learner a name stands for, or the value itself."""
    if isinstance(learner, Learner):
        return learner
    if isinstance(learner, str):
        return learners.get(learner)()
    raise ParameterError(f"learner is {reprlib.repr(learner)}; give a name such as 'logistic' or a value such as SVM().")


def setup_of(classifier: Any, method: Method) -> Setup:
    """Check a classifier's parameters and return the setup of its model."""
    given = {name: getattr(classifier, name) for name in SHARED}
    require_choice("standardize", given["standardize"], ("auto", "center", "scale", None))
    require_choice("learning_rate", given["learning_rate"], ("constant", "sqrt", "invscaling"))
    require_choice("missing", given["missing"], ("error", "zero"))
    for name in ("fit_intercept", "unit_rows"):
        require_choice(name, given[name], (True, False))
    average, slowest = _average(given["average"])
    core = {
        **method.settings(),
        "loss": learner_value(classifier.learner).loss,
        "learning_rate": given["learning_rate"],
        "intercept": bool(given["fit_intercept"]),
        "average": average,
        "slowest_average": slowest,
        "unit_rows": bool(given["unit_rows"]),
        "skip_missing": given["missing"] == "zero",
        "eta0": require_number("eta0", given["eta0"], 0.0, 1e6),
        "power_t": require_number("power_t", given["power_t"], 0.0, 10.0),
        "radius": 0.0 if given["radius"] is None else require_number("radius", given["radius"], 0.0, 1e90, ", or None"),
    }
    _require_seed(given["random_state"])
    _require_label("positive", given["positive"])
    width, owner = _hash_width(given["n_hash"]), type(classifier).__name__
    return Setup(core, given["standardize"], given["positive"], width, owner, method.two_classes)


def _average(value: Any) -> tuple[bool, float]:
    """Return whether to average and the slowest rate."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value), 0.002
    rate = require_number("average", value, 0.0, 1.0, ", True or False")
    return rate < 1.0, rate


def _whole(value: Any) -> int:
    """Return a whole number as an int; -1, which no parameter may be, for anything else."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    return int(value) if whole else -1


def _hash_width(value: Any) -> int | None:
    if value is None:
        return None
    width = _whole(value)
    if width < 1 or width > 1 << 28 or width & (width - 1):
        raise ParameterError(f"n_hash is {reprlib.repr(value)}; it must be a power of two up to 2**28, such as 2**18, or None.")
    return width


def _require_label(parameter: str, value: Any) -> None:
    try:
        hash(value)
        nameable = bool(value == value)  # noqa: PLR0124 - false for NaN of any type
    except TypeError:
        nameable = False
    if not nameable:
        raise ParameterError(f"{parameter} is {reprlib.repr(value)}; it must be a label, such as 1 or 'fraud', or None.")


def _require_seed(value: Any) -> None:
    if value is not None and not 0 <= _whole(value) < 1 << 32:
        raise ParameterError(f"random_state is {reprlib.repr(value)}; it must be a whole number from 0 to 2**32 - 1, or None.")
