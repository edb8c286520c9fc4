"""A user's own method: one function in one file, asked for every row, saved and repeated like any other method."""

import gc
import pickle
import weakref

import numpy as np
import pytest
import sklearn.base

import bits
import poise
from own_methods import PLAIN, X, Y, alternating, drawn, enter, one, rarity
from poise import StreamClassifier, methods
from poise.classifier import from_bytes, to_bytes
from poise.errors import DataError, FileError, ParameterError

pytestmark = pytest.mark.usefixtures("forget_own_methods")


def again(clf):
    return from_bytes(to_bytes(clf), "m.poise")


class TestRegistering:
    def test_enters_a_function_as_a_line_of_the_table(self):
        poise.method("rarity", paper="Nobody, 2026", ceiling=100.0)(rarity)
        entry = methods.get("rarity")
        assert (entry.name, entry.family, entry.paper, entry.standing) == ("rarity", "own", "Nobody, 2026", "own")
        assert entry.title == "Weight a row by the share of the largest class over the share of its own."
        assert entry.parameters == {"reading": "textbook", "ceiling": 100.0}
        assert entry in methods.table()

    def test_leaves_the_function_as_it_was(self):
        assert poise.method("rarity", ceiling=100.0)(rarity) is rarity

    def test_takes_a_class_of_functions(self):
        @poise.method("wide")
        class Wide:
            """Ask for more of rare rows."""

            @staticmethod
            def weigh(row, ledger, memo, p, rng):
                return 2.0

            def margin(row, ledger, memo, p, rng):  # noqa: N805 - nor does a plain function of the class take self
                return 1.5

        assert methods.get("wide").kind.functions.keys() == {"weigh", "margin"}
        assert methods.get("wide").title == "Ask for more of rare rows."
        assert StreamClassifier("wide", "svm").fit(X, Y).n_seen_ == len(X)

    def test_is_forgotten_on_request_and_only_then_free_for_another(self):
        poise.method("mine")(one)
        with pytest.raises(ParameterError, match=r"'mine' is taken by .*or call poise\.methods\.forget\('mine'\) first"):
            poise.method("mine")(one)
        methods.forget("mine")
        poise.method("mine")(one)

    @pytest.mark.parametrize("name", ["hgd", "oob"])
    def test_never_replaces_a_method_of_poise(self, name):
        with pytest.raises(ParameterError, match=rf"^method name '{name}' is taken by '.*'; choose another one\.$"):
            poise.method(name)(one)
        with pytest.raises(ParameterError, match=r"only methods that were registered with poise\.method can be forgotten"):
            methods.forget(name)

    @pytest.mark.parametrize("name", ["", "two words", "1st", "lambda", None])
    def test_refuses_a_name_that_is_no_word(self, name):
        with pytest.raises(ParameterError, match=r"method name is .*; it must be a word"):
            poise.method(name)(one)

    def test_refuses_functions_that_do_not_take_five_arguments(self):
        with pytest.raises(ParameterError, match=r"weigh takes 2 arguments \(row, ledger\); it must take five"):
            poise.method("own")(lambda row, ledger: 1.0)
        with pytest.raises(ParameterError, match=r"margin takes 1 arguments \(row\)"):
            poise.method("own", margin=lambda row: 1.0)(one)

    def test_refuses_what_is_no_function(self):
        with pytest.raises(ParameterError, match="decorate a function or a class"):
            poise.method("own")(3.0)
        with pytest.raises(ParameterError, match="defines none of weigh, repeats, margin, synthetic"):
            poise.method("own")(type("Empty", (), {}))

    @pytest.mark.parametrize(
        "options",
        [{"members": 0}, {"members": 2.5}, {"memo": -1}, {"memo": 10**9}, {"ceiling": "high"}, {"ceiling": float("nan")},
         {"family": 1.0}, {"reading": 1.0}, {"_hidden": 1.0}, {"functions": 1.0}, {"class": 1.0}],
        ids=str,
    )  # fmt: skip
    def test_refuses_options_out_of_range_by_name(self, options):
        with pytest.raises(ParameterError, match=next(iter(options))):
            poise.method("own", **options)(one)
        assert "own" not in methods.names()

    def test_needs_no_entry_of_a_subclass_that_only_learns(self):
        class Own(poise.HGD):
            pass

        clf = StreamClassifier(Own()).fit(X, Y)
        bits.assert_same_numbers(clf.decision_function(X), StreamClassifier("hgd").fit(X, Y).decision_function(X))


