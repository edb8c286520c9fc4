"""From the name of a method to the method."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from .bagging import OB, OEB, OKB, OOB, OUB, OUOB, OWOB, OWUB, WEOB
from .boosting import OCSB2, ORUSB, OAdaB, OAdaC2
from .dual_averaging import CSRDA
from .method import Method
from .resampling import OHR, OOR, OSMOTE, OUR
from .weighting import HGD, OGD, CSOGDCost, CSOGDSum

METHODS: dict[str, Callable[..., Method]] = {
    "ogd": OGD,
    "hgd": HGD,
    "osmote": OSMOTE,
    "oor": OOR,
    "our": OUR,
    "ohr": OHR,
    **{f"csrda{form}": partial(CSRDA, form=form) for form in (1, 2, 3, 4)},
    **{f"csogd_cost{form}": partial(CSOGDCost, form=form) for form in (1, 2)},
    **{f"csogd_sum{form}": partial(CSOGDSum, form=form) for form in (1, 2)},
    "ob": OB,
    "oadab": OAdaB,
    "okb": OKB,
    "oub": OUB,
    "owub": OWUB,
    "oob": OOB,
    "owob": OWOB,
    "oadac2": OAdaC2,
    "ocsb2": OCSB2,
    **{f"orusb{form}": partial(ORUSB, form=form) for form in (1, 2, 3)},
    "ouob": OUOB,
    "oeb": OEB,
    "weob1": partial(WEOB, best=False),
    "weob2": partial(WEOB, best=True),
}


def build(name: str, learner: str, params: Mapping[str, Any] | None) -> Method:
    """Return a method for a learner, or raise ValueError where they do not go together."""
    if name not in METHODS:
        raise ValueError(f"method={name!r} is not one of {tuple(METHODS)}.")
    method = METHODS[name](**(params or {}))
    method.check(learner)
    return method
