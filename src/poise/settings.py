"""Parameters of a classifier to the settings of the core, each checked."""

import math
from typing import Any

from poise import learners, methods
from poise.columns import Setup
from poise.errors import ParameterError, require_choice
from poise.learners import Learner
from poise.methods import Method

#: Parameters every classifier has beside its method and learner.
SHARED = (
    "standardize fit_intercept average unit_rows eta0 learning_rate power_t radius positive missing n_hash random_state"
).split()


def method_value(method: Any) -> Method:
    """Return the method a name stands for, or the value itself."""
    if isinstance(method, Method):
        return method
    if isinstance(method, str):
        return methods.get(method)()
    raise ParameterError(f"method is {method!r}; give a name such as 'hgd' or a value such as HGD(memory=0.995).")


def learner_value(learner: Any) -> Learner:
    """Return the learner a name stands for, or the value itself."""
    if isinstance(learner, Learner):
        return learner
    if isinstance(learner, str):
        return learners.get(learner)()
    raise ParameterError(f"learner is {learner!r}; give a name such as 'logistic' or a value such as SVM().")


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
        "eta0": _number("eta0", given["eta0"], 0.0, 1e6),
        "power_t": _number("power_t", given["power_t"], 0.0, 10.0),
        "radius": 0.0 if given["radius"] is None else _number("radius", given["radius"], 0.0, 1e90),
    }
    return Setup(core, given["standardize"], given["positive"], _hash_width(given["n_hash"]), type(classifier).__name__)


def _number(name: str, value: Any, low: float, high: float) -> float:
    """Return a number above `low` and at most `high`."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, (bool, str)) or not low < number <= high:
        raise ParameterError(f"{name} is {value!r}; it must be a number above {low:g} and at most {high:g}.")
    return number


def _average(value: Any) -> tuple[bool, float]:
    """Return whether to average and the slowest rate."""
    if value is True or value is False:
        return value, 0.002
    rate = _number("average", value, 0.0, 1.0)
    return rate < 1.0, rate


def _hash_width(value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 1 or value > 1 << 28 or value & (value - 1):
        raise ParameterError(f"n_hash is {value!r}; it must be a power of two up to 2**28, such as 2**18, or None.")
    return value
