"""Rows of named features: dicts, tables with texts, and names hashed onto columns as scikit-learn's FeatureHasher does it."""

import re
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction import FeatureHasher

import bits
from poise import HGDClassifier, StreamClassifier
from poise.errors import DataError, ParameterError

COUNTRIES = ["FR", "DE", "FR", "", "ES=1", "DE", "日本", "FR"] * 5
AMOUNTS = np.random.default_rng(1).normal(size=40).tolist()
LABELS = [0, 1, 0, 2, 0, 1, 0, 0] * 5
RECORDS = [{"amount": a, "country": c, "night": a > 0} for a, c in zip(AMOUNTS, COUNTRIES, strict=True)]
TEXTS = {
    "pandas object": lambda table: table.astype({"country": object}),
    "pandas string": lambda table: table.astype({"country": "string"}),
    "pandas category": lambda table: table.astype({"country": "category"}),
    "polars": pl.from_pandas,
    "polars category": lambda table: pl.from_pandas(table).cast({"country": pl.Categorical}),
    "polars enum": lambda table: pl.from_pandas(table).cast({"country": pl.Enum(sorted(set(COUNTRIES)))}),
    "pyarrow": pa.Table.from_pandas,
    "pyarrow dictionary": lambda table: pa.Table.from_pandas(table.astype({"country": "category"})),
    "pyarrow batch": pa.RecordBatch.from_pandas,
}


@pytest.mark.parametrize("n_hash", [None, 32])
@pytest.mark.parametrize("kind", TEXTS.values(), ids=TEXTS)
def test_a_table_with_texts_gives_the_model_of_its_rows_as_dicts(kind, n_hash):
    tabled, named = HGDClassifier(n_hash=n_hash), HGDClassifier(n_hash=n_hash)
    bits.assert_same_numbers(tabled.learn(kind(pd.DataFrame(RECORDS)), LABELS), named.learn(RECORDS, LABELS))
    bits.assert_same_state(tabled, named)
    bits.assert_same_numbers(tabled.predict_proba(kind(pd.DataFrame(RECORDS))), named.predict_proba(RECORDS))


def taught(records, y=None, **parameters):
    clf = StreamClassifier(**parameters)
    for x, label in zip(records, y or LABELS, strict=False):
        clf.learn_one(x, label)
    return clf


