"""Every method beside plain gradient descent, and the learners with a curved border: both sides one after the other.

The ratio of a method is the median over rounds in each of which OGD and the method learn the same rows, from fresh models.
`kernel` scores rows against 5,000 kept rows, beside the same work in numpy on one thread: one GEMM per block of rows, with
the block size that is numpy's fastest here.
"""

import importlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import speed_rows
from limit_check import difference
from speed_pairs import Call, alternate
from speed_peers import Peer

Floats = npt.NDArray[np.float64]

SINGLE_LIMIT, ENSEMBLE_LIMIT, DOUBLE_LIMIT = 1.6, 12.0, 24.0  # times of OGD's time
COLUMNS, QUICK_COLUMNS = (20, 100), (20,)
ROWS, IMBALANCE = 20_000, 9
SETTINGS = {"practical": "logistic", "paper": "svm"}
DOUBLE = ("weob1", "weob2")  # two ensembles of 10 each
TEXTBOOK_OSMOTE = "osmote, textbook"

KERNEL_COLUMNS, KEPT, SCORED, GAMMA = 20, 5000, 2000, 1.0
KERNEL_LIMIT, KERNEL_AGREES = 1.5, 1e-6
KEPT_ROWS = f"{KEPT:,} kept rows"
BLOCK_SIZES = (16, 32, 64, 128, 256, 512, 1024, 2000)
FEATURES, FOURIER_LIMIT_NS = 256, 6000.0


@dataclass(frozen=True)
class Ratio:
    """One row of a table: both sides' fastest round, and the median of the rounds' ratios; a limit of None holds nothing."""

    name: str
    setting: str
    d: int
    against_ns: float
    poise_ns: float
    ratio: float
    limit: float | None = None
    agrees: bool = True

    @property
    def ok(self) -> bool:
        return self.agrees and (self.limit is None or self.ratio <= self.limit)

    @property
    def verdict(self) -> str:
        if not self.agrees:
            return "SCORES DIFFER"
        return "" if self.limit is None else "ok" if self.ok else "MISSED"


def every_method(columns: tuple[int, ...], rounds: int, rows: int = ROWS) -> list[Ratio]:
    """Time every method that is defined for the setting's learner, in both settings."""
    return [
        _beside_ogd(name, setting, block, rounds)
        for setting in SETTINGS
        for d in columns
        for block in [speed_rows.dense(d, rows, imbalance=IMBALANCE)]
        for name in _methods(setting)
    ]


def kernel(rounds: int) -> list[Ratio]:
    """Time scoring beside numpy; learning, where new rows take the places of kept ones, is shown only."""
    model = _full_kernel()
    rows = np.random.default_rng(1).standard_normal((SCORED, KERNEL_COLUMNS))
    work, ours = _Work.of(model, rows), _Timed(lambda: model.decision_function(rows))
    peers = [(form, *_fastest(form, work, rounds)) for form in NUMPY_FORMS]
    lines = []
    for form, size, theirs in peers:
        times = alternate([theirs, ours], rounds) * 1e9 / SCORED
        agrees = difference(ours.given, theirs.given) <= KERNEL_AGREES
        case = (f"score / numpy, {form}, {size} a block", KEPT_ROWS, KERNEL_COLUMNS)
        lines.append(ratio_of(case, times, KERNEL_LIMIT, agrees))
    form, size, theirs = peers[0]
    times = alternate([theirs, _learning_more(model)], rounds) * 1e9 / SCORED
    return [*lines, ratio_of((f"learn / numpy's score, {form}", KEPT_ROWS, KERNEL_COLUMNS), times)]


def fourier(rounds: int) -> Peer:
    """Time a row that `Fourier(256)` learns."""
    poise = importlib.import_module("poise")
    block = speed_rows.dense(KERNEL_COLUMNS, ROWS, imbalance=IMBALANCE)
    call = learning(lambda: poise.StreamClassifier("hgd", poise.Fourier(features=FEATURES)), block)
    fastest = float(alternate([call], rounds).min()) * 1e9 / len(block.y)
    return Peer(f"HGD with Fourier({FEATURES}), learn, {KERNEL_COLUMNS} columns", fastest, FOURIER_LIMIT_NS)


