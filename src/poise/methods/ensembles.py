"""What all ensembles share: a number of members."""

from dataclasses import dataclass
from typing import Any, ClassVar

from poise.errors import require_count
from poise.learners import Learner
from poise.methods.parameters import require_repeat_mode
from poise.methods.registry import Method


@dataclass(frozen=True, kw_only=True, repr=False)
class Ensemble(Method):
    """Several models side by side; each draws how often it learns a row."""

    members: int = 10
    repeat_mode: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require_count("members", self.members, 10_000)
        require_repeat_mode(self.repeat_mode)

    @property
    def many_members(self) -> int:
        """Number of models that learn side by side."""
        return self.members

    def settings(self, learner: Learner) -> dict[str, Any]:
        """Return what the core needs to know beside what is usual."""
        return {
            "method": self.name,
            "members": self.many_members,
            "together": self.published,
            "repeats_weigh": self.published or self.repeat_mode == "weight",
        }


@dataclass(frozen=True, kw_only=True, repr=False)
class Bagging(Ensemble):
    """An ensemble whose members draw independently of each other."""

    family: ClassVar[str] = "bagging"
