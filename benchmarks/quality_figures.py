"""The figures of the quality benchmark that stand on one setting each.

`anchor` repeats a published result, `late` has a class that comes late, `absurd` has one broken
row, `memory` has ten million rows, `fourier` has random features.
"""

import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from quality_sets import Floats, Labels, Stream, folder, measure, present, reordered, shuffled, stored

from poise import Fourier, HGDClassifier, StreamClassifier
from poise.datasets import scale_columns
from poise.metrics import balanced_accuracy, confusion

ANCHOR = {"auc_hard": 0.8157, "G-mean": 0.8149, "F1": 0.6689}
ANCHOR_WITHIN = 0.002
LATE = {"a9a": 0.80, "HTRU2": 0.90, "mammography": 0.86}
LATE_SEEDS = 10
ABSURD_SETS = ("MagicTelescope", "electricity", "default", "a9a", "ijcnn1", "HTRU2")
ABSURD_VALUE, ABSURD_LOSS, ABSURD_SEEDS, AFTER = 1e9, 0.01, 5, 5000
RARE = 10.0  # negatives per positive above which one false positive row weighs heavily by itself
FOURIER = {"AUC by scores": 0.891, "G-mean": 0.826, "F1": 0.621}
FOURIER_ROWS, FOURIER_SETS = 20_000, 60
BLOCK, WIDTH, WARM, MEMORY_MB = 10_000, 20, 1, 2.0


@dataclass(frozen=True)
class Line:
    """What was attained beside its bound; without a bound it is there to compare with."""

    name: str
    got: float
    low: float | None = None
    high: float | None = None

    @property
    def ok(self) -> bool:
        """Tell whether the bound is met."""
        above = self.low is None or self.got >= self.low
        return above and (self.high is None or self.got <= self.high)

    @property
    def bound(self) -> str:
        """Give the bound in plain text."""
        if self.low is not None and self.high is not None:
            return f"{self.low:.4f} to {self.high:.4f}"
        if self.low is not None:
            return f">= {self.low:g}"
        return "" if self.high is None else f"<= {self.high:g}"

    def __str__(self) -> str:
        verdict = f"  {self.bound:18}  {'ok' if self.ok else 'MISSED'}"
        return f"{self.name:62}{self.got:9.4f}{verdict if self.bounded else ''}"

    @property
    def bounded(self) -> bool:
        """Tell whether there is a bound at all."""
        return self.low is not None or self.high is not None


def anchor(permutations: int = 10) -> list[Line]:
    """Repeat the published result on a8a: an SVM with the first form of HGD, the paper's setting."""
    whole = stored("a8a")
    scaled = replace(whole, X=scale_columns(whole.X))
    found = []
    for seed in range(permutations):
        stream = shuffled(scaled, seed)
        model = StreamClassifier.paper("hgd", "svm", variant="ohgd", eta0=1.0, learning_rate="sqrt")
        run = measure(stream.y, model.learn(stream.X, stream.y))
        found.append((run.balanced, run.gmean, run.f1))
    means = np.mean(found, axis=0).tolist()
    return [
        Line(f"a8a {name}, mean of {permutations}", got, *_around(ANCHOR[name])) for name, got in zip(ANCHOR, means, strict=True)
    ]


def _around(published: float) -> tuple[float, float]:
    return published - ANCHOR_WITHIN, published + ANCHOR_WITHIN


def late(names: Iterable[str] = LATE, seeds: int = LATE_SEEDS) -> list[Line]:
    """Give half the negatives first, then the rest shuffled; with and without a largest weight."""
    lines = []
    for name in names:
        whole = stored(name)
        found = np.mean([_late_run(whole, seed) for seed in range(seeds)], axis=0).tolist()
        lines += [
            Line(f"{name}, all rows", found[0], LATE[name]),
            Line(f"{name}, all rows, clamp=None", found[2]),
            Line(f"{name}, rows after the first half of the negatives", found[1]),
            Line(f"{name}, the same rows, clamp=None", found[3]),
        ]
    return lines


def late_order(y: Labels, seed: int) -> tuple[Labels, int]:
    """Give the order of the rows and how many negatives lead it."""
    rng = np.random.default_rng(seed)
    negatives = rng.permutation(np.flatnonzero(y == 0))
    lead = len(negatives) // 2
    rest = rng.permutation(np.concatenate([negatives[lead:], np.flatnonzero(y == 1)]))
    return np.concatenate([negatives[:lead], rest]), lead


def _late_run(whole: Stream, seed: int) -> list[float]:
    """Balanced accuracy over all rows and over those after the lead; then without a clamp."""
    order, lead = late_order(whole.y, seed)
    stream, found = reordered(whole, order), []
    for model in (HGDClassifier(), HGDClassifier(clamp=None)):
        given = model.learn(stream.X, stream.y, classes=[0, 1])
        found += [_balanced(stream.y, given), _balanced(stream.y[lead:], given[lead:])]
    return found


