"""Ctrl-C: a call that is interrupted has learned all of its rows or none, wherever it was at that moment."""

import _thread
import copy
import functools
import inspect
import itertools
import operator
import os
import signal
import sys
import threading

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import bits
import poise.river
from poise import HGDClassifier, StreamClassifier

WIDTH = 500
LONG = 30_000  # rows: the core looks for signals every four million cells


@pytest.fixture(autouse=True)
def _ctrl_c_is_answered_by_python():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Struck:
    """A core that finds Ctrl-C pressed when it begins to learn: nothing of Python runs in between."""

    def __init__(self, core):
        self._core = core

    def __getattr__(self, name):
        work = getattr(self._core, name)
        if name not in ("learn", "learn_csr"):
            return work
        return lambda *wish: list(map(operator.call, [_thread.interrupt_main, functools.partial(work, *wish)]))[1]


def state(clf):
    """Return every byte of a model of either face."""
    face = StreamClassifier()
    face._model = clf._model
    return bits.state_of(face)


def struck(clf, learn):
    core = clf._model.columns.core
    clf._model.columns.core = Struck(core)
    try:
        with pytest.raises(KeyboardInterrupt):
            learn()
    finally:
        clf._model.columns.core = core


def rows_of(kind, rows):
    X, _ = bits.plain(30, WIDTH, 2)
    if kind == "csr":
        return sp.csr_array(np.where(np.arange(WIDTH) % 2, X, 0.0)[np.arange(rows) % 30])
    return np.broadcast_to(X[7], (rows, WIDTH)) if kind == "dense" else X[np.arange(rows) % 30]


PARAMETERS = [{}, {"learner": "softmax", "memory": 0.99}, {"radius": 1.0}, {"standardize": None, "unit_rows": True}]


class TestLongCall:
    """It is stopped on the way, and nothing of it was learned."""

    @pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
    @pytest.mark.parametrize("classes", [2, 5])
    @pytest.mark.parametrize("kind", ["dense", "csr"])
    def test_leaves_every_byte_as_it_was(self, kind, classes, parameters):
        few, rows = rows_of(kind, 30), rows_of(kind, LONG)
        clf = HGDClassifier(**parameters)
        clf.learn(few, np.arange(30) % 2)
        before, twin = state(clf), copy.deepcopy(clf)
        struck(clf, lambda: clf.learn(rows, np.arange(LONG) % classes))
        assert state(clf) == before
        bits.assert_same_numbers(clf.learn(few, np.arange(30) % 5), twin.learn(few, np.arange(30) % 5))
        bits.assert_same_state(clf, twin)

    @pytest.mark.parametrize("verb", ["partial_fit", "learn", "fit"])
    def test_of_any_verb_leaves_every_byte_as_it_was(self, verb):
        rows, y = rows_of("dense", LONG), np.arange(LONG) % 2
        clf = HGDClassifier().partial_fit(rows[:10], y[:10], classes=[0, 1])
        before = state(clf)
        if verb == "fit":  # it begins anew, so with another core
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(poise.columns._core, "Core", lambda *given, made=poise._core.Core: Struck(made(*given)))
                with pytest.raises(KeyboardInterrupt):
                    clf.fit(rows, y)
        else:
            struck(clf, lambda: getattr(clf, verb)(rows, y))
        assert state(clf) == before

    def test_takes_new_names_back(self):
        clf = poise.river.HGDClassifier()
        clf.learn_one({"a": 1.0}, 0)
        before = state(clf)
        rows = pd.DataFrame(rows_of("dense", LONG), columns=[f"new{j}" for j in range(WIDTH)])
        struck(clf, lambda: clf.learn_many(rows, pd.Series(np.arange(LONG) % 3)))
        assert state(clf) == before
        assert clf._model.columns.names == ["a"]

    @pytest.mark.skipif(os.name != "posix", reason="needs signals")
    def test_is_stopped_by_a_real_signal_and_leaves_the_lock_open(self):
        rows = rows_of("dense", 50 * LONG)
        clf, y = HGDClassifier(), np.arange(50 * LONG) % 2
        clf.learn(rows[:10], y[:10])
        before, at_work = state(clf), threading.Event()
        core = clf._model.columns.core
        presses = threading.Thread(target=lambda: at_work.wait() and os.kill(os.getpid(), signal.SIGINT))
        presses.start()
        clf._model.columns.core = Telling(core, at_work)
        with pytest.raises(KeyboardInterrupt):
            clf.learn(rows, y)
        presses.join()
        clf._model.columns.core = core
        assert state(clf) == before
        asks = threading.Thread(target=clf.predict, args=(rows[:3],))
        asks.start()
        asks.join(60)
        assert not asks.is_alive()


