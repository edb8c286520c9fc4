"""Models that keep rows, draw or ask a user's own method stay whole in odd moments."""

import signal

import numpy as np
import pytest
import scipy.sparse as sp

import bits
import poise
from poise import OB, OOB, Kernel, OAdaB, StreamClassifier, methods
from poise.classifier import from_bytes, to_bytes
from poise.errors import DataError, ParameterError, PoiseError

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(60, 6)), (RNG.random(60) < 0.3).astype(int)
PLAIN = {"standardize": None, "average": False}


@pytest.fixture
def own():
    """Return what enters a method of one's own for the length of a test."""
    entered = []

    def enter(name, function, **form):
        poise.method(name, compile=False, **form)(function)
        entered.append(name)
        return name

    yield enter
    for name in entered:
        methods.forget(name)


@pytest.mark.parametrize("method", [OB(members=1), OOB(members=1), OAdaB(members=1)], ids=repr)
def test_an_ensemble_of_one_draws_like_any_other(method):
    alone = StreamClassifier(method, "svm").learn(X, Y)
    assert not np.array_equal(alone, StreamClassifier("ogd", "svm").learn(X, Y))


class TestRefusedBlocks:
    """Of sparse rows only the columns they name are put aside, but synthetic rows have others."""

    def refused(self, method):
        clf = StreamClassifier(method, "svm", **PLAIN)
        clf.partial_fit(sp.csr_matrix(np.eye(4, 6)), [1, 1, 0, 0], classes=[0, 1])
        before = bits.state_of(clf)
        with pytest.raises(DataError, match="NaN"):
            clf.partial_fit(sp.csr_matrix(([1.0, np.nan], [4, 5], [0, 1, 2]), shape=(2, 6)), [1, 0])
        assert bits.state_of(clf) == before

    def test_leave_no_trace_with_synthetic_rows(self):
        self.refused("osmote")

    def test_leave_no_trace_with_synthetic_rows_of_ones_own(self, own):
        self.refused(
            own("twins", lambda row, ledger, memo, p, rng: 1.0, synthetic=lambda row, ledger, memo, p, rng: [np.ones(6)])
        )

    def test_leave_nothing_that_later_scores_could_meet(self):
        clf = StreamClassifier("ogd", Kernel(kernel="poly"), standardize=None).partial_fit(X, Y, classes=[0, 1])
        far = np.array([[1e100, 1, 1, 1, 1, 1]])
        before = clf.decision_function(far)
        with pytest.raises(DataError):
            clf.partial_fit([[1e26, 2, 3, 1, 1, 1], [np.nan, 2, 1, 1, 1, 1]], [0, 1])
        bits.assert_same_numbers(clf.decision_function(far), before)


class TestAMethodThatAsksModels:
    def test_may_ask_another_one(self, own):
        other = StreamClassifier(OB(), "svm").fit(np.eye(40), [0, 1] * 20)

        def asking(row, ledger, memo, p, rng):
            other.decision_one(np.ones(40))
            return 1.0

        found = StreamClassifier(own("asking", asking, members=5)).learn(X, Y)
        expected = StreamClassifier(own("silent", lambda row, ledger, memo, p, rng: 1.0, members=5)).learn(X, Y)
        bits.assert_same_numbers(found, expected)

    @pytest.mark.parametrize("one_by_one", [False, True])
    @pytest.mark.parametrize("ask", ["decision_one", "learn_one", "save"])
    def test_may_not_ask_the_one_that_is_learning(self, own, ask, one_by_one, tmp_path):
        arguments = {"decision_one": (X[0],), "learn_one": (X[0], 1), "save": (tmp_path / "m.poise",)}[ask]

        def asking(row, ledger, memo, p, rng):
            getattr(clf, ask)(*arguments)
            return 1.0

        clf = StreamClassifier(own("asking", asking))
        clf.partial_fit(X[:1], Y[:1], classes=[0, 1], sample_weight=[0.0])  # it has begun, and asked nothing yet
        with pytest.raises(PoiseError, match="in the middle of learning"):
            clf.learn_one(X[0], 1) if one_by_one else clf.partial_fit(X, Y)


