"""The published grids in one process: every method on every real set, in the paper's setting and reading.

    python benchmarks/grid.py                       25 methods with a perceptron and 28 with an SVM, all sets
    python benchmarks/grid.py --kernel              24 methods with a kernel, the sets under 20,000 rows
    python benchmarks/grid.py --reading textbook    the methods as their textbooks have them
    python benchmarks/grid.py --published FILE      beside published means and ranks, with their correlation
    python benchmarks/grid.py --sets 2              only the sets of fewest rows

Columns are scaled as the authors did, rows shuffled with seed 0, one pass, two threads. The exit code is 1 when the whole grid
took longer, or more memory, than it may. The sets are found as in quality.py. FILE is a table with the columns method, learner,
metric, value, rank and supplement_label: the method by which its row is known, since one published table mislabels four.
"""

import argparse
import csv
import resource
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from quality_figures import Line
from quality_sets import Floats, Labels, folder, measure, present, shuffled, stored
from scipy.stats import rankdata

from poise import StreamClassifier, methods
from poise.datasets import describe, scale_columns
from poise.errors import ParameterError
from poise.progress import Progress

THREADS = 2
SECONDS, KERNEL_SECONDS, KERNEL_GB = 100.0, 600.0, 4.0
KERNEL_ROWS = 20_000
BEYOND = {"weob1", "weob2"}  # not in the published tables
UNEXPLAINED = "csrda4"  # no reading of it repeats the published numbers; the perceptron never leaves 0
METRICS = {"auc": "auc_hard", "gmean": "G-mean", "f1": "F1"}
KINDS = {"C": "cost", "S": "sum"}
ROMAN = {"I": "1", "II": "2", "III": "3", "IV": "4"}
Values = dict[str, Floats]  # by method: a row per set, a column per metric
Published = dict[tuple[str, str, str], tuple[float, float]]  # by learner, metric and method: value and rank


@dataclass(frozen=True)
class Prepared:
    """A set in the order in which it is learned, its columns scaled, with the negatives per positive of all of it."""

    name: str
    X: Floats
    y: Labels
    ir: float


@dataclass(frozen=True)
class Job:
    """One run."""

    learner: str
    method: str
    set: Prepared
    reading: str

    @property
    def cost(self) -> float:
        """Guess how long it takes, to begin with the longest."""
        rows, columns = float(len(self.set.X)), float(self.set.X.shape[1])
        members = methods.get(self.method)().many_members
        return members * rows * columns if self.learner != "kernel" else (columns + members) * rows * rows

    def run(self) -> tuple[float, float, float]:
        """Give balanced accuracy of hard labels (the authors' AUC), G-mean and F1."""
        model = StreamClassifier.paper(self.method, self.learner, ir=self.set.ir, random_state=0, reading=self.reading)
        scores = model.learn(self.set.X, self.set.y, classes=[0, 1])
        found = measure(self.set.y, scores)
        return found.balanced, found.gmean, found.f1


def main() -> int:
    """Run a grid and print its tables; 1 when a limit is missed."""
    options = _options()
    published = read_published(options.published) if options.published else {}
    learners = ("kernel",) if options.kernel else ("perceptron", "svm")
    begin = time.perf_counter()
    sets = prepared(chosen(options.kernel, options.sets))
    if not sets:
        sys.exit(f"no sets in {folder()}; set POISE_DATA to the sets' folder")
    found = run(learners, sets, options.reading)
    seconds = time.perf_counter() - begin
    for learner, values in found.items():
        print("\n".join([f"\n{learner}, reading={options.reading}, {len(sets)} sets", *table(learner, values, published)]))
    lines = cost(seconds, kernel=options.kernel, whole=options.sets is None)
    print("\n".join(["", *(str(line) for line in lines)]))
    return 0 if all(line.ok for line in lines) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kernel", action="store_true", help="the kernel's grid")
    parser.add_argument("--reading", choices=("paper", "textbook"), default="paper", help="of the methods (paper)")
    parser.add_argument("--published", type=Path, metavar="FILE", help="published means and ranks to stand beside")
    parser.add_argument("--sets", type=int, metavar="N", help="only the N sets of fewest rows; no limits")
    return parser.parse_args()


def chosen(kernel: bool, most: int | None) -> list[str]:
    """Name the sets that are there, the smallest first."""
    by_size = sorted(present(), key=lambda name: describe(name).n)
    return [name for name in by_size if not kernel or describe(name).n < KERNEL_ROWS][:most]


def prepared(names: list[str]) -> list[Prepared]:
    """Read sets, scale their columns over all rows and shuffle."""
    made = []
    for name in names:
        whole = stored(name)
        stream = shuffled(replace(whole, X=scale_columns(whole.X)), 0)
        positives = int(stream.y.sum())
        made.append(Prepared(name, stream.X, stream.y, (len(stream.y) - positives) / positives))
    return made


def defined(learner: str) -> list[str]:
    """Name the published methods that are defined for a learner: 25 for the perceptron, 28 for the SVM, 24 for the kernel."""
    return [name for name in methods.names() if name not in BEYOND and _defined(name, learner)]


def _defined(name: str, learner: str) -> bool:
    try:
        StreamClassifier.paper(name, learner, ir=1.0)._setup()
    except ParameterError:
        return False
    return True