def table(title: str, against: str, ratios: list[Ratio]) -> str:
    """Show ratios with their limits and verdicts."""
    lines = [f"\n{title}", f"{'case':39}{'setting':21}{'d':>4}{against:>10}{'ns/row':>9}{'ratio':>8}{'limit':>7}  ok?"]
    for r in ratios:
        most = "-" if r.limit is None else f"{r.limit:.1f}"
        lines.append(f"{r.name:39}{r.setting:21}{r.d:4}{r.against_ns:10.1f}{r.poise_ns:9.1f}{r.ratio:8.2f}{most:>7}  {r.verdict}")
    return "\n".join(lines)


def _methods(setting: str) -> Iterator[str]:
    """Name what is defined for the setting's learner, single models first; OGD is what they are beside."""
    methods = importlib.import_module("poise.methods")
    errors = importlib.import_module("poise.errors")
    for name in sorted(methods.names(), key=lambda name: (methods.get(name)().many_members, methods.names().index(name))):
        if name == "ogd":
            continue
        try:
            _model(setting, name, 1.0)._setup()
        except errors.ParameterError:
            continue  # needs the hinge loss
        yield name
        if name == "osmote":
            yield TEXTBOOK_OSMOTE


def _model(setting: str, name: str, ir: float) -> Any:
    """Make a model; OSMOTE keeps all positives or only 100, as its reading says, whatever the setting."""
    poise, get = importlib.import_module("poise"), importlib.import_module("poise.methods").get
    learner, given = SETTINGS[setting], {}
    if name in {"osmote", TEXTBOOK_OSMOTE}:
        name, given = "osmote", {"reading": "paper" if name == "osmote" else "textbook"}
    if setting == "paper":
        return poise.StreamClassifier.paper(name, learner, ir=ir, random_state=0, **given)
    return poise.StreamClassifier(get(name)(**given), learner, random_state=0)


def _limit(name: str) -> float | None:
    if name == TEXTBOOK_OSMOTE:
        return None
    if name in DOUBLE:
        return DOUBLE_LIMIT
    members = importlib.import_module("poise.methods").get(name)().many_members
    return SINGLE_LIMIT if members == 1 else ENSEMBLE_LIMIT


def _beside_ogd(name: str, setting: str, block: speed_rows.Block, rounds: int) -> Ratio:
    ir = float(np.mean(block.y == 0) / np.mean(block.y == 1))
    calls = [learning(partial(_model, setting, method, ir), block) for method in ("ogd", name)]
    times = alternate(calls, rounds) * 1e9 / len(block.y)
    return ratio_of((name, f"{setting}, {SETTINGS[setting]}", block.X.shape[1]), times, _limit(name))


def ratio_of(case: tuple[str, str, int], times: Floats, limit: float | None = None, agrees: bool = True) -> Ratio:
    """Make a table row of a name, a setting and a number of columns, and of the rounds of the two sides."""
    fastest, ratio = times.min(axis=0), float(np.median(times[:, 1] / times[:, 0]))
    return Ratio(*case, float(fastest[0]), float(fastest[1]), ratio, limit, agrees)


def learning(make: Callable[[], Any], block: speed_rows.Block) -> Call:
    """Learn a block with a fresh model; only `learn` is timed."""

    def run() -> float:
        model = make()
        begin = time.perf_counter()
        model.learn(block.X, block.y, classes=[0, 1])
        return time.perf_counter() - begin

    return run


class _Timed:
    """A call that keeps what it last gave."""

    def __init__(self, work: Callable[[], Floats]) -> None:
        self._work = work
        self.given: Floats = np.zeros(0)

    def __call__(self) -> float:
        begin = time.perf_counter()
        self.given = self._work()
        return time.perf_counter() - begin


