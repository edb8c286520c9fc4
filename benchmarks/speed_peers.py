"""Poise beside other libraries: one row per call, and one block of 20 columns."""

import importlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import speed_rows
from speed_pairs import Call, Plan, alternate, unfitted

ONE_ROW_COLUMNS, BLOCK_COLUMNS = 8, 20
ARRAY_LIMIT_NS, DICT_LIMIT_NS = 1000.0, 2000.0
ROW_CALLS, SLOW_CALLS = 10_000, 1000
BATCH = 1000
POISE_ONE_ROW, POISE_BLOCK = "poise learn_one(dict)", "poise learn, whole block"


@dataclass(frozen=True)
class Peer:
    """One row of a table: one library's fastest round, and its median ratio to poise's call."""

    name: str
    ns: float
    limit: float | None = None
    times_poise: float | None = None

    @property
    def ok(self) -> bool:
        return self.limit is None or self.ns <= self.limit


@dataclass(frozen=True)
class Entrant:
    """One library's call, the rows it runs over, and its limit in ns a row."""

    name: str
    call: Call
    rows: int
    limit: float | None = None


def one_row(plan: Plan) -> list[Peer]:
    """`learn_one` of poise on arrays and dicts of 8 columns, beside river's."""
    count = max(200, int(ROW_CALLS * plan.share))
    block = speed_rows.dense(ONE_ROW_COLUMNS, count)
    dicts, labels = _dicts(block), block.y.tolist()
    make_river = importlib.import_module("river.linear_model").LogisticRegression
    runners = [Entrant("river learn_one(dict)", _stream(make_river, dicts, labels), count)]
    if not plan.c_only:
        fresh = _fresh_poise()
        on_arrays = _stream(fresh, list(block.X), labels)
        on_dicts = _stream(fresh, dicts, labels)
        runners += [
            Entrant("poise learn_one(array)", on_arrays, count, ARRAY_LIMIT_NS),
            Entrant(POISE_ONE_ROW, on_dicts, count, DICT_LIMIT_NS),
        ]
    return _race(runners, plan.rounds, POISE_ONE_ROW)


def block_of_rows(plan: Plan) -> tuple[list[Peer], list[str]]:
    """One block of 20 columns through every library; also the reasons of those left out."""
    block = plan.dense(BLOCK_COLUMNS)
    few = speed_rows.dense(BLOCK_COLUMNS, min(len(block.y), SLOW_CALLS))
    runners, reasons = [*_scikit_learn(block, few), *_river(block, few)], []
    try:
        runners.append(_vowpal_wabbit(few))
    except ImportError as error:
        reasons.append(f"vowpalwabbit left out: {error}")
    if not plan.c_only:
        runners += _poise(block)
    return _race(runners, min(plan.rounds, 3), POISE_BLOCK), reasons


def _race(runners: list[Entrant], rounds: int, mark: str) -> list[Peer]:
    """Run all in alternation; `mark` names the call the others are divided by, if it runs."""
    rows = np.array([runner.rows for runner in runners])
    times = alternate([runner.call for runner in runners], rounds) * 1e9 / rows
    marked = [i for i, runner in enumerate(runners) if runner.name == mark]
    ratios = np.median(times / times[:, marked], axis=0) if marked else None
    return [
        Peer(
            runner.name,
            float(times[:, i].min()),
            runner.limit,
            None if ratios is None else float(ratios[i]),
        )
        for i, runner in enumerate(runners)
    ]


def _fresh_poise() -> Callable[[], Any]:
    clone, model = importlib.import_module("sklearn.base").clone, unfitted("practical_logistic")
    return lambda: clone(model)


def _stream(fresh: Callable[[], Any], rows: list[Any], labels: list[int]) -> Call:
    """Learn row after row with a new model; making the model is not timed."""

    def run() -> float:
        learn = fresh().learn_one
        begin = time.perf_counter()
        for x, y in zip(rows, labels, strict=True):
            learn(x, y)
        return time.perf_counter() - begin

    return run


def _each(fresh: Callable[[], Callable[..., Any]], items: list[tuple[Any, ...]]) -> Call:
    """Call a new model's function once for every tuple of arguments."""

    def run() -> float:
        learn = fresh()
        begin = time.perf_counter()
        for item in items:
            learn(*item)
        return time.perf_counter() - begin

    return run


def _poise(block: speed_rows.Block) -> list[Entrant]:
    fresh, rows = _fresh_poise(), len(block.y)
    learn = _each(lambda: fresh().learn, [(block.X, block.y)])
    partial_fit = _each(lambda: fresh().partial_fit, [(block.X, block.y, [0, 1])])
    return [
        Entrant(POISE_BLOCK, learn, rows),
        Entrant("poise partial_fit, whole block", partial_fit, rows),
    ]


def _scikit_learn(block: speed_rows.Block, few: speed_rows.Block) -> list[Entrant]:
    make = importlib.import_module("sklearn.linear_model").SGDClassifier
    classes = np.array([0, 1])

    def fresh() -> Callable[..., Any]:
        model = make(loss="log_loss", shuffle=False)
        return lambda X, y: model.partial_fit(X, y, classes=classes)

    single = [(few.X[i : i + 1], few.y[i : i + 1]) for i in range(len(few.y))]
    name = "scikit-learn SGDClassifier partial_fit"
    return [
        Entrant(f"{name}, whole block", _each(fresh, [(block.X, block.y)]), len(block.y)),
        Entrant(f"{name}, one row a call", _each(fresh, single), len(few.y)),
    ]


def _river(block: speed_rows.Block, few: speed_rows.Block) -> list[Entrant]:
    """`learn_many` takes one mean step per table, so it gets tables of 1,000 rows."""
    pandas = importlib.import_module("pandas")
    make = importlib.import_module("river.linear_model").LogisticRegression
    frame, labels = pandas.DataFrame(block.X), pandas.Series(block.y)
    starts = range(0, len(block.y), BATCH)
    batches = [(frame[i : i + BATCH], labels[i : i + BATCH]) for i in starts]
    return [
        Entrant(
            "river LogisticRegression learn_many, 1,000 rows a step",
            _each(lambda: make().learn_many, batches),
            len(block.y),
        ),
        Entrant(
            "river LogisticRegression learn_one",
            _stream(make, _dicts(few), few.y.tolist()),
            len(few.y),
        ),
    ]


def _vowpal_wabbit(few: speed_rows.Block) -> Entrant:
    """Its own text lines, ready before the clock starts; it parses them inside the call."""
    make = importlib.import_module("vowpalwabbit").Workspace
    lines = [
        (f"{2 * y - 1} | " + " ".join(f"{j}:{value:.6g}" for j, value in enumerate(x)),)
        for x, y in zip(few.X, few.y, strict=True)
    ]
    call = _each(lambda: make("--quiet --loss_function logistic").learn, lines)
    return Entrant("vowpalwabbit learn, one text line a call", call, len(few.y))


def _dicts(block: speed_rows.Block) -> list[dict[str, float]]:
    names = [f"x{j}" for j in range(block.X.shape[1])]
    return [dict(zip(names, row, strict=True)) for row in block.X.tolist()]
