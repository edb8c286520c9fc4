"""River: its own suite of checks without exception, and blocks that are rows one by one to the last bit."""

import copy
import inspect
import itertools
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from river import checks, compose, datasets, evaluate, feature_extraction, metrics, preprocessing

import bad_rows
import bits
import poise
from poise import HGD, SVM
from poise.errors import DataError, ParameterError
from poise.river import HGDClassifier, StreamClassifier

MODELS = {
    "HGDClassifier": HGDClassifier(),
    "HGDClassifier softmax": HGDClassifier("softmax", memory=0.99, norm="squared"),
    "HGDClassifier inverse": HGDClassifier("svm", multiclass="inverse", clamp="assumption4"),
    "ogd logistic": StreamClassifier("ogd"),
    "ogd softmax": StreamClassifier("ogd", "softmax", learning_rate="sqrt"),
    "hgd perceptron": StreamClassifier("hgd", "perceptron", average=False, fit_intercept=False),
    "hgd svm value": StreamClassifier(HGD(memory=0.995), SVM(), standardize="scale", radius=1.0),
    "hgd unit rows": StreamClassifier("hgd", "logistic", standardize=None, unit_rows=True),
    "hashed": StreamClassifier("hgd", n_hash=64),
    "missing": HGDClassifier(missing="zero"),
}
#: river checks each model on these: labels 0/1, labels True/False, and seven classes.
DATASETS = 3
every_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


def names_of(model):
    return [check.__name__ for check in checks.yield_checks(model)]


CHECKS = [(name, check, at) for name, model in MODELS.items() for at, check in enumerate(names_of(model))]


@pytest.mark.parametrize(("name", "check", "at"), CHECKS)
def test_river_s_own_check_holds(name, check, at):
    run = next(itertools.islice(checks.yield_checks(MODELS[name]), at, None))
    assert run.__name__ == check
    run(MODELS[name].clone())


class TestSuiteOfRiver:
    """Nothing that river has is left out above, and the checks that matter are among it."""

    @every_model
    def test_has_no_check_that_is_skipped(self, model):
        assert model._unit_test_skips() == set()

    @every_model
    @pytest.mark.parametrize(
        "check",
        [
            "check_learn_many_matches_learn_one", "check_predict_many_matches_predict_one",
            "check_predict_proba_many_matches_predict_proba_one", "check_shuffle_features_no_impact", "check_emerging_features",
            "check_disappearing_features", "check_radically_disappearing_features", "check_pickling",
            "check_bounded_memory_growth", "check_classifier_tracks_seen_labels",
        ],
    )  # fmt: skip
    def test_holds_this_one_for_two_and_for_seven_classes(self, model, check):
        name = next(name for name, other in MODELS.items() if other is model)
        assert [case[:2] for case in CHECKS].count((name, check)) == DATASETS


def stream(rows=90, classes=3, seed=0):
    """Rows of five features under changing names, some of them text."""
    X, y = bits.plain(rows, 5, classes, seed)
    return [dict(zip("abcde", row, strict=True)) for row in X.tolist()], y.tolist()


#: Columns of each block: features emerge, vanish, come back, and change places.
SCHEMAS = [["a", "b"], ["a", "b", "c", "d", "e"], ["e", "d"], ["c"], ["e", "a", "c", "b", "d"], ["b", "f"]]
KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame}


def changing(rows, y, size=15):
    """Yield blocks of dicts under each schema in turn, with their labels."""
    for at, names in enumerate(SCHEMAS):
        part = slice(at * size, (at + 1) * size)
        yield [{name: x.get(name, 1.5) for name in names} for x in rows[part]], y[part]


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("labels", [2, 3])
@every_model
class TestBlocks:
    def test_are_rows_one_by_one_bit_for_bit_while_features_come_and_go(self, model, labels, kind):
        one, many = model.clone(), model.clone()
        for block, y in changing(*stream(classes=labels)):
            for x, label in zip(block, y, strict=True):
                one.learn_one(x, label)
            many.learn_many(kind(block), pd.Series(y) if kind is pd.DataFrame else pl.Series(y))
            assert bad_rows.state(many) == bad_rows.state(one)

    def test_are_answered_as_rows_one_by_one(self, model, labels, kind):
        rows, y = stream(classes=labels)
        learned = model.clone()
        for x, label in zip(rows, y, strict=True):
            learned.learn_one(x, label)
        table = kind([{"e": x["e"], "new": 1.0, "a": x["a"]} for x in rows])
        asked = [{"a": x["a"], "e": x["e"]} for x in rows]
        assert learned.predict_many(table).to_list() == [learned.predict_one(x) for x in asked]
        found = learned.predict_proba_many(table)
        bits.assert_same_numbers(found.to_numpy(), [list(learned.predict_proba_one(x).values()) for x in asked])
        assert list(found.columns) == [(str if kind is pl.DataFrame else int)(label) for label in range(labels)]


