"""Single models that learn a row more often, less often, or with synthetic company: OOR, OUR, OHR, OSMOTE."""

from dataclasses import dataclass
from typing import Any, ClassVar

from poise.errors import require_choice, require_count
from poise.learners import Learner
from poise.methods.parameters import given, require_ratio, require_repeat_mode, require_share
from poise.methods.registry import Method, register

RESAMPLING = "Wang, Minku & Yao, TKDE 2015 (the idea), one model"


@dataclass(frozen=True, kw_only=True, repr=False)
class _Repeating(Method):
    """A method that repeats rows of a class."""

    ir: float | None = None
    repeat_mode: str | None = None

    family: ClassVar[str] = "resampling"
    paper: ClassVar[str] = RESAMPLING
    standing: ClassVar[str] = "reconstructed"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_ratio(self.ir)
        require_repeat_mode(self.repeat_mode)

    def settings(self, learner: Learner) -> dict[str, Any]:
        """Return what the core needs to know beside what is usual."""
        mode = self.repeat_mode or ("weight" if self.published else "sequential")
        return {"method": self.name, "ir": given(self.ir, 0.0), "repeats_weigh": mode == "weight"}


@register("oor")
@dataclass(frozen=True, kw_only=True, repr=False)
class OOR(_Repeating):
    """Online over-sampling: a positive row is learned Poisson(ir) times.

    With more than two classes a row is learned Poisson(largest count / own count) times.

    Parameters
    ----------
    ir
        Negatives per positive of the whole stream; None: counted as the stream goes.
    repeat_mode
        "sequential" takes a step per repeat, the loss worked out anew; "weight" takes one step of that weight. None: as the
        reading says, sequential for the textbook.
    reading
        "textbook", or "paper": repeats are one weighted step.

    Examples
    --------
    >>> from poise import OOR
    >>> OOR(ir=9.0)
    OOR(ir=9.0)
    """

    title: ClassVar[str] = "Online over-sampling"


@register("our")
@dataclass(frozen=True, kw_only=True, repr=False)
class OUR(_Repeating):
    """Online under-sampling: a negative row is learned Poisson(1 / ir) times.

    With more than two classes a row is learned Poisson(smallest count / own count) times.

    Parameters
    ----------
    ir, repeat_mode, reading
        As in `OOR`.

    Examples
    --------
    >>> from poise import OUR
    >>> OUR().name
    'our'
    """

    title: ClassVar[str] = "Online under-sampling"


@register("ohr")
@dataclass(frozen=True, kw_only=True, repr=False)
class OHR(_Repeating):
    """Online hybrid resampling: for each row a coin decides between over- and under-sampling (two classes only).

    Parameters
    ----------
    mode
        "coin"; "sqrt" (both rates at once, by the root of the ratio); "literal" (both rates at once, which turns the imbalance
        round). None: as the reading says, "coin" for the textbook.
    decay
        How slowly the class shares of the paper's reading forget.
    ir, repeat_mode, reading
        As in `OOR`; the paper's reading takes its rates from decayed class shares (kernel: "literal").

    Examples
    --------
    >>> from poise import OHR
    >>> OHR(mode="sqrt")
    OHR(mode='sqrt')
    """

    mode: str | None = None
    decay: float = 0.9

    title: ClassVar[str] = "Online hybrid resampling"
    instead_of_two_classes: ClassVar[str | None] = "oor or our"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice("mode", self.mode, (None, "coin", "sqrt", "literal"))
        require_share("decay", self.decay)

    def settings(self, learner: Learner) -> dict[str, Any]:
        """Return what the core needs to know beside what is usual."""
        usual = "coin" if not self.published else "literal" if learner.name == "kernel" else "shares"
        return {**super().settings(learner), "coin": self.mode or usual, "decay": float(self.decay)}


@register("osmote")
@dataclass(frozen=True, kw_only=True, repr=False)
class OSMOTE(Method):
    """Online SMOTE: a minority row brings synthetic rows, on the way to its nearest neighbours among those kept.

    With more than two classes every class but the largest is enlarged, the more often the rarer it is.

    Parameters
    ----------
    neighbors
        Nearest rows of the class; each brings one synthetic row.
    buffer
        Rows of a class that are kept, the oldest dropped. None: as the reading says, 100 for the textbook and all for the paper.
    ir
        Negatives per positive of the whole stream; None: counted as the stream goes.
    reading
        "textbook", or "paper": at most one synthetic row, with probability 1 - 1 / ir, toward a random neighbour.

    Examples
    --------
    >>> from poise import OSMOTE
    >>> OSMOTE(neighbors=5)
    OSMOTE(neighbors=5)
    """

    neighbors: int = 3
    buffer: int | None = None
    ir: float | None = None

    family: ClassVar[str] = "resampling"
    title: ClassVar[str] = "One-pass online SMOTE"
    paper: ClassVar[str] = "Chawla et al., JAIR 2002; Wang & Pineau, TKDE 2016"
    standing: ClassVar[str] = "reconstructed"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_count("neighbors", self.neighbors, 64)
        require_count("buffer", self.buffer, 1_000_000_000, none=True)
        require_ratio(self.ir)

    def settings(self, learner: Learner) -> dict[str, Any]:
        """Return what the core needs to know beside what is usual."""
        return {
            "method": "osmote",
            "neighbors": self.neighbors,
            "buffer": self.buffer or (0 if self.published else 100),
            "one_synthetic": self.published,
            "ir": given(self.ir, 0.0),
        }