class TestDicts:
    """Rows of named features, each with the ones it has."""

    def test_one_by_one_are_a_list_of_them(self):
        listed = StreamClassifier()
        listed.learn(RECORDS, LABELS)
        bits.assert_same_state(taught(RECORDS), listed)

    @pytest.mark.parametrize("kind", [int, np.int8, np.float32, np.float64, Fraction, bool, np.bool_], ids=str)
    def test_of_any_numbers(self, kind):
        rows = [{"a": value % 2, "b": 1.0} for value in range(40)]
        bits.assert_same_state(taught([{"a": kind(x["a"]), "b": x["b"]} for x in rows]), taught(rows))

    def test_of_texts_have_a_column_for_each_text(self):
        texts = taught([{"country": c} for c in COUNTRIES], standardize=None)
        ones = taught([{f"country={c}": 1.0} for c in COUNTRIES], standardize=None)
        assert texts.feature_names_in_.tolist() == ["country=FR", "country=DE", "country=", "country=ES=1", "country=日本"]
        bits.assert_same_state(texts, ones, but=["names", "column_kind"])
        bits.assert_same_numbers(texts.coef_, ones.coef_)

    def test_with_none_lack_that_feature(self):
        whole = [{**x, "more": 2.0 * i} for i, x in enumerate(RECORDS)]
        left_out = [x if i % 3 == 0 else {name: x[name] for name in x if name != "more"} for i, x in enumerate(whole)]
        none = [x if i % 3 == 0 else {**x, "more": None} for i, x in enumerate(whole)]
        bits.assert_same_state(taught(none, missing="zero"), taught(left_out, missing="zero"))
        with pytest.raises(DataError, match="row 0, column 'more' is NaN"):
            taught(none)

    @pytest.mark.parametrize("standardize", ["center", "scale", None])
    def test_without_a_number_take_it_as_its_mean_when_centred_else_as_0(self, standardize):
        rows = [{"a": a, "b": 3.0 + b} for a, b in zip(AMOUNTS, AMOUNTS[::-1], strict=True)]
        clf = taught(rows, standardize=standardize)
        absent = clf._model.tensors()["scaler_mean"][0, 1].item() if standardize == "center" else 0.0
        assert clf.decision_one({"a": 0.5}).tolist() == clf.decision_one({"a": 0.5, "b": absent}).tolist()
        assert clf.decision_one({"a": 0.5}).tolist() != clf.decision_one({"a": 0.5, "b": 2.9}).tolist()

    def test_may_bring_new_names_at_any_time(self):
        late = [dict([*x.items()][: 1 + i // 10]) for i, x in enumerate(RECORDS)]
        clf, array = taught(late, standardize=None), StreamClassifier(standardize=None)
        names = ["amount", *(f"country={c}" for c in dict.fromkeys(COUNTRIES[2:] + COUNTRIES)), "night"]
        assert clf.feature_names_in_.tolist() == names
        ones = [
            {f"{name}={x}" if name == "country" else name: 1.0 if name == "country" else x for name, x in row.items()}
            for row in late
        ]
        array.learn([[float(row.get(name, 0.0)) for name in names] for row in ones], LABELS)
        bits.assert_same_numbers(clf.coef_, array.coef_)
        bits.assert_same_numbers(clf.intercept_, array.intercept_)

    def test_unknown_names_are_left_out_of_questions(self):
        clf = taught(RECORDS)
        assert clf.decision_one({**RECORDS[0], "new": 5.0, "country": "FR"}).tolist() == clf.decision_one(RECORDS[0]).tolist()
        assert clf.n_features_in_ == 7

    @given(st.randoms(use_true_random=False), st.sampled_from([None, 16]))
    @settings(max_examples=30, deadline=None)
    def test_may_name_their_features_in_any_order(self, random, n_hash):
        mixed = [dict(random.sample(sorted(x.items()), len(x))) for x in RECORDS[1:]]
        bits.assert_same_state(taught([RECORDS[0], *mixed], n_hash=n_hash), taught(RECORDS, n_hash=n_hash))


class TestTableThenDicts:
    """A model of a table's columns understands dicts with the same names."""

    X, Y = bits.plain(40, 3, 2)

    def new(self, **parameters):
        return HGDClassifier(**parameters).fit(pd.DataFrame(self.X, columns=list("abc")), self.Y)

    @pytest.mark.parametrize("standardize", ["center", "scale", None])
    def test_answers_them_as_rows_of_the_table(self, standardize):
        clf = self.new(standardize=standardize, unit_rows=True)
        dicts = [dict(zip("cab", row, strict=True)) for row in self.X[:, [2, 0, 1]].tolist()]
        bits.assert_same_numbers(clf.decision_function(dicts), clf.decision_function(pd.DataFrame(self.X, columns=list("abc"))))
        assert [clf.predict_one(x) for x in dicts] == clf.predict(dicts).tolist()
        assert [clf.decision_one(x) for x in dicts] == clf.decision_function(dicts).tolist()

    def test_takes_what_they_lack_as_the_mean_and_leaves_out_what_it_does_not_know(self):
        clf = self.new()
        mean = dict(zip("abc", clf._model.tensors()["scaler_mean"][0].tolist(), strict=True))
        assert clf.decision_one({"b": 2.0, "new": 7.0, "place": "here"}) == clf.decision_one({**mean, "b": 2.0})
        assert clf.feature_names_in_.tolist() == list("abc")

    def test_learns_them_and_their_new_names(self):
        clf = self.new()
        clf.learn_one({"a": 1.0, "b": 2.0, "c": 3.0, "place": "here"}, 1)
        clf.learn_one({"d": 4.0}, 0)
        assert clf.feature_names_in_.tolist() == ["a", "b", "c", "place=here", "d"]
        assert clf.n_seen_ == 42

    def test_is_as_it_was_after_refusing_one(self):
        clf = self.new()
        before = bits.state_of(clf)
        with pytest.raises(DataError, match="column 'b' is infinite"):
            clf.learn([{"a": 1.0, "new": 1.0}, {"b": np.inf}], [0, 1])
        assert bits.state_of(clf) == before
        assert clf.feature_names_in_.tolist() == list("abc")

    def test_of_an_array_refuses_them(self):
        clf = HGDClassifier().fit(self.X, self.Y)
        with pytest.raises(DataError, match="fitted on columns without names; pass an array with 3 columns, not dicts"):
            clf.predict_one({"a": 1.0})


@pytest.mark.parametrize("value", [np.inf, -np.inf, 1e200])
def test_a_refused_value_is_named_as_it_was_given_though_hashing_turns_the_sign_of_some(value):
    for name in "pqrstuvw":
        told = f"column '{name}' is infinite ({value})" if np.isinf(value) else f"the largest {value} in column '{name}'"
        with pytest.raises(DataError, match=re.escape(told)):
            HGDClassifier(n_hash=16).learn_one({"a": 1.0, name: value}, 1)


def hashed(record, width):
    """Return a row as it was hashed: the first step of this model is the row itself."""
    clf = StreamClassifier("ogd", "svm", standardize=None, average=False, fit_intercept=False, eta0=1.0, n_hash=width, positive=1)
    clf.learn([record], [1], classes=[0, 1])
    return clf.coef_


eighths = st.integers(-8000, 8000).map(lambda n: n / 8)  # their sums are exact in any order
names = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
values = st.one_of(eighths, names, st.booleans(), st.integers(-1000, 1000))


class TestHashing:
    @given(st.dictionaries(names, values, max_size=20), st.integers(0, 20))
    @example({"a": 0.0, "b": "", "": 1.0, "b=": 2.0, "日本": "語", "a\0b": 3.0}, 3)
    @example({"x": -0.0, "y": False, "z": 0}, 0)
    @settings(max_examples=200, deadline=None)
    def test_gives_the_columns_and_signs_of_scikit_learn_bit_for_bit(self, record, power):
        expected = FeatureHasher(n_features=2**power, input_type="dict").transform([record]).toarray()
        bits.assert_same_numbers(hashed(record, 2**power), expected + 0.0)

    def test_covers_a_million_columns_with_both_signs(self):
        record = {f"feature {i}": 1.0 for i in range(5000)}
        found = hashed(record, 2**20)
        bits.assert_same_numbers(found, FeatureHasher(n_features=2**20, input_type="dict").transform([record]).toarray())
        assert {-1.0, 1.0} <= set(np.unique(found).tolist())

    def test_of_a_table_is_that_of_its_rows(self):
        table = pd.DataFrame({"a": [1.0, 2.0, -3.0], "b": [0.5, 0.0, 4.0]})
        tabled, named = StreamClassifier(n_hash=8), StreamClassifier(n_hash=8)
        bits.assert_same_numbers(tabled.learn(table, [0, 1, 0]), named.learn(table.to_dict("records"), [0, 1, 0]))
        bits.assert_same_state(tabled, named)

    def test_scales_and_never_centres_unless_told_otherwise(self):
        parameters = [{}, {"standardize": "scale"}]
        models = [taught(RECORDS, n_hash=64, **given) for given in parameters]
        bits.assert_same_state(*models)

    def test_keeps_its_width_whatever_comes(self):
        clf = taught([{f"n{i}": 1.0} for i in range(40)], n_hash=16)
        assert clf.n_features_in_ == 16
        assert clf.coef_.shape == (3, 16)
        assert not hasattr(clf, "feature_names_in_")

    @pytest.mark.parametrize("rows", [np.ones((2, 3)), [[1.0, 2.0], [3.0, 4.0]]], ids=["array", "lists"])
    def test_needs_names(self, rows):
        with pytest.raises(DataError, match="hashes the names of features, and these rows have none"):
            StreamClassifier(n_hash=16).learn(rows, [0, 1])

    @pytest.mark.parametrize("width", [0, -2, 3, 2**29, 16.0, True, "16"], ids=repr)
    def test_needs_a_power_of_two(self, width):
        with pytest.raises(ParameterError, match=r"it must be a power of two up to 2\*\*28"):
            StreamClassifier(n_hash=width).learn_one({"a": 1.0}, 1)
