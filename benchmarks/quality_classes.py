"""More than two classes: HGD with softmax beside river's softmax regression and scikit-learn's one-against-the-rest.

The sets are those that scikit-learn brings along, as they are and with class k thinned to the share 0.7^k of its rows. Each row
is scored, then learned, one pass; the classes are known from the start, and who cannot answer yet is taken to say the first one.
The measure is the geometric mean of the recalls of all classes, averaged over 10 orders. Poise must be above the plain peers:

- scikit-learn: `SGDClassifier(loss="log_loss")` behind a `StandardScaler`, both by `partial_fit` of one row;
- river: `StandardScaler | SoftmaxRegression`.

The same peers stand beside with what their manuals offer against imbalance, without a bound: running weights, by which a row
counts (rows so far) / (classes x rows of its class so far), and `RandomOverSampler` toward equal classes; and scikit-learn's with
river's constant step 0.01.
"""

import importlib
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from quality_figures import Line
from quality_sets import Labels, Stream, reordered
from sklearn import datasets

from poise import StreamClassifier, metrics

SETS = {"digits": datasets.load_digits, "wine": datasets.load_wine, "iris": datasets.load_iris}
KEPT, SEEDS = 0.7, 10
POISE = "poise, HGD with softmax"
PLAIN = ("scikit-learn SGD", "river softmax")
Learn = Callable[[Stream], Labels]  # the answer to each row before it was learned


def classes(names: Iterable[str] | None = None, seeds: int = SEEDS, jobs: int = 2) -> list[Line]:
    """Give the mean over all sets of each library; poise's must be above those of the plain peers."""
    streams = [stream for name in names or SETS for stream in (whole(name), thinned(whole(name)))]
    able, reasons = runners()
    parallel = importlib.import_module("joblib")
    calls = [parallel.delayed(mean)(learn, stream, seeds) for learn in able.values() for stream in streams]
    found = np.reshape(parallel.Parallel(n_jobs=jobs)(calls), (len(able), len(streams)))
    print(f"{'mean of the geometric means':45}" + "".join(f"{stream.name:>14}" for stream in streams))
    for title, values in zip(able, found, strict=True):
        print(f"{title:45}" + "".join(f"{value:14.3f}" for value in values))
    print("\n".join(reasons), end="\n" if reasons else "")
    means = dict(zip(able, found.mean(axis=1).tolist(), strict=True))
    low = max(means[title] for title in PLAIN if title in means)
    return [Line(f"{title}, mean of {len(streams)}", got, low if title == POISE else None) for title, got in means.items()]


def whole(name: str) -> Stream:
    """Read one of scikit-learn's sets."""
    X, y = SETS[name](return_X_y=True)
    return Stream(name, np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.int64))


def thinned(stream: Stream) -> Stream:
    """Keep the share 0.7^k of class k, drawn with seed 0."""
    rng = np.random.default_rng(0)
    drawn = [rng.permutation(np.flatnonzero(stream.y == k)) for k in range(int(stream.y.max()) + 1)]
    kept = [rows[: round(len(rows) * KEPT**k)] for k, rows in enumerate(drawn)]
    thin = reordered(stream, np.sort(np.concatenate(kept)))
    return Stream(f"{stream.name}, 0.7^k", thin.X, thin.y)


def runners() -> tuple[dict[str, Learn], list[str]]:
    """Give what learns a stream, by title, and the reasons of those left out."""
    able: dict[str, Learn] = {
        POISE: _poise,
        "scikit-learn SGD": _scikit_learn,
        "scikit-learn SGD, step 0.01": partial(_scikit_learn, learning_rate="constant", eta0=0.01),
        "scikit-learn SGD, running weights": partial(_scikit_learn, weighted=True),
        "scikit-learn SGD, step 0.01, running weights": partial(
            _scikit_learn, weighted=True, learning_rate="constant", eta0=0.01
        ),
    }
    try:
        importlib.import_module("river")
    except ImportError as error:
        return able, [f"river left out: {error}"]
    return able | {"river softmax": _river, "river softmax, over-sampled": partial(_river, sampled=True)}, []


def gmean(stream: Stream, answers: Labels) -> float:
    """Take the geometric mean of the recalls."""
    return metrics.gmean(metrics.confusion_table(stream.y, answers, np.unique(stream.y).tolist()))


def mean(learn: Learn, stream: Stream, seeds: int) -> float:
    """Average the measure over orders."""
    found = []
    for seed in range(seeds):
        order = np.random.default_rng(seed).permutation(len(stream.y))
        shuffled = reordered(stream, order)
        found.append(gmean(shuffled, learn(shuffled)))
    return float(np.mean(found))


def _poise(stream: Stream) -> Labels:
    model = StreamClassifier("hgd", "softmax")
    return np.asarray(np.argmax(model.learn(stream.X, stream.y, classes=np.unique(stream.y)), axis=1))


def _scikit_learn(stream: Stream, *, weighted: bool = False, **steps: Any) -> Labels:
    make = importlib.import_module("sklearn.linear_model").SGDClassifier
    scaler = importlib.import_module("sklearn.preprocessing").StandardScaler()
    known = np.unique(stream.y)
    model, counts, answers = make(loss="log_loss", random_state=0, **steps), np.zeros(len(known)), np.zeros_like(stream.y)
    for i, y in enumerate(stream.y):
        row = stream.X[i : i + 1]
        if i:
            answers[i] = model.predict(scaler.transform(row))[0]
        counts[y] += 1
        weight = counts.sum() / (len(known) * counts[y]) if weighted else 1.0
        z = scaler.partial_fit(row).transform(row)
        model.partial_fit(z, stream.y[i : i + 1], classes=known, sample_weight=np.array([weight]))
    return answers


def _river(stream: Stream, *, sampled: bool = False) -> Labels:
    linear = importlib.import_module("river.linear_model").SoftmaxRegression()
    scaler = importlib.import_module("river.preprocessing").StandardScaler()
    known = np.unique(stream.y).tolist()
    if sampled:
        sampler = importlib.import_module("river.imblearn").RandomOverSampler
        linear = sampler(linear, desired_dist=dict.fromkeys(known, 1 / len(known)), seed=0)
    model, answers = scaler | linear, np.zeros_like(stream.y)
    for i, (row, y) in enumerate(zip(stream.X.tolist(), stream.y.tolist(), strict=True)):
        x = dict(enumerate(row))
        given = model.predict_proba_one(x)
        answers[i] = max(given, key=given.__getitem__) if given else 0
        model.learn_one(x, y)
    return answers