def test_a_signal_handler_never_meets_a_half_learned_model(tmp_path):
    clf = StreamClassifier("hgd", Kernel(gamma=50.0), **PLAIN).partial_fit(X, Y, classes=[0, 1])
    seen, told = clf.n_seen_, []

    def handler(*_):
        try:
            clf.save(tmp_path / "m.poise")
        except PoiseError as error:
            told.append(str(error))
            raise

    before = signal.signal(signal.SIGALRM, handler)
    try:
        many = np.random.default_rng(1).normal(size=(200_000, 6))  # far more than the handler lets it learn
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(PoiseError, match="middle of learning"):
            clf.partial_fit(many, np.arange(len(many)) % 2)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert (len(told), clf.n_seen_, (tmp_path / "m.poise").exists()) == (1, seen, False)


def test_a_long_answer_can_be_interrupted():
    clf = StreamClassifier("ogd", Kernel(gamma=50.0), **PLAIN)
    clf.partial_fit(np.random.default_rng(1).normal(size=(4000, 6)), np.arange(4000) % 2, classes=[0, 1])

    def handler(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            clf.decision_function(np.random.default_rng(2).normal(size=(400_000, 6)))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def test_what_a_method_kept_of_its_arguments_is_safe_to_read_later(own):
    kept = []

    def keeping(row, ledger, memo, p, rng):
        memo[0] += 1.0
        kept.extend([row, memo, row.x])
        return 1.0

    StreamClassifier(own("keeping", keeping, memo=3)).fit(X, Y)
    assert kept[1].tolist() == [60.0, 0.0, 0.0]
    assert np.isfinite(kept[2]).all()
    with pytest.raises(ValueError, match="only while the row is learned"):
        kept[0].x  # noqa: B018 - reading it is the test


def test_a_memo_may_hold_any_number_and_is_saved(own):
    def keeping(row, ledger, memo, p, rng):
        memo[:] = np.inf, np.nan, -1.0
        return 1.0

    clf = StreamClassifier(own("keeping", keeping, memo=3)).fit(X, Y)
    again = from_bytes(to_bytes(clf), "m.poise")
    bits.assert_same_state(again, clf)


@pytest.mark.parametrize("learner", ["kernel", "fourier"])
def test_growing_vocabularies_do_not_change_how_earlier_rows_are_scored(learner):
    rows = [{"a": 1.0}, {"a": 0.5, "b": 2.0}, {"c": 1.0, "d": 1.0, "e": 1.0}, {"a": 1.0, "b": 1.0}]
    settings = {"standardize": None, "random_state": 0}
    block, single = StreamClassifier("ogd", learner, **settings), StreamClassifier("ogd", learner, **settings)
    scores = block.learn(rows, [0, 1, 0, 1])
    bits.assert_same_numbers(
        scores, np.array([single.learn_one(row, label) for row, label in zip(rows, [0, 1, 0, 1], strict=True)])
    )


@pytest.mark.parametrize(("method", "learner"), [("ogd", "kernel"), ("osmote", "svm")])
def test_rows_too_wide_to_be_kept_are_refused(method, learner):
    wide = sp.csr_matrix(([1.0, 1.0], ([0, 1], [5, 99_999])), shape=(2, 100_000))
    with pytest.raises(DataError, match=r"X has 100,000 columns, and (kernel|osmote) keeps whole rows.*n_hash"):
        StreamClassifier(method, learner).partial_fit(wide, [0, 1], classes=[0, 1])


def test_a_kernel_must_not_be_negative_at_a_row_itself():
    with pytest.raises(ParameterError, match="coef0 is -1; it must be a number of 0 or more"):
        Kernel(kernel="poly", coef0=-1)


@pytest.mark.parametrize("members", [1, 3])
def test_repeats_of_ones_own_must_be_whole(own, members):
    name = own("halves", lambda row, ledger, memo, p, rng: 0.5, members=members, repeats=True)
    with pytest.raises(DataError, match=r"Row 0 got an answer from the method .* repeats be whole numbers from 0 to 1e6"):
        StreamClassifier(name).fit(X, Y)
