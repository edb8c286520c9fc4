"""Whether saved arrays make one whole model: each there with its type and shape, and counts that agree with each other."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.errors import FileError

Tensors = dict[str, NDArray[Any]]
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

    def shapes(self, *, averages: bool) -> dict[str, tuple[str, tuple[int, ...]]]:
        """Type and shape of every array of such a model, but for the names."""
        outputs, accounts = self.classes if self.classes > 2 else 1, max(self.classes, 2)
        shapes: dict[str, tuple[str, tuple[int, ...]]] = {
            "columns": ("u8", (1, 5)),
            "intercept": ("f8", (outputs, 1)),
            "ledger_seen": ("u8", (1, accounts)),
            "ledger_sums": ("f8", (accounts, 3)),
            "tally_counts": ("u8", (1, 4)),
            "tally_factors": ("f8", (1, 3)),
            "imbalance": ("f8", (2, 8)),
            "weights": ("f8", (outputs, self.width)),
        }
        if averages:
            shapes |= {"shadow": shapes["weights"], "shadow_intercept": shapes["intercept"]}
        if self.scaling != "none":
            shapes |= {"scaler_mean": ("f8", (1, self.width)), "scaler_spread": ("f8", (1, self.width))}
            if self.each or self.scaling == "scale":
                shapes["scaler_count"] = ("u8", (1, self.width))
        if self.open and not self.hashed:
            shapes["column_kind"] = ("u1", (1, self.width))
        return shapes


def form_of(tensors: Tensors) -> Form:
    """Return the form that saved arrays claim to have."""
    for name, width in {"columns": 5, "tally_counts": 4}.items():
        _require(tensors, name, "u8", (1, width))
    scaling, each, is_open, width, hashed = tensors["columns"][0].tolist()
    if scaling > 2 or each > 1 or is_open > 1:
        raise FileError("its table of columns holds numbers that mean nothing")
    return Form(_SCALINGS[scaling], bool(each), bool(is_open), width, hashed, int(tensors["tally_counts"][0, 3]))


def require_whole(tensors: Tensors, form: Form, *, averages: bool) -> Tensors:
    """Return the arrays, all of them there and none too many, or refuse them."""
    shapes = form.shapes(averages=averages)
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
    return tensors


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
