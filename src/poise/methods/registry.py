"""The registry of methods: what each is called, where it comes from, and how far its definition can be trusted."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, TypeVar

from poise.errors import ParameterError, closest, require_choice
from poise.learners import Learner

#: How far a definition can be trusted, from the most to the least.
STANDINGS = ("firm", "derived", "reconstructed", "stand-in")
FAMILIES = ("weighting", "resampling", "dual averaging", "bagging", "boosting", "own")


@dataclass(frozen=True, kw_only=True, repr=False)
class Method:
    """What every method says of itself; a method is a frozen dataclass of its parameters."""

    reading: str = "textbook"

    family: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str]
    standing: ClassVar[str] = "firm"
    as_published: ClassVar[dict[str, Any]] = {"reading": "paper"}
    #: What takes its place where there are more than two classes; None: it is defined for any number.
    instead_of_two_classes: ClassVar[str | None] = None

    def __post_init__(self) -> None:
        require_choice("reading", self.reading, ("textbook", "paper"))

    def __repr__(self) -> str:
        """Show what differs from the defaults."""
        changed = [f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if getattr(self, f.name) != f.default]
        return f"{type(self).__name__}({', '.join(changed)})"

    @property
    def entry(self) -> "Entry":
        """The method's entry in the registry; for a subclass that has none, that of the class it comes from."""
        for kind in type(self).__mro__:
            for entry in _REGISTRY.values():
                if entry.kind is kind and entry.describes(self):
                    return entry
        raise ParameterError(
            f"{type(self).__name__} is not registered, or no longer; enter it with poise.method, or use a name of "
            "poise.methods.names()."
        )

    @property
    def name(self) -> str:
        """The method's name in the registry."""
        return self.entry.name

    @property
    def published(self) -> bool:
        """Whether this is the paper's reading rather than the textbook's."""
        return self.reading == "paper"

    @property
    def needs_ratio(self) -> bool:
        """Whether it uses `ir`, the negatives per positive of the whole stream."""
        return "ir" in {field.name for field in fields(self)}

    @property
    def two_classes(self) -> str | None:
        """What is defined for two classes only, and what to use for more; None: any number will do."""
        if self.instead_of_two_classes:
            return f"{self.name} is defined for two classes only; use {self.instead_of_two_classes}"
        if self.published and self.family not in ("weighting", "own"):
            return "reading='paper' is defined for two classes only; use reading='textbook'"
        return None

    @property
    def draws(self) -> bool:
        """Whether it draws random numbers."""
        return self.family not in ("weighting", "dual averaging")

    @property
    def averages(self) -> bool:
        """Whether the weights can be averaged."""
        return True

    @property
    def many_members(self) -> int:
        """Number of models that learn side by side."""
        return 1

    def require_learner(self, learner: Learner) -> None:
        """Refuse a learner for which the method is not defined."""

    def settings(self, learner: Learner) -> dict[str, Any]:
        """Return what the core needs to know beside what is usual."""
        raise TypeError(f"{type(self).__name__} says nothing to the core: define settings().")


@dataclass(frozen=True)
class Entry:
    """One line of the registry.

    Examples
    --------
    >>> from poise import methods
    >>> methods.get("ogd")
    Entry(name='ogd', title='Online gradient descent', family='weighting', paper='Zinkevich, ICML 2003', standing='firm')
    """

    name: str
    title: str
    family: str
    paper: str
    standing: str
    kind: type[Method]
    fixed: Mapping[str, Any]
    unused: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Show what a table shows."""
        told = ", ".join(f"{name}={getattr(self, name)!r}" for name in ("name", "title", "family", "paper", "standing"))
        return f"Entry({told})"

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters with their defaults."""
        own = [field for field in fields(self.kind) if field.name not in self.fixed and field.name not in self.unused]
        return {field.name: field.default for field in own if field.default is not MISSING}

    def describes(self, method: Method) -> bool:
        """Tell whether this is the line of a method."""
        return all(getattr(method, name) == value for name, value in self.fixed.items())

    @property
    def as_published(self) -> dict[str, Any]:
        """Parameters of the published setting."""
        return self.kind.as_published

    def __call__(self, **parameters: Any) -> Method:
        """Return the method with these parameters."""
        return self.kind(**{**parameters, **self.fixed})


_REGISTRY: dict[str, Entry] = {}
M = TypeVar("M", bound=type[Method])


def register(name: str, *, title: str = "", standing: str = "", unused: tuple[str, ...] = (), **fixed: Any) -> Callable[[M], M]:
    """Enter a method class under a name, with the parameters that this name stands for and those it does not use."""

    def enter(method: M) -> M:
        if name in _REGISTRY:
            own = _REGISTRY[name].family == FAMILIES[-1]
            remedy = f"choose another one{f', or call poise.methods.forget({name!r}) first' * own}"
            raise ParameterError(f"method name {name!r} is taken by {_REGISTRY[name].title!r}; {remedy}.")
        line = (title or method.title, method.family, method.paper, standing or method.standing)
        _REGISTRY[name] = Entry(name, *line, method, fixed, unused)
        return method

    return enter


def forget(name: str) -> None:
    """Take a method of your own out of the registry."""
    if name not in _REGISTRY or _REGISTRY[name].family != FAMILIES[-1]:
        raise ParameterError(f"method is {name!r}; only methods that were registered with poise.method can be forgotten.")
    del _REGISTRY[name]


def named(name: str, parameters: dict[str, Any]) -> Method:
    """Return the method called `name` with these parameters."""
    return get(name)(**parameters)


#: Loads what installed packages offer, once.
_SOURCES: list[Callable[[], None]] = []


def offer(load: Callable[[], None]) -> None:
    """Name a function that registers more methods; it is called when the registry is first asked for all, or an unknown one."""
    _SOURCES.append(load)


def _offered() -> None:
    while _SOURCES:
        _SOURCES.pop()()


def names() -> list[str]:
    """Names of all methods, in alphabetical order.

    Examples
    --------
    >>> from poise import methods
    >>> methods.names()[:4], len(methods.names()) >= 30
    (['csogd_cost1', 'csogd_cost2', 'csogd_sum1', 'csogd_sum2'], True)
    """
    _offered()
    return sorted(_REGISTRY)


def table() -> list[Entry]:
    """All methods by family and name, each with its title, paper, standing and parameters.

    Examples
    --------
    >>> from poise import methods
    >>> [entry.name for entry in methods.table() if entry.family == "boosting"]
    ['oadab', 'oadac2', 'ocsb2', 'orusb1', 'orusb2', 'orusb3']
    """
    _offered()
    return sorted(_REGISTRY.values(), key=lambda entry: (FAMILIES.index(entry.family), entry.name))


def get(name: str) -> Entry:
    """Line of the method called `name`; calling it gives the method.

    Examples
    --------
    >>> from poise import methods
    >>> methods.get("hgd").title
    'Harmonized gradient descent'
    >>> methods.get("csogd_sum2")(ir=9.0)
    CSOGD(kind='sum', form='II', ir=9.0)
    """
    if name not in _REGISTRY:
        _offered()
    if name not in _REGISTRY:
        raise ParameterError(f"method is {name!r}; known are {', '.join(names())}{closest(name, names())}")
    return _REGISTRY[name]
