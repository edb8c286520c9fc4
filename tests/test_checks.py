"""Every method keeps every promise with every learner it is defined for; the others are refused with something better to do."""

import itertools

import pytest

import checks
import poise
from checks_of_answers import check_the_seed_decides
from poise import StreamClassifier, learners, methods

ALL = [(method, learner) for method in methods.names() for learner in learners.names()]
PAIRS = [pair for pair in ALL if checks.is_defined(*pair)]
#: Negatives per positive of the streams.
RATIO = 4.0
PAPER = {"standardize": None, "fit_intercept": False, "average": False, "unit_rows": True}

every_check = pytest.mark.parametrize("check", list(checks.every()), ids=lambda check: check.__name__.removeprefix("check_"))


def one_learner_each():
    """Return every method with one learner, so that each learner is met."""
    return [
        (method, able[number % len(able)])
        for number, method in enumerate(methods.names())
        if (able := [learner for name, learner in PAIRS if name == method])
    ]


#: The squared perceptron loss has no slope at a score of 0, where every model begins: as defined, this pair never moves.
STAYS_AT_ZERO = ("csrda4", "perceptron")


@every_check
@pytest.mark.parametrize(("method", "learner"), PAIRS)
def test_a_pair_keeps(check, method, learner):
    if check.__name__ != "check_classes_are_told_apart" or (method, learner) != STAYS_AT_ZERO:
        check(method, learner)


def test_the_pair_that_cannot_move_stays_at_zero():
    method, learner = STAYS_AT_ZERO
    clf = StreamClassifier(method, learner).fit([[0.0], [1.0], [0.5]], [0, 1, 1])
    assert not clf.coef_.any()
    assert not clf.ledger_.travelled.any()


@every_check
@pytest.mark.parametrize(("method", "learner"), one_learner_each())
def test_a_pair_of_the_paper_keeps(check, method, learner):
    published = StreamClassifier.paper(method, learner, ir=RATIO)
    check(published.method, published.learner, **PAPER)


@pytest.mark.parametrize(("method", "learner"), [pair for pair in ALL if pair not in PAIRS])
def test_an_undefined_pair_is_refused(method, learner):
    checks.check_an_undefined_pair_is_refused_with_a_remedy(method, learner)


def test_the_sample_of_the_paper_touches_every_method_and_learner():
    assert [method for method, _ in one_learner_each()] == methods.names()
    assert {learner for _, learner in one_learner_each()} == set(learners.names())


@pytest.fixture
def enter():
    """Return what enters a function as a method for the length of a test."""
    entered = []

    def enter(function, **form):
        poise.method(function.__name__, compile=False, **form)(function)
        entered.append(function.__name__)
        return function.__name__

    yield enter
    for name in entered:
        methods.forget(name)


def broken(method, learner):
    """Return the names of the checks that a pair fails."""
    found = set()
    for check in checks.every():
        try:
            check(method, learner)
        except (Exception, pytest.fail.Exception):  # noqa: BLE001 - a check may fail in any way
            found.add(check.__name__.removeprefix("check_"))
    return found


class TestTheSuite:
    def test_says_what_each_check_promises(self):
        told = [check.__doc__ for check in checks.every()]
        assert len(set(told)) == len(told) > 20
        assert [text for text in told if "\n" in text or not text.endswith(".")] == []

    @pytest.mark.parametrize("learner", ["logistic", "svm"])
    def test_is_passed_by_a_method_of_ones_own(self, enter, learner):
        def rarity(row, ledger, memo, p, rng):
            return min(ledger.top_share / ledger[row.y].share, p.ceiling)

        checks.run(enter(rarity, ceiling=100.0), learner)

    def test_is_passed_by_an_ensemble_of_ones_own_that_draws(self, enter):
        def lots(row, ledger, memo, p, rng):
            return rng.poisson(ledger.top_share / ledger[row.y].share)

        checks.run(enter(lots, members=5, repeats=True), "svm")

    def test_finds_a_method_that_remembers_outside_of_the_model(self, enter):
        numbers = itertools.count(1)

        def forgetful(row, ledger, memo, p, rng):
            return 1.0 + 1.0 / next(numbers)

        name = enter(forgetful)
        assert broken(name, "svm") >= {"the_seed_decides", "any_blocks_give_the_same_bits", "refused_blocks_leave_no_trace"}
        with pytest.raises(AssertionError) as found:
            check_the_seed_decides(name, "svm")
        assert found.value.__notes__ == [f"forgetful with svm breaks a promise: {check_the_seed_decides.__doc__}"]

    def test_finds_a_method_that_takes_any_value_of_a_parameter(self, enter):
        def lenient(row, ledger, memo, p, rng):
            return p.strength

        kind = type(methods.get(enter(lenient, strength=1.0))())
        kind.__post_init__ = lambda self: None
        assert "wrong_parameters_are_refused_by_name" in broken(kind(), "svm")

    def test_finds_a_method_that_learns_nothing(self, enter):
        def idle(row, ledger, memo, p, rng):
            return 0.0

        assert "classes_are_told_apart" in broken(enter(idle), "svm")
