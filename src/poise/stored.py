"""Whether saved arrays make one whole model: each there with its type and shape, and counts that agree with each other."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.errors import FileError

Tensors = dict[str, NDArray[Any]]
Shapes = dict[str, tuple[str, tuple[int, ...]]]
_SCALINGS = ("none", "center", "scale")


@dataclass(frozen=True)
class Form:
    """What the shapes of a model's arrays follow from."""

    scaling: str
    each: bool
    open: bool
    width: int
    hashed: int
    classes: int

    def shapes(self, core: dict[str, Any], kept: dict[str, int]) -> Shapes:
        """Type and shape of every array of such a model, but for the names; `kept` tells how many rows it keeps of each kind."""
        accounts = max(self.classes, 2)
        outputs = core["members"] * (self.classes if self.classes > 2 else 1)
        shapes: Shapes = {
            "columns": ("u8", (1, 5)),
            "drawing": ("u8", (1, 3)),
            "imbalance": ("f8", (2, 8)),
            "intercept": ("f8", (outputs, 1)),
            "ledger_seen": ("u8", (1, accounts)),
            "ledger_sums": ("f8", (accounts, 3)),
            "tally_counts": ("u8", (1, 4)),
            "tally_factors": ("f8", (1, 3)),
        }
        if core["learning"] == "kernel":
            shapes |= self._kept("support", kept["support"]) | {"support_coef": ("f8", (kept["support"], outputs))}
        else:
            shapes |= self._weights(core, outputs)
        if core["method"] == "osmote":
            shapes |= self._kept("buffer", kept["buffer"]) | {"buffer_label": ("u8", (1, kept["buffer"]))}
        if sums := sums_shape(core, accounts):
            shapes["sums"] = ("f8", sums)
        return shapes | self._scaler()

    def _weights(self, core: dict[str, Any], outputs: int) -> Shapes:
        shapes: Shapes = {"weights": ("f8", (outputs, self.width))}
        if core["learning"] == "fourier":
            shapes["wave_weights"] = ("f8", (outputs, core["features"]))
        if core["average"]:
            shapes |= {name.replace("weights", "shadow"): shape for name, shape in shapes.items()}
            shapes["shadow_intercept"] = ("f8", (outputs, 1))
        return shapes

    def _kept(self, name: str, rows: int) -> Shapes:
        return {f"{name}_rows": ("f8", (rows, self.width)), f"{name}_born": ("u8", (1, rows))}

    def _scaler(self) -> Shapes:
        shapes: Shapes = {}
        if self.scaling != "none":
            shapes |= {"scaler_mean": ("f8", (1, self.width)), "scaler_spread": ("f8", (1, self.width))}
            if self.each or self.scaling == "scale":
                shapes["scaler_count"] = ("u8", (1, self.width))
        if self.open and not self.hashed:
            shapes["column_kind"] = ("u1", (1, self.width))
        return shapes


def sums_shape(core: dict[str, Any], classes: int) -> tuple[int, int] | None:
    """Shape of what an ensemble remembers of its members (WEOB: of its halves), or of a user's memo; None: nothing."""
    method, members = core["method"], core["members"]
    if method == "own":
        return (core["memo"], 1) if core["memo"] else None
    if method in ("oadab", "oadac2", "ocsb2", "orusb"):
        return 5, members
    if method in ("okb", "oeb"):
        return classes * classes if method == "okb" else 2 * classes, members
    if method in ("owob", "owub", "weob") and not core["plain_votes"]:
        return classes, 2 if method == "weob" else members
    return None


def form_of(tensors: Tensors) -> Form:
    """Return the form that saved arrays claim to have."""
    for name, width in {"columns": 5, "tally_counts": 4}.items():
        _require(tensors, name, "u8", (1, width))
    scaling, each, is_open, width, hashed = tensors["columns"][0].tolist()
    if scaling > 2 or each > 1 or is_open > 1:
        raise FileError("its table of columns holds numbers that mean nothing")
    return Form(_SCALINGS[scaling], bool(each), bool(is_open), width, hashed, int(tensors["tally_counts"][0, 3]))