class TestParameters:
    def test_reach_the_function_as_numbers(self):
        told = []

        def listening(row, ledger, memo, p, rng):
            told.append((p.ceiling, p.floor))
            return 1.0

        enter(listening, ceiling=5, floor=0.25, compile=False).learn(X[:1], Y[:1])
        StreamClassifier(methods.get("own")(ceiling=7)).learn(X[:1], Y[:1])
        assert told == [(5.0, 0.25), (7.0, 0.25)]

    @pytest.mark.parametrize("value", ["high", True, None, float("nan"), float("inf"), [1.0]], ids=str)
    def test_must_be_finite_numbers(self, value):
        poise.method("rarity", ceiling=100.0)(rarity)
        with pytest.raises(ParameterError, match=r"^ceiling is .*; a parameter of rarity must be a number\.$"):
            methods.get("rarity")(ceiling=value)

    def test_that_do_not_exist_are_refused(self):
        poise.method("rarity", ceiling=100.0)(rarity)
        with pytest.raises(TypeError, match="roof"):
            methods.get("rarity")(roof=1.0)

    def test_may_be_given_by_name_in_the_published_setting(self):
        poise.method("rarity", ceiling=100.0)(rarity)
        assert StreamClassifier.paper("rarity", "svm", ceiling=3.0).method == methods.get("rarity")(ceiling=3.0)

    def test_bound_what_the_function_answers(self):
        poise.method("rarity", ceiling=100.0)(rarity)
        low, high = (StreamClassifier(methods.get("rarity")(ceiling=c)).fit(X, Y) for c in (1.0, 100.0))
        bits.assert_same_numbers(low.coef_, StreamClassifier("ogd").fit(X, Y).coef_)
        assert not np.array_equal(low.coef_, high.coef_)


class TestWhatAFunctionIsTold:
    def test_of_the_row_and_of_the_classes(self):
        told = []

        def listening(row, ledger, memo, p, rng):
            told.append((row.y, row.positive, row.right, row.t, row.score, row.margin, row.loss, row.slope, row.x.tolist()))
            told.append([(c.seen, c.share, c.pulled, c.travelled) for c in (ledger[0], ledger[1])])
            told.append((len(ledger), ledger.top_share, ledger.least_share))
            return 2.0

        clf = enter(listening, learner="svm", compile=False, **PLAIN)
        clf.learn([[3.0, 4.0], [0.0, 1.0]], [1, 0], classes=[0, 1])
        first, classes, shares, second, later, _ = told
        assert first[:8] == (1, 1, 1, 0, 0.0, 0.0, 1.0, 1.0)
        assert first[8] == pytest.approx([0.6, 0.8])
        assert classes == [(0.0, 0.5, 0.0, 0.0), (0.0, 0.5, 0.0, 0.0)]
        assert shares == (2, 0.5, 0.5)
        assert second[:4] == (0, 0, 0, 1)
        assert second[4:8] == pytest.approx((0.48, -0.48, 1.48, 1.0))
        assert later[1][:2] == (1.0, 2 / 3)
        assert later[1][3] == pytest.approx(2.0 * 0.3)

    def test_of_members_one_by_one(self):
        told = []

        def listening(row, ledger, memo, p, rng):
            told.append((row.t, row.member))
            return 1.0

        enter(listening, members=3, compile=False).learn(X[:2], Y[:2])
        assert told == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]

    def test_hands_the_row_on_with_its_columns(self):
        """Columns are copied only for functions that use them, also where another function does it for them."""

        def length(row):
            return float(np.sqrt((row.x**2).sum()))

        def handing_on(row, ledger, memo, p, rng):
            return length(row)

        clf = enter(handing_on, compile=False, **PLAIN).fit(X, Y)
        bits_of_one = enter(one, "plain", **PLAIN).fit(X, Y)
        np.testing.assert_allclose(clf.coef_, bits_of_one.coef_, rtol=1e-9)


