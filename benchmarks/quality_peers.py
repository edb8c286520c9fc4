"""Other libraries on the same streams: every row is scored, then learned, one row at a time.

Each stands as its own manual would set it up for an imbalanced stream:

- scikit-learn: `SGDClassifier(loss="log_loss")` on a `StandardScaler`, both by `partial_fit` of one
  row; a row's sample weight is (rows so far) / (2 x rows of its class so far). Once with its
  default steps, which begin very long, and once with the constant step 0.01, which is river's.
- river: `StandardScaler | RandomOverSampler(LogisticRegression)` toward equal classes.
- Vowpal Wabbit: `--loss_function logistic`, the same running weights as its importance weights.
  Its steps are normalised by default, so it needs no scaler.
"""

import importlib
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from quality_sets import Floats, Stream, measure, shuffled, stored

from poise.progress import Progress

Row = npt.NDArray[np.float64]
Pair = tuple[Callable[[Row], float], Callable[[Row, int, float], None]]
"""The score of a row, and the learning of a row with its label and its running class weight."""


@dataclass(frozen=True)
class Result:
    """One method on one set."""

    method: str
    set: str
    rows: int
    auc: float
    gmean: float
    f1: float
    seconds: float

    @property
    def key(self) -> tuple[str, str, int]:
        """Tell one run from another."""
        return self.method, self.set, self.rows


def _scikit_learn(d: int, **steps: Any) -> Pair:
    make = importlib.import_module("sklearn.linear_model").SGDClassifier
    scaler = importlib.import_module("sklearn.preprocessing").StandardScaler()
    model, classes = make(loss="log_loss", random_state=0, **steps), np.array([0, 1])

    def score(x: Row) -> float:
        if not hasattr(model, "coef_"):
            return 0.0
        return float(model.decision_function(scaler.transform(x[np.newaxis]))[0])

    def learn(x: Row, y: int, weight: float) -> None:
        row = x[np.newaxis]
        z = scaler.partial_fit(row).transform(row)
        model.partial_fit(z, np.array([y]), classes=classes, sample_weight=np.array([weight]))

    return score, learn


def _river(d: int) -> Pair:
    sampler = importlib.import_module("river.imblearn").RandomOverSampler
    linear = importlib.import_module("river.linear_model").LogisticRegression
    scaler = importlib.import_module("river.preprocessing").StandardScaler
    model = scaler() | sampler(linear(), desired_dist={0: 0.5, 1: 0.5}, seed=0)
    columns = [f"x{j}" for j in range(d)]

    def score(x: Row) -> float:
        given = model.predict_proba_one(dict(zip(columns, x.tolist(), strict=True)))
        return float(given.get(1, 0.5)) - 0.5

    def learn(x: Row, y: int, weight: float) -> None:
        model.learn_one(dict(zip(columns, x.tolist(), strict=True)), y)

    return score, learn


def _vowpal_wabbit(d: int) -> Pair:
    make = importlib.import_module("vowpalwabbit").Workspace
    model = make("--quiet --loss_function logistic --random_seed 0")

    def score(x: Row) -> float:
        return float(model.predict(_line(x)))

    def learn(x: Row, y: int, weight: float) -> None:
        model.learn(f"{2 * y - 1} {weight:.9g} {_line(x)}")

    return score, learn


def _line(x: Row) -> str:
    return "| " + " ".join(f"{j}:{value:.9g}" for j, value in enumerate(x.tolist()))


PACKAGES: dict[str, tuple[str, Callable[[int], Pair]]] = {
    "scikit-learn SGD": ("scikit-learn", _scikit_learn),
    "scikit-learn SGD, step 0.01": (
        "scikit-learn",
        partial(_scikit_learn, learning_rate="constant", eta0=0.01),
    ),
    "river": ("river", _river),
    "Vowpal Wabbit": ("vowpalwabbit", _vowpal_wabbit),
}


def installed() -> tuple[dict[str, str], list[str]]:
    """Give each peer's full name with its version, and the reasons of those left out."""
    full, reasons = {}, []
    for peer, (package, _) in PACKAGES.items():
        try:
            importlib.import_module("sklearn" if package == "scikit-learn" else package)
            full[peer] = f"{peer} ({metadata.version(package)})"
        except ImportError as error:
            reasons.append(f"{peer} left out: {error}")
    return full, reasons


def scores(peer: str, stream: Stream) -> Floats:
    """Score, then learn each row with a new model of the peer."""
    score, learn = PACKAGES[peer][1](stream.X.shape[1])
    counts, given = [0, 0], np.empty(len(stream.y))
    for i, (x, y) in enumerate(zip(stream.X, stream.y.tolist(), strict=True)):
        given[i] = score(x)
        counts[y] += 1
        learn(x, y, sum(counts) / (2 * counts[y]))
    return given


def one(peer: str, method: str, name: str) -> Result:
    """Run one peer over one set shuffled with seed 0."""
    stream = shuffled(stored(name), 0)
    begin = time.perf_counter()
    given = scores(peer, stream)
    seconds = round(time.perf_counter() - begin, 3)
    found = measure(stream.y, given)
    return Result(method, name, len(stream.y), found.auc, found.gmean, found.f1, seconds)


def run(sizes: dict[str, int], out: Path | None, jobs: int) -> tuple[list[Result], list[str]]:
    """Run every peer over every set, largest first; `out` keeps what is done between runs."""
    full, reasons = installed()
    by_size = sorted(sizes, key=lambda name: -sizes[name])
    wanted = {(full[peer], name, sizes[name]): peer for name in by_size for peer in full}
    done = {result.key: result for result in _kept(out) if result.key in wanted}
    todo = [key for key in wanted if key not in done]
    if done:
        print(f"{len(done)} of {len(wanted)} peer runs taken from {out}")
    with Progress(sum(key[2] for key in todo), "peers") as progress:
        parallel = importlib.import_module("joblib")
        calls = [parallel.delayed(one)(wanted[key], key[0], key[1]) for key in todo]
        results = parallel.Parallel(n_jobs=jobs, return_as="generator_unordered")(calls)
        for result in results if calls else ():
            done[result.key] = result
            _keep(out, result)
            progress.advance(result.rows)
    return [done[key] for key in wanted], reasons


def _kept(out: Path | None) -> Iterator[Result]:
    """Read the finished runs; a line that was cut off is run again."""
    if out is None or not out.is_file():
        return
    for line in out.read_text(encoding="utf-8").splitlines():
        try:
            fields: dict[str, Any] = json.loads(line)
            yield Result(**fields)
        except (ValueError, TypeError):
            continue


def _keep(out: Path | None, result: Result) -> None:
    if out is None:
        return
    with out.open("a+b") as file:
        file.seek(max(0, file.seek(0, 2) - 1))
        cut_off = file.read(1) not in {b"", b"\n"}
        file.write((("\n" if cut_off else "") + json.dumps(asdict(result)) + "\n").encode())
