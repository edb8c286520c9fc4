"""Many threads, one model: readers see it between two calls, never within one, and a long call lets others work."""

import copy
import itertools
import pickle
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import bits
import poise.river
from poise import HGDClassifier, StreamClassifier, load

CALLS, SIZE = 40, 25


@pytest.fixture
def eager():
    """Let threads take turns as often as Python can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.fixture
def polite():
    """Let a thread work until it waits or lets go of the interpreter by itself."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e3)
    yield
    sys.setswitchinterval(before)


# ---- streams in which classes, and names where there are any, arrive while others read


def arrays():
    X, _ = bits.plain(CALLS * SIZE, 8, 2)
    y = np.random.default_rng(0).integers(0, 1 + np.arange(len(X)) // 200)
    return [(X[i : i + SIZE], y[i : i + SIZE]) for i in range(0, len(X), SIZE)]


def dicts():
    return [
        ([{f"c{j}": x for j, x in enumerate(row[: 2 + i // 6])} | {"place": f"p{i // 10}"} for row in X.tolist()], y)
        for i, (X, y) in enumerate(arrays())
    ]


STREAMS = {
    "arrays": (arrays, {"learner": "softmax"}),
    "csr": (lambda: [(sp.csr_array(X), y) for X, y in arrays()], {}),
    "tables": (lambda: [(pd.DataFrame(X, columns=list("abcdefgh")), y) for X, y in arrays()], {"memory": 0.99}),
    "dicts": (dicts, {"radius": 5.0}),
    "hashed": (dicts, {"n_hash": 64, "learner": "svm"}),
}


def saved(clf, folder):
    path = folder / f"{threading.get_ident()}.poise"
    clf.save(path)
    return load(path)


#: What a reader does, as something to compare.
READERS = {
    "scores": lambda clf, rows, _: clf.decision_function(rows).tobytes(),
    "probabilities": lambda clf, rows, _: clf.predict_proba(rows).tobytes(),
    "labels": lambda clf, rows, _: clf.predict(rows).tolist(),
    "weights": lambda clf, _, __: clf.coef_.tobytes(),
    "ledger": lambda clf, _, __: [column.tolist() for column in clf.ledger_.frame().values()],
    "file": lambda clf, _, folder: bits.state_of(saved(clf, folder)),
    "pickle": lambda clf, _, __: bits.state_of(pickle.loads(pickle.dumps(clf))),
    "copy": lambda clf, _, __: bits.state_of(copy.deepcopy(clf)),
}


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("stream", STREAMS)
def test_readers_see_only_whole_states_and_never_an_older_one_after_a_newer(stream, tmp_path):
    blocks, parameters = STREAMS[stream][0](), STREAMS[stream][1]
    asked = blocks[-1][0]
    alone, clf = HGDClassifier(**parameters), HGDClassifier(**parameters)
    expected = {name: [] for name in READERS}
    for rows, y in blocks:
        alone.learn(rows, y)
        for name, read in READERS.items():
            expected[name].append(read(alone, asked, tmp_path))
    clf.learn(*blocks[0])
    started, done = threading.Barrier(len(READERS) + 1), threading.Event()

    def watch(name):
        seen = []
        started.wait()
        while not done.is_set() or not seen:
            seen.append(READERS[name](clf, asked, tmp_path))
        return seen

    with ThreadPoolExecutor(len(READERS)) as pool:
        watched = {name: pool.submit(watch, name) for name in READERS}
        started.wait()
        for rows, y in blocks[1:]:
            clf.learn(rows, y)
        done.set()
    for name, readings in watched.items():
        at = 0
        for reading in readings.result():
            assert reading in expected[name][at:], name
            at = expected[name].index(reading, at)
    bits.assert_same_state(clf, alone)


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("kind", [HGDClassifier, StreamClassifier, poise.river.HGDClassifier])
def test_many_learners_of_one_model_lose_no_row(kind):
    rows, labels = zip(*[(row, label) for X, y in dicts() for row, label in zip(X, y.tolist(), strict=True)], strict=True)
    clf, started = kind(), threading.Barrier(4)

    def work(part):
        started.wait()
        for at in range(part, len(rows), 4):
            if at % 3 or kind is poise.river.HGDClassifier:
                clf.learn_one(rows[at], labels[at])
            else:
                clf.learn([rows[at]], [labels[at]])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    face = StreamClassifier()
    face._model = clf._model
    assert face.n_seen_ == len(rows)
    assert {label: face.ledger_[label].seen for label in set(labels)} == {label: labels.count(label) for label in set(labels)}
    assert sorted(face.feature_names_in_) == sorted(
        {f"{n}={v}" if isinstance(v, str) else n for row in rows for n, v in row.items()}
    )


@pytest.mark.usefixtures("eager")
def test_models_refuse_bad_rows_in_one_thread_while_another_learns():
    blocks = arrays()
    alone, clf = HGDClassifier(), HGDClassifier()
    for X, y in blocks:
        alone.learn(X, y)
    clf.learn(*blocks[0])
    bad = np.vstack([np.full((SIZE, 8), 3.0), np.full((1, 8), np.nan)])
    done = threading.Event()

    def disturb():
        refused = 0
        while not done.is_set() or not refused:
            with pytest.raises(poise.DataError, match="row 25, column 0 is NaN"):
                clf.learn(bad, np.arange(SIZE + 1))
            refused += 1
        return refused

    with ThreadPoolExecutor(1) as pool:
        refusals = pool.submit(disturb)
        for X, y in blocks[1:]:
            clf.learn(X, y)
        done.set()
        assert refusals.result() > 0
    bits.assert_same_state(clf, alone)


# ---- long calls


class Watched:
    """A core that says when it is at work; everything else is passed on."""

    def __init__(self, core, before, after=lambda: None):
        self._core, self._before, self._after = core, before, after

    def __getattr__(self, name):
        work = getattr(self._core, name)
        if name not in ("learn", "learn_csr", "score", "score_csr"):
            return work

        def run(*wish):
            self._before()
            try:
                return work(*wish)
            finally:
                self._after()

        return run


WIDTH, ROWS = 500, 100_000


def long_rows(kind):
    """Return many rows that take little memory."""
    if kind == "dense":
        return np.broadcast_to(np.linspace(-1.0, 1.0, WIDTH), (ROWS, WIDTH))
    few = ROWS // 10
    return sp.csr_array((np.ones(few * 50), np.tile(np.arange(50) * 10, few), np.arange(few + 1) * 50), shape=(few, WIDTH))


@pytest.mark.usefixtures("polite")
@pytest.mark.parametrize("verb", ["learn", "decision_function"])
@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_a_long_call_lets_other_threads_work(kind, verb):
    rows, few = long_rows(kind), [0, 1]
    clf, y = HGDClassifier().fit(rows[:2], few), np.arange(rows.shape[0]) % 2
    ticks, during, done = itertools.count(), [], threading.Event()
    clf._model.columns.core = Watched(
        clf._model.columns.core, lambda: during.append(-next(ticks)), lambda: during.append(next(ticks) - 1)
    )

    def tick():
        while not done.is_set():
            next(ticks)
            time.sleep(0)  # lets go of the interpreter
        return True

    with ThreadPoolExecutor(1) as pool:
        ticking = pool.submit(tick)
        for _ in range(100):
            clf.learn(rows, y) if verb == "learn" else clf.decision_function(rows)
            if sum(during) > 0:
                break
        done.set()
        assert ticking.result()
    assert sum(during) > 0
