"""Functions of a user's own method as machine code, where numba is installed."""

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
    words = _words(numba)
    inner = numba.njit(error_model="numpy")(function)
    given = ", ".join(f"numbers[{k}]" for k in range(len(record._fields)))
    text = (
        "def asked(row, classes, count, top_share, least_share, memo, memo_size, numbers, random, x, width):\n"
        "    facts = carray(row, 1)[0]\n"
        "    told = make_row(facts.y, facts.positive, facts.right, facts.t, facts.member, facts.score, facts.margin,\n"
        "                    facts.loss, facts.slope, carray(x, (width,)))\n"
        "    ledger = make_ledger(carray(classes, (count,)), top_share, least_share)\n"
        f"    parameters = Parameters({given})\n"
        "    return float(inner(told, ledger, carray(memo, (memo_size,)), parameters, make_draws(carray(random, (1,)))))\n"
    )
    names: dict[str, Any] = {**words, "inner": inner, "Parameters": record, "carray": numba.carray}
    exec(text, names)  # noqa: S102 - text of this file; only the number of parameters varies
    types = numba.types
    pointers = [types.CPointer(numba.from_dtype(ROW)), types.CPointer(numba.from_dtype(CLASS)), types.int64]
    doubles = types.CPointer(types.float64)
    signature = types.float64(
        *pointers, types.float64, types.float64, doubles, types.int64, doubles, types.CPointer(types.uint64), doubles, types.int64
    )
    try:
        return numba.cfunc(signature, error_model="numpy")(names["asked"])
    except (numba.errors.TypingError, numba.errors.UnsupportedError, numba.errors.LoweringError):
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
    """Make a numba type with these attributes, and a function that makes one of them."""
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

    def make(context: Any, *given: Any) -> Any:
        def generate(target: Any, builder: Any, signature: Any, values: Any) -> Any:
            made = cgutils.create_struct_proxy(signature.return_type)(target, builder)
            for (member, _), value in zip(members, values, strict=True):
                setattr(made, member, value)
            return made._getvalue()

        return Structure()(*(kind for _, kind in members)), generate

    names = ", ".join(member for member, _ in members)
    scope: dict[str, Any] = {"make": make}
    exec(f"def make_{name}(context, {names}):\n    return make(context, {names})\n", scope)  # noqa: S102 - intrinsics need names
    return Structure, intrinsic(scope[f"make_{name}"])


def _teach_ledger(numba: ModuleType, ledger_type: type) -> None:
    @numba.extending.overload(operator.getitem)  # type: ignore[untyped-decorator]
    def get(ledger, index):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202 - numba compares signatures
        if isinstance(ledger, ledger_type):
            return lambda ledger, index: ledger.classes[index]
        return None

    @numba.extending.overload(len)  # type: ignore[untyped-decorator]
    def length(ledger):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        return (lambda ledger: ledger.classes.size) if isinstance(ledger, ledger_type) else None


def _teach_draws(numba: ModuleType, draws_type: type) -> None:
    """Teach numba the core's generator: splitmix64, and Poisson numbers by summing chances."""
    golden, first, second = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
    shifts = tuple(np.uint64(bits) for bits in (30, 27, 31, 11))

    @numba.njit  # type: ignore[untyped-decorator]
    def uniform(state):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        state[0] += golden
        z = state[0]
        z = (z ^ (z >> shifts[0])) * first
        z = (z ^ (z >> shifts[1])) * second
        return float((z ^ (z >> shifts[2])) >> shifts[3]) * 2.0**-53

    @numba.njit  # type: ignore[untyped-decorator]
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

    @numba.extending.overload_method(draws_type, "uniform")  # type: ignore[untyped-decorator]
    def draw_uniform(draws):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        return lambda draws: uniform(draws.state)

    @numba.extending.overload_method(draws_type, "poisson")  # type: ignore[untyped-decorator]
    def draw_poisson(draws, rate):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        def draw(draws, rate):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
            rest, count = min(float(rate), 1e6), 0.0
            while rest > 500.0:
                count += events(draws.state, 500.0)
                rest -= 500.0
            return count + events(draws.state, rest) if rest > 0.0 else count

        return draw