class TestRow:
    @given(seed=st.integers(0, 1000), classes=st.integers(2, 4))
    @settings(max_examples=30, deadline=None)
    def test_may_name_its_features_in_any_order(self, seed, classes):
        rng = np.random.default_rng(seed)
        one, shuffled = HGDClassifier(), HGDClassifier()
        rows, y = stream(40, classes, seed)
        for at, (x, label) in enumerate(zip(rows, y, strict=True)):
            x["place"] = f"p{at % 3}"
            one.learn_one(x, label)
            names = list(x) if at == 0 else rng.permutation(list(x)).tolist()  # the first row says where each column is
            shuffled.learn_one({name: x[name] for name in names}, label)
        assert bad_rows.state(one) == bad_rows.state(shuffled)

    def test_scores_as_in_the_other_face_of_the_same_model(self):
        rows, y = stream()
        for model, twin in [(HGDClassifier(), poise.HGDClassifier()), (StreamClassifier("ogd", "svm"), None)]:
            other = twin or poise.StreamClassifier("ogd", "svm")
            for x, label in zip(rows, y, strict=True):
                if model.predict_one(x) is not None:
                    assert model.predict_proba_one(x) == other.predict_proba_one(x)
                    assert model.predict_one(x) == other.predict_one(x)
                model.learn_one(x, label)
                other.learn_one(x, label)
            assert bad_rows.state(model) == bits.state_of(other)

    def test_is_answered_with_none_and_no_probability_before_the_first(self):
        model, table = HGDClassifier(), pd.DataFrame({"a": [1.0, 2.0]})
        assert model.predict_one({"a": 1.0}) is None
        assert model.predict_proba_one({"a": 1.0}) == {}
        assert len(model.predict_many(table)) == 0
        assert model.predict_proba_many(table).empty
        assert bad_rows.state(model) == {"labels": []}

    def test_is_answered_so_too_after_rows_that_teach_nothing(self):
        table = pd.DataFrame({"a": [1.0]})
        for teach in (
            lambda model: model.learn_one({"a": 1.0}, 1, w=0.0),
            lambda model: model.learn_many(table, pd.Series([1]), w=[0.0]),
            lambda model: model.learn_many(table[:0], pd.Series([], dtype=int)),
        ):
            model = HGDClassifier()
            teach(model)
            assert model.predict_one({"a": 1.0}) is None
            assert model.predict_proba_one({"a": 1.0}) == {}
            assert len(model.predict_many(table)) == 0
            assert model.predict_proba_many(table).empty

    @pytest.mark.parametrize("classes", [1, 2, 3, 7])
    @pytest.mark.parametrize("learner", ["logistic", "softmax", "svm", "perceptron"])
    def test_has_probabilities_that_add_up_to_1(self, learner, classes):
        model = HGDClassifier(learner)
        rows, y = stream(90, classes)
        for x, label in zip(rows, y, strict=True):
            model.learn_one(x, label)
            found = model.predict_proba_one(x)
            assert sum(found.values()) == pytest.approx(1.0, abs=1e-12)
            assert all(0.0 <= share <= 1.0 for share in found.values())
        assert found.keys() == set(range(classes))

    @pytest.mark.parametrize("label", [True, "spam", 7, np.bool_(True), np.int64(3), np.str_("spam")], ids=repr)
    def test_may_have_any_label(self, label):
        model = HGDClassifier()
        model.learn_one({"a": 1.0}, label)
        assert model.predict_one({"a": 1.0}) == label

    def test_must_be_a_dict(self):
        model = HGDClassifier()
        with pytest.raises(DataError, match=r"dict of named features.*use poise\.StreamClassifier for arrays"):
            model.learn_one([1.0, 2.0], 1)


class TestWeight:
    def test_scales_the_step(self):
        models = [HGDClassifier(average=False), HGDClassifier(average=False)]
        for model, w in zip(models, [1.0, 0.25], strict=True):
            model.learn_one({"a": 1.0}, 0)  # variance 0: only the intercept moves
            model.learn_one({"a": 2.0}, 1)
            before = model._model.tensors()["intercept"][0, 0]
            model.learn_one({"a": 1.5}, 1, w=w)
            model.step = model._model.tensors()["intercept"][0, 0] - before
        assert models[1].step == pytest.approx(0.25 * models[0].step, rel=1e-12)

    def test_of_0_leaves_the_row_out(self):
        model = HGDClassifier()
        for x, label in zip(*stream(), strict=True):
            model.learn_one(x, label)
        before = bad_rows.state(model)
        model.learn_one({"a": 5.0, "unheard of": 1.0}, 9, w=0.0)
        assert bad_rows.state(model) == before

    @pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
    def test_in_a_block_goes_with_its_row(self, kind):
        rows, y = stream()
        w = np.random.default_rng(0).uniform(0.0, 3.0, size=len(y))
        one, many = HGDClassifier(), HGDClassifier()
        for x, label, weight in zip(rows, y, w.tolist(), strict=True):
            one.learn_one(x, label, w=weight)
        many.learn_many(kind(rows), y, w=w)
        assert bad_rows.state(many) == bad_rows.state(one)