def run(learners: tuple[str, ...], sets: list[Prepared], reading: str = "paper") -> dict[str, Values]:
    """Run every method with every learner on every set, the longest runs first."""
    found = {learner: {name: np.full((len(sets), len(METRICS)), np.nan) for name in defined(learner)} for learner in learners}
    jobs = [(Job(learner, name, data, reading), i) for learner in found for name in found[learner] for i, data in enumerate(sets)]
    jobs.sort(key=lambda job: -job[0].cost)
    with (
        ThreadPoolExecutor(THREADS) as pool,
        Progress(sum(len(job.set.y) for job, _ in jobs), " and ".join(learners)) as progress,
    ):
        futures = {pool.submit(job.run): (job, i) for job, i in jobs}
        try:
            for future in as_completed(futures):
                job, i = futures[future]
                found[job.learner][job.method][i] = future.result()
                progress.advance(len(job.set.y))
        finally:  # after an error or Ctrl-C nothing new begins
            pool.shutdown(wait=False, cancel_futures=True)
    return found


@dataclass(frozen=True)
class Summary:
    """One metric of all methods of a learner: means, means of value / the set's best, mean ranks (1 is best, ties share)."""

    means: Floats
    of_best: Floats
    ranks: Floats
    left_out: int  # sets where the metric is undefined for a method, or 0 for all

    @classmethod
    def of(cls, values: Values, metric: int) -> "Summary":
        """Average over the sets where the metric has a value."""
        table = np.array([rows[:, metric] for rows in values.values()])  # methods x sets
        kept = table[:, np.isfinite(table).all(axis=0) & (table > 0).any(axis=0)]
        ranks = rankdata(-kept, axis=0).mean(axis=1)
        return cls(kept.mean(axis=1), (kept / kept.max(axis=0)).mean(axis=1), ranks, table.shape[1] - kept.shape[1])


def table(learner: str, values: Values, published: Published) -> list[str]:
    """Show means and mean ranks of each method, and the published ones beside them where they are given.

    `best=1` divides a value by the best on the same set: the mean of these is what was published.
    """
    shown = {metric: Summary.of(values, k) for k, metric in enumerate(METRICS)}
    heads = ("mean", "best=1", "publ.", "rank", "publ.") if published else ("mean", "best=1", "rank")
    lines = [f"{'':13}" + "".join(f"{title:^{7 * len(heads)}}" for title in METRICS.values())]
    lines.append(f"{'method':13}" + "".join(f"{head:>7}" for head in heads * len(METRICS)))
    for i, name in enumerate(values):
        cells = [_cells(summary, i, published.get((learner, metric, name)), bool(published)) for metric, summary in shown.items()]
        lines.append(f"{name:13}" + "".join(cells))
    left_out = {METRICS[metric]: summary.left_out for metric, summary in shown.items() if summary.left_out}
    lines += [f"{title}: {count} sets left out, where it is undefined or 0" for title, count in left_out.items()]
    return lines + (agreement(learner, list(values), shown, published) if published else [])


def _cells(summary: Summary, i: int, beside: tuple[float, float] | None, wide: bool) -> str:
    value, rank = ("", "") if beside is None else (f"{beside[0]:.3f}", f"{beside[1]:.1f}")
    means, own_rank = f"{summary.means[i]:7.3f}{summary.of_best[i]:7.3f}", f"{summary.ranks[i]:7.1f}"
    return f"{means}{value:>7}{own_rank}{rank:>7}" if wide else means + own_rank


def agreement(learner: str, names: list[str], shown: dict[str, Summary], published: Published) -> list[str]:
    """Give Pearson's r over the methods, and the mean absolute differences, of values and of ranks."""
    lines = []
    for without in ("", UNEXPLAINED) if UNEXPLAINED in names else ("",):
        for metric, summary in shown.items():
            given = {i: published.get((learner, metric, name)) for i, name in enumerate(names) if name != without}
            beside = {i: pair for i, pair in given.items() if pair is not None}
            if len(beside) < 3:
                continue
            own, (values, ranks) = list(beside), np.array(list(beside.values())).T
            told = f"{METRICS[metric]:9}{len(own):3} methods{f' without {without}' if without else '':16}"
            lines.append(f"{told}  values {_close(summary.of_best[own], values)}  ranks {_close(summary.ranks[own], ranks)}")
    return ["with the published ones:", *lines] if lines else []


def _close(own: Floats, published: Floats) -> str:
    return f"r = {np.corrcoef(own, published)[0, 1]:.3f}, off by {np.abs(own - published).mean():.3f}"


def read_published(path: Path) -> Published:
    """Read published means and ranks; rows without a value are left out."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["value"]]
    return {
        (row["learner"], row["metric"], _name(row["supplement_label"])): (float(row["value"]), float(row["rank"])) for row in rows
    }


def _name(label: str) -> str:
    """Give our name of a published method: CSOGD_SII is csogd_sum2, CSRDA_IV is csrda4, OAdaB is oadab."""
    family, _, form = label.partition("_")
    if family == "CSOGD":
        return f"csogd_{KINDS[form[0]]}{ROMAN[form[1:]]}"
    return f"{family.lower()}{ROMAN[form] if form else ''}"


def cost(seconds: float, *, kernel: bool, whole: bool) -> list[Line]:
    """Give seconds and memory, with limits for whole grids."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e9
    most = (KERNEL_SECONDS if kernel else SECONDS) if whole else None
    return [
        Line(f"seconds, {THREADS} threads, reading and scaling included", seconds, high=most),
        Line("seconds of processor time", time.process_time()),
        Line("GB of memory at the peak", peak, high=KERNEL_GB if kernel and whole else None),
    ]


if __name__ == "__main__":
    sys.exit(main())