class Telling:
    """A core that tells when it begins to learn."""

    def __init__(self, core, at_work):
        self._core, self._at_work = core, at_work

    def __getattr__(self, name):
        if name == "learn":
            self._at_work.set()
        return getattr(self._core, name)


# ---- calls too short to be stopped on the way, and all that happens around the core

X, _ = bits.plain(12, 3, 2)
ARRAY = (HGDClassifier, X[:4], [5, 7, 5, 7])
TABLE = (HGDClassifier, pd.DataFrame(X[:4], columns=list("abc")), [5, 7, 5, 7])
DICTS = (HGDClassifier, [{"a": 1.0, "place": "here"}, {"b": 2.0}, {"a": 3.0, "place": "there"}], [5, 7, 5])
RIVER = (poise.river.HGDClassifier, TABLE[1], TABLE[2])
NEW = [{"a": 1.0, "place": "here"}, {"new": 2.0, "a": None}, {"place": "afar", "b": 1.5}, {"more": 3, "b": 0.5}]
#: How a model begins, and a call that brings something new.
CALLS = {
    "rows": (*ARRAY, X[4:], [7, 5] * 4, {}),
    "classes": (*ARRAY, X[4:], [1, 2, 3, 4, 5, 6, 7, 8], {}),
    "declared classes": (*ARRAY, X[4:], [7, 5] * 4, {"classes": [1, 5, 9, 7]}),
    "csr": (*ARRAY[:1], sp.csr_array(X[:4]), ARRAY[2], sp.csr_array(X[4:]), [1, 2, 3, 4, 5, 6, 7, 8], {}),
    "table": (*TABLE, pd.DataFrame(X[4:], columns=list("abc")), [1, 2, 3, 4, 5, 6, 7, 8], {}),
    "dicts": (*DICTS, NEW, [1, 2, 5, 7], {}),
    "dicts, some left out": (*DICTS, NEW, [1, 2, 5, 7], {"sample_weight": [1.0, 0.0, 0.0, 2.0]}),
    "table, then dicts": (*TABLE, NEW, [1, 2, 5, 7], {}),
    "river": (*RIVER, pd.DataFrame(X[4:], columns=["b", "new", "more"]), [1, 2, 3, 4, 5, 6, 7, 8], {}),
}
RULES = {"missing": "zero"}


class Interrupting:
    """Press Ctrl-C at one of the moments at which Python looks for it: a function begins, or one of C's ends."""

    def __init__(self, moment):
        self.moment, self.seen = moment, 0

    def __call__(self, frame, event, _):
        ours = frame.f_globals.get("__name__", "").startswith("poise.") or frame.f_globals is globals()
        closing = frame.f_code.co_flags & inspect.CO_GENERATOR  # nobody hears of an error while a generator is thrown away
        if event in ("call", "c_return") and ours and not closing:
            self.seen += 1
            if self.seen == self.moment:
                sys.setprofile(None)
                raise KeyboardInterrupt


class Whole:
    """A core whose end is seen by a profile function."""

    def __init__(self, core):
        self._core = core

    def __getattr__(self, name):
        work = getattr(self._core, name)
        if not callable(work):
            return work

        def run(*given):
            out = work(*given)
            done()
            return out

        return run


def done():
    pass


def interrupted(call, moment):
    """Return a model as it was before the call, and whether the call was interrupted at the moment."""
    kind, rows, y, new, labels, more = call
    clf = kind(**RULES)
    verb = "learn_many" if kind is poise.river.HGDClassifier else "learn"
    getattr(clf, verb)(rows, y)
    core = clf._model.columns.core
    clf._model.columns.core = Whole(core)
    profile = Interrupting(moment)
    caught = False
    try:
        sys.setprofile(profile)
        getattr(clf, verb)(new, labels, **more)
    except KeyboardInterrupt:
        caught = True
    finally:
        sys.setprofile(None)
        clf._model.columns.core = core
    return clf, caught


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_an_interruption_at_any_moment_leaves_a_model_that_goes_on_as_before_or_as_after_the_call(call):
    kind, rows, y, new, labels, more = call
    verb = "learn_many" if kind is poise.river.HGDClassifier else "learn"
    models = [kind(**RULES), kind(**RULES)]
    for model in models:
        getattr(model, verb)(rows, y)
    getattr(models[1], verb)(new, labels, **more)
    whole = [state(model) for model in models]
    for model in models:
        getattr(model, verb)(new, labels, **more)
    later = [state(model) for model in models]
    met = set()
    for moment in itertools.count(1):
        clf, caught = interrupted(call, moment)
        if not caught:
            break
        assert state(clf) in whole, moment
        at = whole.index(state(clf))
        met.add(at)
        getattr(clf, verb)(new, labels, **more)
        assert state(clf) == later[at], moment
    assert moment > 10
    assert met == {0, 1}