class TestWeight:
    @pytest.mark.parametrize("learner", ["perceptron", "svm", "logistic", "softmax", "kernel", "fourier"])
    def test_of_1_is_ogd_bit_for_bit(self, learner):
        own = enter(one, learner=learner)
        built_in = StreamClassifier("ogd", learner, random_state=0)
        bits.assert_same_numbers(own.learn(X, Y), built_in.learn(X, Y))
        bits.assert_same_numbers(own.ledger_.pulled, built_in.ledger_.pulled)

    @pytest.mark.parametrize("learner", ["svm", "logistic"])
    def test_by_a_fixed_ratio_is_csogd_bit_for_bit(self, learner):
        own = enter(lambda row, ledger, memo, p, rng: p.ratio if row.positive else 1.0, learner=learner, ratio=7.0)
        built_in = StreamClassifier(methods.get("csogd_sum2")(ir=7.0), learner)
        bits.assert_same_numbers(own.learn(X, Y), built_in.learn(X, Y))

    @pytest.mark.parametrize("fast", [True, False], ids=["compiled", "called back"])
    def test_of_three_classes(self, fast):
        X3, Y3 = bits.plain(300, 5, 3)
        clf = enter(rarity, ceiling=100.0, compile=fast)
        scores = clf.learn(X3, Y3)
        assert scores.shape == (300, 3)
        assert clf.ledger_.seen.tolist() == np.bincount(Y3).tolist()

    def test_of_a_method_for_two_classes_only(self):
        clf = enter(one, two_classes=True)
        with pytest.raises(DataError, match="own is defined for two classes only"):
            clf.learn([[0.0], [1.0], [2.0]], [0, 1, 2])


class TestRepeats:
    def test_of_2_is_learning_each_row_twice(self):
        own = enter(lambda row, ledger, memo, p, rng: 2.0, repeats=True, learner="svm", **PLAIN).fit(X, Y)
        twice = StreamClassifier("ogd", "svm", **PLAIN).fit(X.repeat(2, axis=0), Y.repeat(2))
        np.testing.assert_allclose(own.coef_, twice.coef_, rtol=1e-9)

    def test_go_beside_a_weight(self):
        def only_positives(row, ledger, memo, p, rng):
            return float(row.positive)

        beside = enter(one, repeats=only_positives).fit(X, Y)
        by_weight = enter(only_positives, "weighing").fit(X, Y)
        bits.assert_same_numbers(beside.coef_, by_weight.coef_)

    def test_may_differ_from_member_to_member(self):
        def poisson(row, ledger, memo, p, rng):
            return rng.poisson(1.0)

        several, single = enter(poisson, repeats=True, members=7), enter(poisson, "single", repeats=True)
        different = np.unique(np.round(several.fit(X, Y).decision_function(X), 3))
        assert len(different) < len(np.unique(np.round(single.fit(X, Y).decision_function(X), 3)))  # votes of seven members


class TestMargin:
    def test_of_a_fixed_ratio_is_csogd_of_the_first_type(self):
        own = enter(one, margin=lambda row, ledger, memo, p, rng: p.ir if row.positive else 1.0, ir=3.0, learner="svm")
        built_in = StreamClassifier(methods.get("csogd_sum1")(ir=3.0), "svm")
        bits.assert_same_numbers(own.learn(X, Y), built_in.learn(X, Y))