def _noise(rng: np.random.Generator) -> tuple[Floats, npt.NDArray[np.int64]]:
    return rng.standard_normal((SCORED, KERNEL_COLUMNS)), rng.integers(0, 2, SCORED)


def _full_kernel() -> Any:
    """Learn rows whose labels mean nothing until 5,000 of them are kept."""
    poise = importlib.import_module("poise")
    rng = np.random.default_rng(0)
    model = poise.StreamClassifier("ogd", poise.Kernel(gamma=GAMMA, budget=KEPT))
    model.learn(*_noise(rng), classes=[0, 1])
    while len(model._model.tensors()["support_rows"]) < KEPT:
        model.learn(*_noise(rng))
    return model


@dataclass(frozen=True)
class _Work:
    """What numpy needs to give a model's scores: rows as the model scales them, the kept rows, and what these count."""

    rows: Floats
    kept: Floats
    coef: Floats
    constant: float

    @classmethod
    def of(cls, model: Any, rows: Floats) -> "_Work":
        """Scale the rows outside the clock, which spares numpy that work."""
        state = model._model.tensors()
        deviations = np.sqrt(state["scaler_spread"][0] / model.n_seen_)
        scaled = np.clip((rows - state["scaler_mean"][0]) / deviations, -5, 5) / np.sqrt(rows.shape[1])
        return cls(scaled, state["support_rows"], state["support_coef"][:, 0], float(state["intercept"][0, 0]))


def _as_written(work: _Work, size: int) -> Callable[[], Floats]:
    """Give exp(-gamma (|x|^2 + |s|^2 - 2 x.s)) @ coef by blocks of rows, in place."""
    x_squares, s_squares = (GAMMA * np.einsum("ij,ij->i", rows, rows) for rows in (work.rows, work.kept))
    transposed = work.kept.T * (2 * GAMMA)

    def score() -> Floats:
        given, table = np.empty(len(work.rows)), np.empty((size, len(work.kept)))
        for start in range(0, len(work.rows), size):
            block = work.rows[start : start + size]
            values = np.matmul(block, transposed, out=table[: len(block)])
            values -= x_squares[start : start + size, np.newaxis]
            values -= s_squares
            np.exp(values, out=values)
            np.dot(values, work.coef, out=given[start : start + size])
        given += work.constant
        return given

    return score


def _all_in_gemm(work: _Work, size: int) -> Callable[[], Floats]:
    """Give the same with the squares as two more columns of the product: a shorter way than the formula's own."""
    x_squares, s_squares = (-GAMMA * np.einsum("ij,ij->i", rows, rows) for rows in (work.rows, work.kept))
    rows = np.column_stack([work.rows, x_squares, np.ones(len(work.rows))])
    transposed = np.column_stack([work.kept * (2 * GAMMA), np.ones(len(work.kept)), s_squares]).T.copy()

    def score() -> Floats:
        given, table = np.empty(len(rows)), np.empty((size, len(work.kept)))
        for start in range(0, len(rows), size):
            block = rows[start : start + size]
            values = np.matmul(block, transposed, out=table[: len(block)])
            np.exp(values, out=values)
            np.dot(values, work.coef, out=given[start : start + size])
        given += work.constant
        return given

    return score


NUMPY_FORMS = {"as written": _as_written, "one GEMM": _all_in_gemm}


def _fastest(form: str, work: _Work, rounds: int) -> tuple[int, _Timed]:
    """Give the block size at which numpy's fastest round is shortest, and numpy's call with it."""
    calls = [_Timed(NUMPY_FORMS[form](work, size)) for size in BLOCK_SIZES]
    best = int(np.argmin(alternate(calls, rounds).min(axis=0)))
    return BLOCK_SIZES[best], calls[best]


def _learning_more(model: Any) -> Call:
    """Let the model learn new rows each time; its kept rows stay 5,000."""
    rng = np.random.default_rng(2)

    def run() -> float:
        rows, labels = _noise(rng)
        begin = time.perf_counter()
        model.learn(rows, labels)
        return time.perf_counter() - begin

    return run
