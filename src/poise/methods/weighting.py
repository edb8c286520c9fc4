"""Methods that give each row one weight: OGD and HGD."""

import reprlib
from dataclasses import dataclass
from typing import Any, ClassVar

from poise.errors import ParameterError, as_number, require_choice
from poise.methods.registry import Method, register

NO_WEIGHTING: dict[str, Any] = {
    "clamp": "none",
    "largest_weight": 0.0,
    "memory": 0.0,
    "multiclass": "complement",
    "squared_pull": False,
}


@register()
@dataclass(frozen=True, kw_only=True)
class OGD(Method):
    """Online gradient descent: every row pulls as hard as its loss says.

    Examples
    --------
    >>> from poise import OGD
    >>> OGD()
    OGD()
    """

    name: ClassVar[str] = "ogd"
    title: ClassVar[str] = "Online gradient descent"
    paper: ClassVar[str] = "Zinkevich, ICML 2003"
    standing: ClassVar[str] = "firm"

    def settings(self) -> dict[str, Any]:
        """Return what the core needs to know."""
        return {"method": "ogd", **NO_WEIGHTING}


@register()
@dataclass(frozen=True, kw_only=True)
class HGD(Method):
    """Harmonized gradient descent: each class gets an equal pull on the model.

    Parameters
    ----------
    clamp
        Largest weight a row may get; "assumption4" keeps it between 1/R and 2R, R the largest class ratio so far; None sets
        no limit (then the first row of a late class weighs as much as half of all rows before it).
    norm
        What counts as a class's pull: "plain" is the length of its steps, "squared" the weight times the squared length of
        the unweighted step, as printed.
    memory
        None counts all rows alike. A number below 1 (0.995 remembers some 200 rows) lets old rows fade, for streams whose
        class ratio changes.
    multiclass
        For more than two classes: "complement" weighs by the pull of all other classes, "inverse" by one over the class's
        own, "printed" is the published rule, which feeds back the wrong way.
    variant
        "hgd", or "ohgd": the authors' released predecessor, where the loss value is a factor (two classes only).

    Examples
    --------
    >>> from poise import HGD, StreamClassifier
    >>> StreamClassifier(HGD(memory=0.995)).method.memory
    0.995
    """

    clamp: float | str | None = 100.0
    norm: str = "plain"
    memory: float | None = None
    multiclass: str = "complement"
    variant: str = "hgd"

    name: ClassVar[str] = "hgd"
    title: ClassVar[str] = "Harmonized gradient descent"
    paper: ClassVar[str] = "Zhou et al., arXiv 2508.11353"
    standing: ClassVar[str] = "firm"
    as_published: ClassVar[dict[str, Any]] = {"clamp": None}

    def __post_init__(self) -> None:
        require_choice("norm", self.norm, ("plain", "squared"))
        require_choice("multiclass", self.multiclass, ("complement", "inverse", "printed"))
        require_choice("variant", self.variant, ("hgd", "ohgd"))
        named = self.clamp is None or (isinstance(self.clamp, str) and self.clamp == "assumption4")
        if not named and not 0 < as_number(self.clamp) < float("inf"):
            raise ParameterError(f"clamp is {reprlib.repr(self.clamp)}; it must be a number above 0, 'assumption4' or None.")
        if self.memory is not None and not 0 < as_number(self.memory) < 1:
            raise ParameterError(
                f"memory is {reprlib.repr(self.memory)}; it must lie between 0 and 1, or be None for plain counts."
            )

    @property
    def two_classes(self) -> str | None:
        """What is defined for two classes only, and what to use for more; None: any number will do."""
        return "variant='ohgd' is defined for two classes only; use variant='hgd'" if self.variant == "ohgd" else None

    def settings(self) -> dict[str, Any]:
        """Return what the core needs to know."""
        limited = self.clamp is not None and not isinstance(self.clamp, str)
        return {
            "method": self.variant,
            "clamp": "value" if limited else self.clamp or "none",
            "largest_weight": float(self.clamp or 0.0) if limited else 0.0,
            "memory": float(self.memory or 0.0),
            "multiclass": self.multiclass,
            "squared_pull": self.norm == "squared",
        }