class TestSynthetic:
    def test_rows_that_repeat_the_row_are_repeats(self):
        own = enter(one, synthetic=lambda row, ledger, memo, p, rng: [row.x], learner="svm", **PLAIN).fit(X, Y)
        twice = StreamClassifier("ogd", "svm", **PLAIN).fit(X.repeat(2, axis=0), Y.repeat(2))
        np.testing.assert_allclose(own.coef_, twice.coef_, rtol=1e-9)

    def test_rows_may_be_none_or_many(self):
        none = enter(one, synthetic=lambda row, ledger, memo, p, rng: []).fit(X, Y)
        bits.assert_same_numbers(none.coef_, StreamClassifier("ogd").fit(X, Y).coef_)
        enter(one, "most", synthetic=lambda row, ledger, memo, p, rng: [row.x] * 64).fit(X, Y)

    @pytest.mark.parametrize(
        ("made", "error", "match"),
        [
            (lambda x: [x] * 65, DataError, "Row 0 got an answer .* synthetic rows .at most 64. must be finite"),
            (lambda x: [x * np.nan], DataError, "Row 0 got an answer"),
            (lambda x: [x[:2]], TypeError, "a synthetic row must have as many numbers as row.x"),
            (lambda x: 3, TypeError, "not iterable"),
        ],
        ids=["too many", "nan", "too short", "no rows"],
    )
    def test_rows_that_cannot_be_learned_are_refused(self, made, error, match):
        clf = enter(one, synthetic=lambda row, ledger, memo, p, rng: made(row.x))
        with pytest.raises(error, match=match):
            clf.learn(X, Y)


class TestMemo:
    @pytest.mark.parametrize("fast", [True, False], ids=["compiled", "called back"])
    def test_is_saved_and_continued_byte_for_byte(self, fast):
        clf = enter(alternating, memo=2, compile=fast)
        clf.learn(X[:100], Y[:100])
        twin = again(clf)
        bits.assert_same_numbers(twin.learn(X[100:], Y[100:]), clf.learn(X[100:], Y[100:]))
        assert to_bytes(twin) == to_bytes(clf)

    def test_is_left_as_it_was_by_a_refused_call(self):
        clf = enter(alternating, memo=1)
        clf.learn(X[:10], Y[:10])
        before = to_bytes(clf)
        with pytest.raises(DataError):
            clf.learn(np.vstack([X[:5], [[np.nan] * 5]]), [0, 1, 0, 1, 0, 1])
        assert to_bytes(clf) == before

    def test_does_not_fit_a_method_of_another_size(self):
        clf = enter(alternating, memo=1)
        clf.learn(X, Y)
        data = to_bytes(clf)
        methods.forget("own")
        poise.method("own", memo=3)(alternating)
        with pytest.raises(FileError):
            from_bytes(data, "m.poise")


class TestDraws:
    def test_follow_from_the_seed(self):
        poise.method("drawn")(drawn)
        scores = {seed: StreamClassifier("drawn", random_state=seed).learn(X, Y) for seed in (0, 1)}
        bits.assert_same_numbers(scores[0], StreamClassifier("drawn", random_state=0).learn(X, Y))
        assert not np.array_equal(scores[0], scores[1])

    def test_are_the_same_for_rows_one_by_one(self):
        clf = enter(drawn)
        single = StreamClassifier("own", random_state=0)
        bits.assert_same_numbers([single.learn_one(x, y) for x, y in zip(X, Y, strict=True)], clf.learn(X, Y))

    def test_continue_in_a_saved_model(self):
        clf = enter(drawn)
        clf.learn(X[:100], Y[:100])
        bits.assert_same_numbers(again(clf).learn(X[100:], Y[100:]), clf.learn(X[100:], Y[100:]))

    def test_have_the_mean_they_should(self):
        told = []

        def listening(row, ledger, memo, p, rng):
            told.append((rng.uniform(), rng.poisson(3.0)))
            return 1.0

        clf = enter(listening, compile=False)
        for _ in range(20):
            clf.learn(X, Y)
        np.testing.assert_allclose(np.mean(told, axis=0), [0.5, 3.0], atol=0.1)


