"""The registry of methods: name to class."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from poise.errors import ParameterError, closest


@dataclass(frozen=True, kw_only=True)
class Method:
    """What every method says of itself; a method is a frozen dataclass of its parameters."""

    name: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str]
    standing: ClassVar[str]
    as_published: ClassVar[dict[str, Any]] = {}

    @property
    def two_classes(self) -> str | None:
        """What is defined for two classes only, and what to use for more; None: any number will do."""
        return None

    def settings(self) -> dict[str, Any]:
        """Return what the core needs to know."""
        raise TypeError(f"{type(self).__name__} says nothing to the core: define settings().")


_REGISTRY: dict[str, type[Method]] = {}
M = TypeVar("M", bound=type[Method])


def register() -> Callable[[M], M]:
    """Enter a method class under its name."""

    def enter(method: M) -> M:
        _REGISTRY[method.name] = method
        return method

    return enter


def names() -> list[str]:
    """Names of all methods.

    Examples
    --------
    >>> from poise import methods
    >>> methods.names()
    ['hgd', 'ogd']
    """
    return sorted(_REGISTRY)


def get(name: str) -> type[Method]:
    """Class of the method called `name`.

    Examples
    --------
    >>> from poise import methods
    >>> methods.get("hgd").title
    'Harmonized gradient descent'
    """
    if name not in _REGISTRY:
        raise ParameterError(f"method is {name!r}; known are {', '.join(names())}{closest(name, names())}")
    return _REGISTRY[name]