def require_whole(tensors: Tensors, form: Form, core: dict[str, Any]) -> Tensors:
    """Return the arrays, all of them there and none too many, or refuse them."""
    shapes = form.shapes(core, {name: _rows_kept(tensors, name) for name in ("support", "buffer")})
    if form.width == 0:  # the core keeps nothing for columns it has not met
        tensors = {name: np.zeros(shape, kind) for name, (kind, shape) in shapes.items() if 0 in shape} | tensors
    extra = sorted(tensors.keys() - shapes.keys() - {"names"})
    if extra:
        raise FileError(f"it has a tensor {extra[0][:40]!r} that no such model has")
    for name, (kind, shape) in shapes.items():
        _require(tensors, name, kind, shape)
    if "names" not in tensors or tensors["names"].dtype != np.uint8 or tensors["names"].ndim != 1:
        raise FileError("its feature names are missing")
    _require_agreement(tensors, form)
    _require_kept(tensors, form, core)
    return tensors


def _rows_kept(tensors: Tensors, name: str) -> int:
    """Return how many rows the arrays claim to keep."""
    born = tensors.get(f"{name}_born")
    return born.shape[1] if born is not None and born.ndim == 2 else 0


def _require(tensors: Tensors, name: str, kind: str, shape: tuple[int, ...]) -> None:
    array = tensors.get(name)
    if array is None:
        raise FileError(f"its tensor {name!r} is missing")
    if array.dtype.str[1:] != kind or array.shape != shape:
        raise FileError(f"its tensor {name!r} has the wrong type or shape")


def _require_agreement(tensors: Tensors, form: Form) -> None:
    """Refuse numbers that no learning leads to."""
    rows, entries, compared, _ = tensors["tally_counts"][0].tolist()
    seen = tensors["ledger_seen"][0].tolist()
    counted = int(tensors["scaler_count"].max(initial=0)) if "scaler_count" in tensors else 0
    if sum(seen) != rows or any(seen[form.classes :]) or compared > rows or counted > rows:
        raise FileError("its counts of rows do not agree")
    if not form.hashed and entries > rows * form.width:
        raise FileError("its count of entries is larger than its rows and columns")
    blend, worst_ratio, phantom_share = tensors["tally_factors"][0].tolist()
    spread = tensors["scaler_spread"] if "scaler_spread" in tensors else np.zeros(0)
    least = min(phantom_share, *(sums.min(initial=0.0) for sums in (spread, tensors["ledger_sums"], tensors["imbalance"])))
    if least < 0.0 or not 0.0 < blend <= 1.0 or worst_ratio < 1.0:
        raise FileError("it holds sums below 0 or factors out of their range")
    kinds = {"none": {0}, "center": {1, 2}, "scale": {2}}[form.scaling]
    if "column_kind" in tensors and not set(np.unique(tensors["column_kind"]).tolist()) <= kinds:
        raise FileError("it holds columns of a kind that does not exist")


def _require_kept(tensors: Tensors, form: Form, core: dict[str, Any]) -> None:
    """Refuse kept rows that no learning leads to."""
    births = dict(zip(("support", "buffer"), tensors["drawing"][0, 1:].tolist(), strict=True))
    for name, born in births.items():
        numbers = tensors.get(f"{name}_born")
        if numbers is not None and (len(np.unique(numbers)) != numbers.size or int(numbers.max(initial=0)) >= max(born, 1)):
            raise FileError(f"its {name} rows are not numbered as they came")
    most = core["budget"] if core["learning"] == "kernel" else 0
    if most and _rows_kept(tensors, "support") > most:
        raise FileError("it keeps more rows than its budget")
    if "buffer_label" in tensors and int(tensors["buffer_label"].max(initial=0)) >= max(form.classes, 1):
        raise FileError("it keeps a row of a class that it does not know")
    if "sums" in tensors and core["method"] != "own" and float(tensors["sums"].min(initial=0.0)) < 0.0:
        raise FileError("it holds sums below 0 or factors out of their range")