TEXTS = {
    "the cat sat": "pets", "the dog sat": "pets", "stocks fell": "money", "cat and dog": "pets",
    "stocks and bonds rose": "money", "bonds fell the most": "money",
}  # fmt: skip


class TestPipeline:
    @pytest.mark.parametrize("settings", [{"standardize": "scale"}, {"n_hash": 256}], ids=str)
    def test_of_words_learns_texts(self, settings):
        """Neither way centres counts, so a word that is absent counts 0."""
        model = feature_extraction.BagOfWords() | HGDClassifier(**settings)
        for text, label in [*TEXTS.items()] * 10:
            model.learn_one(text, label)
        assert {text: model.predict_one(text) for text in TEXTS} == TEXTS
        assert set(model.predict_proba_one("a cat")) == {"pets", "money"}

    def test_of_chosen_features_learns_these_only(self):
        rows, y = stream()
        chosen = compose.Select("a", "c")
        model, plain = chosen.clone() | HGDClassifier(), HGDClassifier()
        for x, label in zip(rows, y, strict=True):
            model.learn_one(x, label)
            plain.learn_one(chosen.transform_one(x), label)
        assert bad_rows.state(model["HGDClassifier"]) == bad_rows.state(plain)
        assert sorted(model["HGDClassifier"]._model.columns.names) == ["a", "c"]

    def test_of_a_union_learns_blocks_and_rows_alike(self):
        def new():
            squares = compose.FuncTransformer(lambda x: {"square": x["a"] ** 2})
            return (compose.Select("a", "b") + squares) | StreamClassifier("ogd", standardize=None)

        rows, y = stream()
        model, clone = new(), new().clone()
        for x, label in zip(rows, y, strict=True):
            model.learn_one(x, label)
            clone.learn_one(x, label)
        assert model["StreamClassifier"]._model.columns.width == 3
        assert bad_rows.state(model["StreamClassifier"]) == bad_rows.state(clone["StreamClassifier"])

    def test_of_a_scaler_learns_blocks(self):
        rows, y = stream(classes=2)
        model = preprocessing.StandardScaler() | HGDClassifier(standardize=None)
        model.learn_many(pd.DataFrame(rows), pd.Series(y))
        assert model.predict_many(pd.DataFrame(rows)).tolist() == [model.predict_one(x) for x in rows]

    @pytest.mark.parametrize("delay", [None, 1, 20], ids=str)
    def test_is_scored_progressively_also_with_delayed_labels(self, delay):
        found = evaluate.progressive_val_score(datasets.Phishing(), HGDClassifier(), metrics.GeometricMean(), delay=delay)
        assert found.get() > 0.88


class TestParameters:
    @every_model
    def test_survive_cloning_and_the_clone_starts_anew(self, model):
        taught = model.clone()
        for x, label in zip(*stream(), strict=True):
            taught.learn_one(x, label)
        clone = taught.clone()
        assert clone._get_params() == model._get_params()
        assert clone._model.setup == model._model.setup
        assert clone.predict_one({"a": 1.0}) is None

    def test_given_to_a_clone_count(self):
        assert HGDClassifier().clone({"eta0": 0.1})._model.setup.core["eta0"] == 0.1

    def test_cannot_be_changed_under_a_model(self):
        model = HGDClassifier()
        with pytest.raises(ValueError, match="'eta0' is not a mutable attribute"):
            model.mutate({"eta0": 0.1})

    @pytest.mark.parametrize("kind", [HGDClassifier, StreamClassifier])
    def test_that_do_not_exist_are_refused(self, kind):
        with pytest.raises(TypeError, match="etaO"):
            kind(etaO=0.1)
        with pytest.raises(ParameterError, match="eta0 is -1"):
            kind(eta0=-1)

    @pytest.mark.parametrize("kind", ["HGDClassifier", "StreamClassifier"])
    def test_are_those_of_the_other_face(self, kind):
        here, there = (inspect.signature(getattr(room, kind)).parameters for room in (poise.river, poise))
        assert [str(one) for one in here.values()] == [str(other) for other in there.values()]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))], ids=["copied", "pickled"])
@every_model
def test_a_copy_goes_on_byte_for_byte(model, copied):
    blocks = list(changing(*stream()))
    one, other = model.clone(), copied(model.clone())
    for block, y in blocks:
        for x, label in zip(block, y, strict=True):
            one.learn_one(x, label)
            other.learn_one(x, label)
        other = copied(other)
        assert bad_rows.state(other) == bad_rows.state(one)
