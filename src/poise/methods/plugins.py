"""A user's own method: one function, or a small class of functions, entered in the registry by a decorator."""

import dis
import inspect
import keyword
from collections import namedtuple
from collections.abc import Callable
from dataclasses import fields, make_dataclass
from itertools import pairwise
from typing import Any, ClassVar

from poise.errors import ParameterError, as_number
from poise.learners import Learner
from poise.methods.compiled import compiled
from poise.methods.registry import FAMILIES, Method, named, register

#: What a class may define; a function is its `weigh`.
PARTS = ("weigh", "repeats", "margin", "synthetic")
Function = Callable[..., Any]


class OwnMethod(Method):
    """A method made of a user's functions; its parameters are numbers."""

    family: ClassVar[str] = FAMILIES[-1]
    as_published: ClassVar[dict[str, Any]] = {}
    functions: ClassVar[dict[str, Function]]
    model_count: ClassVar[int] = 1
    memo_size: ClassVar[int] = 0
    compiles: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name != "reading" and not abs(as_number(value)) < float("inf"):
                raise ParameterError(f"{field.name} is {value!r}; a parameter of {self.name} must be a number.")

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the name and parameters, from which another process makes it again."""
        return named, (self.name, {field.name: getattr(self, field.name) for field in fields(self)})

    @property
    def many_members(self) -> int:
        """Number of models that learn side by side."""
        return self.model_count

    def settings(self, learner: Learner) -> dict[str, Any]:
        """Return what the core needs to know beside what is usual."""
        parameters = tuple((f.name, float(getattr(self, f.name))) for f in fields(self) if f.name != "reading")
        return {
            "method": "own",
            "members": self.model_count,
            "memo": self.memo_size,
            "own": (self.name, parameters),
        }


def own_functions(name: str, parameters: tuple[tuple[str, float], ...]) -> dict[str, Any]:
    """Return what the core asks for the method called `name`: addresses of compiled functions, or the functions themselves."""
    kind = named(name, {}).__class__
    assert issubclass(kind, OwnMethod)
    record = _record(tuple(key for key, _ in parameters))
    asked: dict[str, Any] = {
        "memo": kind.memo_size,
        "parameters": record(*(value for _, value in parameters)),
        "numbers": [value for _, value in parameters],
        "sees_row": "synthetic" in kind.functions or any(_reads(function, "x") for function in kind.functions.values()),
        "sees_loss": any(_reads(function, "loss", "slope") for function in kind.functions.values()),
        "calls_back": False,
    }
    for part, function in kind.functions.items():
        address = compiled(function, record) if kind.compiles and part != "synthetic" and _may_compile(function) else None
        asked[part] = address or function
        asked["calls_back"] |= address is None
    return asked


def method(
    name: str,
    *,
    paper: str = "",
    title: str = "",
    members: int = 1,
    memo: int = 0,
    repeats: bool | Function = False,
    margin: Function | None = None,
    synthetic: Function | None = None,
    two_classes: bool = False,
    compile: bool = True,  # noqa: A002 - what it does
    **parameters: float,
) -> Callable[[Any], Any]:
    """Enter a function, or a class of functions, in the registry as a method of your own.

    Each function takes ``(row, ledger, memo, p, rng)`` and returns a number. ``row`` tells y (the number of its class),
    positive, right, t, member, score, margin, loss, slope and x; ``ledger`` tells top_share and least_share, and ``ledger[y]``
    what is known of a class: seen, share, pulled, travelled. ``p`` holds the parameters; ``rng.uniform()`` and
    ``rng.poisson(rate)`` draw.

    Parameters
    ----------
    name
        Its name in the registry.
    paper, title
        Where it comes from, and one line about it (by default the first line of its docstring).
    members
        Number of models, which vote; the functions are asked for each.
    memo
        How many numbers it keeps from row to row; they start at 0 and are saved with the model.
    repeats
        True: the function returns how many steps a row takes, not its weight. A function: it does, beside the weight.
    margin
        A function that returns the margin asked of a row (hinge loss; usually 1).
    synthetic
        A function that yields up to 64 further rows like ``row.x`` to learn with the label of this row.
    two_classes
        Whether more than two classes are refused.
    compile
        Whether to compile it where numba is installed; what numba cannot compile, and what raises errors, is called back.
    parameters
        Its own parameters with their defaults, all numbers.

    Examples
    --------
    >>> import poise
    >>> @poise.method("rarity", paper="Nobody, 2026", ceiling=100.0)
    ... def rarity(row, ledger, memo, p, rng):
    ...     '''Weight a row by the share of the largest class over the share of its own.'''
    ...     return min(ledger.top_share / ledger[row.y].share, p.ceiling)
    >>> poise.StreamClassifier("rarity").fit([[0.0], [1.0], [1.1]], [0, 1, 1]).predict([[1.0]]).item()
    1
    >>> poise.methods.forget("rarity")
    """
    _require_form(name, members, memo, parameters)

    def enter(given: Any) -> Any:
        functions = _parts(name, given)
        if repeats is True:
            functions = {"repeats": functions["weigh"], **{k: f for k, f in functions.items() if k != "weigh"}}
        extra = {"repeats": repeats if callable(repeats) else None, "margin": margin, "synthetic": synthetic}
        functions |= {part: _function(function) for part, function in extra.items() if function is not None}
        for part, function in functions.items():
            _require_five(name, part, function)
        namespace = {
            "functions": functions,
            "title": title or (inspect.getdoc(given) or name).splitlines()[0],
            "paper": paper,
            "standing": "own",
            "model_count": members,
            "memo_size": memo,
            "compiles": compile,
            "instead_of_two_classes": "a method for more classes" if two_classes else None,
            "__doc__": inspect.getdoc(given),
            "__module__": getattr(given, "__module__", __name__),
        }
        own = [(key, float, value) for key, value in parameters.items()]
        kind = make_dataclass(name, own, bases=(OwnMethod,), namespace=namespace, frozen=True, kw_only=True, repr=False)
        register(name)(kind)
        return given

    return enter


def _parts(name: str, given: Any) -> dict[str, Function]:
    """Functions of a function or a class."""
    if not inspect.isclass(given):
        if not callable(given):
            raise ParameterError(f"method {name!r} is {given!r}; decorate a function or a class.")
        return {"weigh": _function(given)}
    functions = {part: _function(vars(given)[part]) for part in PARTS if part in vars(given)}
    if not functions:
        raise ParameterError(f"method {name!r}: its class defines none of {', '.join(PARTS)}; define at least weigh.")
    return functions


def _function(value: Any) -> Function:
    """Return a function of a class body, static or plain, or one by itself."""
    function: Function = value.__func__ if isinstance(value, staticmethod) else value
    plain: Function = getattr(function, "py_func", function)  # of one that numba has compiled already
    return plain


def _require_five(name: str, part: str, function: Function) -> None:
    given = list(inspect.signature(function).parameters)
    if len(given) != 5:
        raise ParameterError(
            f"method {name!r}: {part} takes {len(given)} arguments ({', '.join(given)}); it must take five: "
            "row, ledger, memo, p, rng."
        )


def _require_form(name: str, members: int, memo: int, parameters: dict[str, Any]) -> None:
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise ParameterError(f"method name is {name!r}; it must be a word such as 'rarity'.")
    if not isinstance(members, int) or not 1 <= members <= 10_000:
        raise ParameterError(f"members is {members!r}; it must be a whole number from 1 to 10,000.")
    if not isinstance(memo, int) or not 0 <= memo <= 1_000_000:
        raise ParameterError(f"memo is {memo!r}; it must be a whole number from 0 to 1,000,000.")
    taken = {*dir(OwnMethod), *OwnMethod.__annotations__, *Method.__annotations__}
    for key, value in parameters.items():
        if key in taken or key.startswith("_") or not key.isidentifier() or keyword.iskeyword(key):
            raise ParameterError(
                f"a parameter of {name} is called {key!r}, which means something else here; choose another name."
            )
        if not abs(as_number(value)) < float("inf"):
            raise ParameterError(f"{key} is {value!r}; a parameter of {name} must be a number.")


def _may_compile(function: Function) -> bool:
    """Tell whether a function is worth a try: one that raises errors of its own is called back, so that they come through."""
    return inspect.isfunction(function) and all(step.opname != "RAISE_VARARGS" for step in dis.get_instructions(function))


def _reads(function: Function, *facts: str) -> bool:
    """Tell whether a function reads these facts of a row, or hands the row on to what might; they cost time to work out."""
    code = getattr(function, "__code__", None)
    if code is None or code.co_argcount != 5 or code.co_varnames[0] in code.co_cellvars:
        return True
    steps = [step for step in dis.get_instructions(code) if step.opname != "CACHE"]
    for step, after in pairwise(steps):
        loads = "LOAD_FAST" in step.opname and code.co_varnames[0] in (step.argval, *_several(step.argval))
        if loads and (after.opname not in ("LOAD_ATTR", "LOAD_METHOD") or after.argval in facts or _several(step.argval)):
            return True
    return False


def _several(value: Any) -> tuple[Any, ...]:
    """Names of an instruction that loads two at once, as newer versions of Python have them."""
    return value if isinstance(value, tuple) else ()


_RECORDS: dict[tuple[str, ...], Any] = {}


def _record(names: tuple[str, ...]) -> Any:
    """Return a named tuple of parameters; the same names give the same type, so that compiled functions are found again."""
    if names not in _RECORDS:
        _RECORDS[names] = namedtuple("Parameters", names)
    return _RECORDS[names]
