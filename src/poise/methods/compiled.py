"""Functions of a user's own method as machine code, where numba is installed."""

import math
import operator
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

#: The core's records of a row and of a class.
ROW = np.dtype(
    [(name, np.int64) for name in ("y", "positive", "right", "t", "member")]
    + [(name, np.float64) for name in ("score", "margin", "loss", "slope")]
)
CLASS = np.dtype([(name, np.float64) for name in ("seen", "share", "pulled", "travelled")])
_KEPT: dict[tuple[Any, Any], Any] = {}


def compiled(function: Callable[..., Any], record: Any) -> int | None:
    """Return the address of the function as machine code; None without numba, or if numba cannot compile it."""
    key = (function, record)
    if key not in _KEPT:
        numba = _numba()
        _KEPT[key] = None if numba is None else _cfunc(numba, function, record)
    made = _KEPT[key]
    return None if made is None else int(made.address)


@cache
def _numba() -> ModuleType | None:
    try:
        import numba  # noqa: PLC0415
    except ImportError:
        return None
    return numba  # type: ignore[no-any-return]


def _cfunc(numba: ModuleType, function: Callable[..., Any], record: Any) -> Any:
    """Compile a function with the signature that the core calls; None if it uses what numba does not know."""
    types, carray, nan, words = numba.types, numba.carray, math.nan, _words(numba)
    make_row, make_ledger, make_draws = words["make_row"], words["make_ledger"], words["make_draws"]
    make_parameters = _parameters(numba, record)

    def asked(row, classes, count, top_share, least_share, memo, memo_size, numbers, random, x, width):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202, PLR0917
        facts = carray(row, 1)[0]
        whole = (facts.y, facts.positive, facts.right, facts.t, facts.member)
        told = make_row((*whole, facts.score, facts.margin, facts.loss, facts.slope, carray(x, (width,))))
        ledger = make_ledger((carray(classes, (count,)), top_share, least_share))
        draws = make_draws((carray(random, (1,)),))
        answer = nan  # an error may not leave a compiled function; the core refuses a row whose answer is NaN
        try:
            answer = float(inner(told, ledger, carray(memo, (memo_size,)), make_parameters(numbers), draws))
        except Exception:  # noqa: BLE001 - numba knows no finer ones
            answer = nan
        return answer

    doubles, number, whole = types.CPointer(types.float64), types.float64, types.int64
    rows, classes = types.CPointer(numba.from_dtype(ROW)), types.CPointer(numba.from_dtype(CLASS))
    signature = number(
        rows, classes, whole, number, number, doubles, whole, doubles, types.CPointer(types.uint64), doubles, whole
    )
    try:
        inner = numba.njit(error_model="numpy", boundscheck=True)(function)
        return numba.cfunc(signature, error_model="numpy")(asked)
    except Exception:  # noqa: BLE001 - whatever numba cannot compile is called back instead
        return None


@cache
def _words(numba: ModuleType) -> dict[str, Any]:
    """Teach numba the row, the ledger and the draws; returns what makes each of them."""
    types = numba.types
    doubles, classes = types.Array(types.float64, 1, "C"), types.Array(numba.from_dtype(CLASS), 1, "C")
    whole, number = types.int64, types.float64
    row = [(name, whole if ROW[name].kind == "i" else number) for name in ROW.names or ()]
    _, make_row = _structure("Row", [*row, ("x", doubles)])
    ledger_type, make_ledger = _structure("Ledger", [("classes", classes), ("top_share", number), ("least_share", number)])
    draws_type, make_draws = _structure("Draws", [("state", types.Array(types.uint64, 1, "C"))])
    _teach_ledger(numba, ledger_type)
    _teach_draws(numba, draws_type)
    return {"make_row": make_row, "make_ledger": make_ledger, "make_draws": make_draws}


def _structure(name: str, members: list[tuple[str, Any]]) -> tuple[type, Any]:
    """Make a numba type with these attributes, and a function that makes one of them from a tuple of their values."""
    from numba import types  # noqa: PLC0415
    from numba.core import cgutils  # noqa: PLC0415
    from numba.extending import intrinsic, make_attribute_wrapper, models, register_model  # noqa: PLC0415

    class Structure(types.Type):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(name=f"poise.{name}")

    @register_model(Structure)
    class _Model(models.StructModel):  # type: ignore[misc]
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, members)

    for member, _ in members:
        make_attribute_wrapper(Structure, member, member)

    @intrinsic  # type: ignore[untyped-decorator]
    def make(context: Any, given: Any) -> Any:
        def generate(target: Any, builder: Any, signature: Any, values: Any) -> Any:
            made = cgutils.create_struct_proxy(signature.return_type)(target, builder)
            for k, (member, _) in enumerate(members):
                setattr(made, member, builder.extract_value(values[0], k))
            return made._getvalue()

        return Structure()(types.Tuple([kind for _, kind in members])), generate

    return Structure, make


def _parameters(numba: ModuleType, record: Any) -> Any:
    """Return a function that makes the named tuple of parameters from their numbers."""
    types = numba.types
    kind = types.NamedUniTuple(types.float64, len(record._fields), record)

    @numba.extending.intrinsic  # type: ignore[untyped-decorator]
    def make(context: Any, numbers: Any) -> Any:
        def generate(target: Any, builder: Any, signature: Any, values: Any) -> Any:
            places = (builder.gep(values[0], [target.get_constant(types.intp, k)]) for k in range(kind.count))
            return target.make_tuple(builder, kind, [builder.load(place) for place in places])

        return kind(types.CPointer(types.float64)), generate

    return make


def _teach_ledger(numba: ModuleType, ledger_type: type) -> None:
    @numba.extending.overload(operator.getitem)
    def get(ledger, index):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202 - numba compares signatures
        def told(ledger, index):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
            if index < 0 or index >= ledger.classes.size:
                raise IndexError("no such class")
            return ledger.classes[index]

        return told if isinstance(ledger, ledger_type) else None

    @numba.extending.overload(len)
    def length(ledger):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        return (lambda ledger: ledger.classes.size) if isinstance(ledger, ledger_type) else None


def _teach_draws(numba: ModuleType, draws_type: type) -> None:
    """Teach numba the core's generator: splitmix64, and Poisson numbers by summing chances."""
    golden, first, second = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
    shifts = tuple(np.uint64(bits) for bits in (30, 27, 31, 11))

    @numba.njit
    def uniform(state):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        state[0] += golden
        z = state[0]
        z = (z ^ (z >> shifts[0])) * first
        z = (z ^ (z >> shifts[1])) * second
        return float((z ^ (z >> shifts[2])) >> shifts[3]) * 2.0**-53

    @numba.njit
    def events(state, rate):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        u, chance, count = uniform(state), np.exp(-rate), 0.0
        total = chance
        while u >= total:
            count += 1.0
            chance *= rate / count
            if total + chance == total:
                break
            total += chance
        return count

    @numba.extending.overload_method(draws_type, "uniform")
    def draw_uniform(draws):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        return lambda draws: uniform(draws.state)

    @numba.extending.overload_method(draws_type, "poisson")
    def draw_poisson(draws, rate):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        def draw(draws, rate):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
            rest, count = min(float(rate), 1e6), 0.0
            while rest > 500.0:
                count += events(draws.state, 500.0)
                rest -= 500.0
            return count + events(draws.state, rest) if rest > 0.0 else count

        return draw