class TestErrors:
    @pytest.mark.parametrize("fast", [True, False], ids=["compiled", "called back"])
    def test_of_the_function_come_through_and_leave_no_trace(self, fast):
        def failing(row, ledger, memo, p, rng):
            if row.t == 25:
                raise KeyError("what the user wrote")
            return 1.0

        clf = enter(failing, compile=fast)
        clf.learn(X[:20], Y[:20])
        before = to_bytes(clf)
        with pytest.raises(KeyError, match="what the user wrote"):
            clf.learn(X[20:], Y[20:])
        assert to_bytes(clf) == before

    @pytest.mark.parametrize("place", [2, -3])
    def test_beyond_the_memo_and_the_classes_never_touch_other_memory(self, place):
        def beyond(row, ledger, memo, p, rng):
            memo[int(p.place)] = 1.0
            return ledger[int(p.place)].seen

        clf = enter(beyond, memo=2, place=place)
        with pytest.raises((DataError, IndexError)):
            clf.learn(X, Y)

    @pytest.mark.parametrize("answer", [float("nan"), -1.0, float("inf"), 1e300])
    @pytest.mark.parametrize("fast", [True, False], ids=["compiled", "called back"])
    def test_answers_that_cannot_be_used_are_refused_with_row_and_rule(self, answer, fast):
        def strange(row, ledger, memo, p, rng):
            return answer if row.t == 7 else 1.0

        clf = enter(strange, compile=fast)
        clf.learn(X[:5], Y[:5])
        before = to_bytes(clf)
        with pytest.raises(
            DataError, match=r"^Row 2 got an answer .*weights must lie between 0 and 1e9, repeats be whole numbers from 0"
        ):
            clf.learn(X[5:], Y[5:])
        assert to_bytes(clf) == before

    @pytest.mark.parametrize("answer", [None, "heavy", [1.0, 2.0]], ids=str)
    def test_answers_that_are_no_numbers_are_refused(self, answer):
        clf = enter(lambda row, ledger, memo, p, rng: answer)
        with pytest.raises((TypeError, ValueError)):
            clf.learn(X, Y)

    def test_margins_must_be_finite_and_repeats_within_their_range(self):
        bad = enter(one, "m", margin=lambda row, ledger, memo, p, rng: float("nan"), learner="svm")
        many = enter(lambda row, ledger, memo, p, rng: 1e7, "r", repeats=True)
        for clf in (bad, many):
            with pytest.raises(DataError, match="Row 0 got an answer from the method that cannot be used"):
                clf.learn(X, Y)


class TestKeeping:
    """Own methods are saved, pickled and cloned by their names."""

    @pytest.mark.parametrize("given", ["name", "value"])
    def test_in_a_file(self, given, tmp_path):
        poise.method("rarity", ceiling=100.0)(rarity)
        method = "rarity" if given == "name" else methods.get("rarity")(ceiling=3.0)
        clf = StreamClassifier(method).fit(X, Y)
        clf.save(tmp_path / "m.poise")
        twin = poise.load(tmp_path / "m.poise")
        assert twin.method == method
        bits.assert_same_state(twin, clf)

    def test_in_a_file_that_says_what_is_missing_where_it_is_not_registered(self):
        poise.method("rarity", ceiling=100.0)(rarity)
        saved = [to_bytes(StreamClassifier(m).fit(X, Y)) for m in ("rarity", methods.get("rarity")(ceiling=3.0))]
        methods.forget("rarity")
        for data in saved:
            with pytest.raises(FileError, match=r"^m: it was learned with the method 'rarity', which is not registered here; .*"):
                from_bytes(data, "m")

    def test_in_a_pickle_and_a_clone(self):
        poise.method("rarity", ceiling=100.0)(rarity)
        clf = StreamClassifier(methods.get("rarity")(ceiling=3.0)).fit(X, Y)
        twin = pickle.loads(pickle.dumps(clf))
        bits.assert_same_state(twin, clf)
        bits.assert_same_numbers(twin.learn(X, Y), clf.learn(X, Y))
        fresh = sklearn.base.clone(clf)
        assert fresh.method == clf.method
        bits.assert_same_numbers(fresh.fit(X, Y).coef_, StreamClassifier(clf.method).fit(X, Y).coef_)

    def test_of_what_is_forgotten_says_so(self):
        poise.method("rarity", ceiling=100.0)(rarity)
        clf = StreamClassifier(methods.get("rarity")())
        methods.forget("rarity")
        with pytest.raises(ParameterError, match="rarity is not registered, or no longer"):
            clf.fit(X, Y)


def test_a_function_that_knows_its_model_is_collected_with_it():
    def circle():
        knows = {}

        def mine(row, ledger, memo, p, rng):
            return 1.0 if knows else 2.0

        poise.method("mine", compile=False)(mine)
        knows["model"] = StreamClassifier("mine").fit(X, Y)
        methods.forget("mine")
        return weakref.ref(knows["model"])

    gone = circle()
    gc.collect()
    assert gone() is None