def _balanced(y: Labels, given: Floats) -> float:
    return balanced_accuracy(confusion(y, (given >= 0).astype(np.int64)))


def simulated(seed: int, rows: int = 20_000, d: int = WIDTH, imbalance: int = 20) -> Stream:
    """Make Gaussian columns with a noisy linear label."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, d))
    signal = X @ rng.standard_normal(d) / np.sqrt(d) + 0.3 * rng.standard_normal(rows)
    y = (signal > np.quantile(signal, 1 - 1 / (imbalance + 1))).astype(np.int64)
    return Stream("simulated", X, y)


def absurd(names: Iterable[str] = ABSURD_SETS, seeds: int = ABSURD_SEEDS) -> list[Line]:
    """Tell what one row of 1e9 in every column costs over the next 5,000 rows: the worst seed."""

    def shuffles(name: str) -> Callable[[int], Stream]:
        whole = stored(name)
        return lambda seed: shuffled(whole, seed)

    makers = {name: shuffles(name) for name in names} | {"simulated": simulated}
    return [line for name, make in makers.items() for line in _absurd_lines(name, make, seeds)]


def _absurd_lines(name: str, make: Callable[[int], Stream], seeds: int) -> list[Line]:
    streams = [make(seed) for seed in range(seeds)]
    ir = np.mean(streams[0].y == 0) / np.mean(streams[0].y == 1)
    lines = []
    for label, called in enumerate(("negative", "positive")):
        worst = np.max([absurd_loss(stream, label) for stream in streams], axis=0).tolist()
        held = label == 0 or ir <= RARE
        title = f"{name} (1:{ir:.1f}), row called {called}, points lost"
        lines.append(Line(title, worst[0], high=ABSURD_LOSS if held else None))
        if not held:
            lines.append(Line(f"{name}, a plain row 5 deviations off, called {called}", worst[1]))
    return lines


def absurd_loss(stream: Stream, label: int) -> tuple[float, float]:
    """Tell what a row of 1e9 costs, and what a row at 5 deviations with the same label costs."""
    middle = len(stream.y) // 2
    seen = stream.X[:middle]
    plain = _after(HGDClassifier().learn(stream.X, stream.y, classes=[0, 1]), stream, 0)
    losses = []
    for row in (ABSURD_VALUE, seen.mean(axis=0) + 5 * seen.std(axis=0)):
        X, y = np.insert(stream.X, middle, row, axis=0), np.insert(stream.y, middle, label)
        losses.append(plain - _after(HGDClassifier().learn(X, y, classes=[0, 1]), stream, 1))
    return losses[0], losses[1]


def _after(given: Floats, stream: Stream, extra: int) -> float:
    """Balanced accuracy over the rows after the middle; `extra` rows were put in there."""
    begin = len(stream.y) // 2
    rows = slice(begin, begin + AFTER)
    return _balanced(stream.y[rows], given[begin + extra :][:AFTER])


def memory(rows: int = 10_000_000) -> list[Line]:
    """Learn blocks of 10,000 rows and watch the memory of this process after the first 50."""
    statm = Path("/proc/self/statm")
    if not statm.is_file():
        sys.exit("memory left out: this system has no /proc/self/statm")
    rng, model = np.random.default_rng(0), HGDClassifier()
    X, signal = np.empty((BLOCK, WIDTH)), np.linspace(-1.0, 1.0, WIDTH)
    held, begin = [], WARM * BLOCK
    for start in range(0, begin + rows, BLOCK):
        if start >= begin:
            held.append(_resident(statm))
        rng.standard_normal(out=X)
        model.learn(X, (X @ signal > 4.0).astype(np.int64), classes=[0, 1])
    held.append(_resident(statm))
    moved = (max(held) - min(held)) / 1e6
    return [Line(f"MB that memory moved over {rows:,} rows", moved, high=MEMORY_MB)]


def fourier(names: Iterable[str] | None = None) -> list[Line]:
    """Average over all sets of at most 20,000 rows, or over those named."""
    streams = [stream for name in names or present() if len((stream := stored(name)).y) <= FOURIER_ROWS]
    if names is None and len(streams) != FOURIER_SETS:
        sys.exit(f"{len(streams)} sets of at most {FOURIER_ROWS:,} rows are in {folder()}, not {FOURIER_SETS}: get the rest")
    found = []
    for stream in (shuffled(stream, 0) for stream in streams):
        model = StreamClassifier("hgd", Fourier(features=256), random_state=0)
        run = measure(stream.y, model.learn(stream.X, stream.y))
        found.append((run.auc, run.gmean, run.f1))
    means = np.mean(found, axis=0).tolist()
    return [Line(f"mean {name}, {len(found)} sets", got, low) for (name, low), got in zip(FOURIER.items(), means, strict=True)]


def _resident(statm: Path) -> int:
    pages = int(statm.read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
