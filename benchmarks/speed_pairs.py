"""Poise beside the C loops: the two run in alternation, so that a slow spell hits both."""

import importlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import speed_rows
from limit import ALL, Limit
from limit_check import difference

Call = Callable[[], float]  # runs once, returns the seconds that count

PLAIN, CSR = ("plain_hinge", "plain_logistic"), ("csr_hinge", "csr_logistic")
NATIVE_LIMITS = {"plain_logistic": 1.5, "plain_hinge": 1.8, "csr_logistic": 1.5, "csr_hinge": 1.5}
PRACTICAL_LIMIT, PRACTICAL_OVER_PLAIN_LIMIT = 1.8, 4.0
PORTABLE_LIMITS = {"f64": 2.5, "f32": 4.0}
AGREE = {"f64": 1e-6, "f32": 1e-3}
LEARNER = {"hinge": "svm", "logistic": "logistic"}


@dataclass(frozen=True)
class Plan:
    """What to run: the columns, the rows (None: as many as fill 16 MB), the rounds, the side."""

    columns: tuple[int, ...]
    rows: int | None
    share: float
    rounds: int
    c_only: bool

    def dense(self, d: int) -> speed_rows.Block:
        return speed_rows.dense(d, self.rows, self.share)


@dataclass(frozen=True)
class Line:
    """One row of the table of pairs; times are the fastest round, the ratio is the median one."""

    case: str
    d: int
    dtype: str
    c_ns: float
    poise_ns: float | None = None
    ratio: float | None = None
    limit: float | None = None
    differs: float | None = None

    @property
    def agrees(self) -> bool:
        return self.differs is None or self.differs <= AGREE[self.dtype]

    @property
    def ok(self) -> bool:
        within = self.ratio is None or self.limit is None or self.ratio <= self.limit
        return within and self.agrees


def alternate(calls: Sequence[Call], rounds: int) -> npt.NDArray[np.float64]:
    """Seconds of each call in each round, after one round that does not count."""
    for call in calls:
        call()
    return np.array([[call() for call in calls] for _ in range(rounds)])


def native(limit: Limit, plan: Plan) -> list[Line]:
    """Run every case at every width, then the sparse ones."""
    lines = []
    for d in plan.columns:
        for block in plan.dense(d).both():
            lines += [_pair(limit, case, block, plan, NATIVE_LIMITS[case]) for case in PLAIN]
            lines += _practical(limit, block, plan)
            if block.name == "f32":
                lines += [_pair(limit, case + ALL, block, plan, None) for case in (*PLAIN, "practical_logistic")]
    sparse = speed_rows.csr(plan.rows, plan.share)
    return lines + [_pair(limit, case, sparse, plan, NATIVE_LIMITS[case]) for case in CSR]


def portable(limit: Limit, plan: Plan) -> list[Line]:
    """Run the plain cases alone, with the limits of the portable code path."""
    return [
        _pair(limit, case, block, plan, PORTABLE_LIMITS[block.name])
        for d in plan.columns
        for block in plan.dense(d).both()
        for case in PLAIN
    ]


def unfitted(case: str) -> Any:
    """Make the poise classifier that does what a C case does."""
    poise = importlib.import_module("poise")
    setting, loss = case.removesuffix(ALL).split("_")
    if setting == "practical":
        return poise.StreamClassifier("hgd", LEARNER[loss])
    return poise.StreamClassifier.paper("hgd", LEARNER[loss])


class PoiseCall:
    """Learn a block with a fresh clone; only `learn` is timed. Keeps the last scores."""

    def __init__(self, case: str, block: speed_rows.Block) -> None:
        self._model, self._block = unfitted(case), block
        self._classes = {} if case.startswith("practical") else {"classes": [0, 1]}
        self._clone = importlib.import_module("sklearn.base").clone
        self.scores = np.zeros(0)

    def __call__(self) -> float:
        model, block = self._clone(self._model), self._block
        begin = time.perf_counter()
        scores = model.learn(block.X, block.y, **self._classes)
        seconds = time.perf_counter() - begin
        self.scores = np.asarray(scores, dtype=np.float64)
        return seconds


class LimitCall:
    """Run one C case on a block. Keeps the last scores, in an array used again every time."""

    def __init__(self, limit: Limit, case: str, block: speed_rows.Block) -> None:
        self._limit, self._case, self._X = limit, case, block.X
        self._codes = block.codes
        self.scores = np.zeros(len(block.y))

    def __call__(self) -> float:
        return self._limit.run(self._case, self._X, self._codes, self.scores).seconds


def _pair(limit: Limit, case: str, block: speed_rows.Block, plan: Plan, most: float | None) -> Line:
    """Pair one C case with poise."""
    in_c = LimitCall(limit, case, block)
    if plan.c_only:
        return _line(case, block, alternate([in_c], plan.rounds))
    poise = PoiseCall(case, block)
    times = alternate([in_c, poise], plan.rounds)
    return _line(case, block, times, most, difference(poise.scores, in_c.scores))


def _practical(limit: Limit, block: speed_rows.Block, plan: Plan) -> list[Line]:
    """Pair the practical setting with its own C loop and with the plain logistic one."""
    case, over = "practical_logistic", "practical / plain_logistic"
    own, plain = LimitCall(limit, case, block), LimitCall(limit, "plain_logistic", block)
    if plan.c_only:
        return [_line(case, block, alternate([own], plan.rounds))]
    poise = PoiseCall(case, block)
    times = alternate([own, poise, plain], plan.rounds)
    differs = difference(poise.scores, own.scores)
    return [
        _line(case, block, times[:, :2], PRACTICAL_LIMIT, differs),
        _line(over, block, times[:, [2, 1]], PRACTICAL_OVER_PLAIN_LIMIT),
    ]


def _line(
    case: str,
    block: speed_rows.Block,
    times: npt.NDArray[np.float64],
    most: float | None = None,
    differs: float | None = None,
) -> Line:
    """Make a table row from the rounds of the C loop and, where it ran, of poise."""
    fastest = times.min(axis=0) * 1e9 / len(block.y)
    shape = (case, block.X.shape[1], block.name, float(fastest[0]))
    if times.shape[1] == 1:
        return Line(*shape)
    ratio = float(np.median(times[:, 1] / times[:, 0]))
    return Line(*shape, float(fastest[1]), ratio, most, differs)
