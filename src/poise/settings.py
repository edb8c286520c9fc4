"""Parameters of a classifier to the settings of the core, each checked."""

import reprlib
from typing import Any

import numpy as np

from poise import learners, methods
from poise.columns import Setup
from poise.draws import start
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


#: What the core is told unless a method or learner says otherwise.
USUAL: dict[str, Any] = {
    "clamp": "none",
    "largest_weight": 0.0,
    "memory": 0.0,
    "multiclass": "complement",
    "squared_pull": False,
    "together": False,
    "repeats_weigh": False,
    "minority_rates": False,
    "plain_votes": False,
    "plain_rates": False,
    "by_counts": False,
    "one_synthetic": False,
    "margin_cost": False,
    "squared_loss": False,
    "frequency_cost": False,
    "coin": "coin",
    "form": 1,
    "members": 1,
    "ir": 0.0,
    "decay": 0.9,
    "positive_cost": 1.0,
    "negative_cost": 1.0,
    "kept": 0.7,
    "threshold": 0.0,
    "strength": 1.0,
    "neighbors": 3,
    "buffer": 100,
    "kernel": "rbf",
    "drops_smallest": False,
    "gamma": 0.0,
    "degree": 3.0,
    "coef0": 1.0,
    "budget": 0,
    "features": 0,
    "memo": 0,
}


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
    learner = learner_value(classifier.learner)
    method.require_learner(learner)
    average, slowest = _average(given["average"], method, learner)
    _require_seed(given["random_state"])
    seed = int(given["random_state"] or 0)
    core = {
        **USUAL,
        **learner.settings(),
        **method.settings(learner),
        "seed": start(method.name, seed) if method.draws else 0,
        "wave_seed": start("fourier", seed) if learner.family == "fourier" else 0,
        "learning_rate": given["learning_rate"],
        "intercept": bool(given["fit_intercept"]),
        "average": average,
        "slowest_average": slowest,
        "unit_rows": bool(given["unit_rows"]),
        "skip_missing": given["missing"] == "zero",
        "eta0": require_number("eta0", given["eta0"], 0.0, 1e6),
        "power_t": require_number("power_t", given["power_t"], 0.0, 10.0),
        "radius": _radius(given["radius"], method, learner),
    }
    _require_label("positive", given["positive"])
    width, owner = _hash_width(given["n_hash"]), type(classifier).__name__
    return Setup(core, given["standardize"], given["positive"], width, owner, method.two_classes)


def _average(value: Any, method: Method, learner: Learner) -> tuple[bool, float]:
    """Return whether to average and the slowest rate."""
    possible = method.averages and learner.averages
    if isinstance(value, str) and value == "auto":
        return possible, 0.002
    if isinstance(value, (bool, np.bool_)):
        rate = 0.002 if value else 1.0
    else:
        rate = require_number("average", value, 0.0, 1.0, ", True, False or 'auto'")
    if rate < 1.0 and not possible:
        unable = learner.name if not learner.averages else method.name
        raise ParameterError(f"average is {value!r}, and {unable} has no weights to average; use average='auto' or False.")
    return rate < 1.0, 0.002 if isinstance(value, (bool, np.bool_)) else rate


def _radius(value: Any, method: Method, learner: Learner) -> float:
    """Return the radius of the ball of weights, 0 for none."""
    if value is None:
        return 0.0
    radius = require_number("radius", value, 0.0, 1e90, ", or None")
    if learner.family != "linear" or method.many_members > 1 or not method.averages:
        unable = learner.name if learner.family != "linear" else method.name
        raise ParameterError(
            f"radius is {value!r}, and only the weights of one linear model are kept in a ball, not {unable}; use radius=None."
        )
    return radius


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
