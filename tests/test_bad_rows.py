"""A bad row gives a good error and leaves no trace, on every face (the promise F6)."""

import re

import numpy as np
import pytest

from bad_rows import (
    BESIDE_NUMBERS,
    FACES,
    GOOD,
    GOOD_Y,
    LABELS,
    VALUES,
    WEIGHTS,
    Absent,
    Learned,
    Like,
    Refused,
    state,
    value_cases,
)
from poise.errors import DataError, PoiseError


def assert_good_sentence(error, told, where="", *, lines=False):
    """Check one sentence that says what is wrong and, after a semicolon or colon, what to do."""
    message = str(error)
    assert isinstance(error, PoiseError)
    assert isinstance(error, ValueError)
    assert [part for part in told if part not in message] == [], message
    assert re.search(where, message), message
    assert message.endswith((".", "?"))
    if not lines:
        assert not re.search(r"\n|[.!?] [A-Z]", message), message
        assert re.search(r"[;:] \S", message), message


def assert_finite(model):
    tensors = model._model.tensors()
    assert [name for name, tensor in tensors.items() if tensor.dtype.kind == "f" and not np.isfinite(tensor).all()] == []


def assert_refused(face, models, attempt, told, where="", *, lines=False):
    """Check that the attempt is refused without a trace: the model then learns good rows as its twin, who was not asked."""
    model, twin = models
    before = state(model)
    with pytest.raises(DataError) as refusal:
        attempt(model)
    assert_good_sentence(refusal.value, told, where, lines=lines)
    assert state(model) == before == state(twin)
    for one in models:
        face.learn(one, face.rows(face.cells()), face.labels())
    assert state(model) == state(twin)
    assert_finite(model)


def cases(outcome, of=()):
    """Cases of one outcome, with readable names."""
    return [
        pytest.param(*case, id=f"{case[0]}-{case[1].name}-{'first rows' if case[2] else 'later rows'}")
        for case in of
        if case[3] is outcome or isinstance(case[3], outcome)
    ]


def crossed(table):
    """Yield every kind of a table of one value with every face, fresh and later."""
    for kind, (_, outcome) in table.items():
        for face in FACES.values():
            for fresh in (True, False):
                alone = table is LABELS and kind in BESIDE_NUMBERS and face.single and fresh
                yield kind, face, fresh, Learned if alone else outcome


def rows_with(face, kind):
    value, _, *others = VALUES[kind]
    return face.rows(face.cells([value], *others))


def row_of(face):
    return rf"(?i)\brow {face.bad}\b"


def cell_of(face):
    return rf"{row_of(face)}, (column|feature) {face.names[1]!r}( |,|;|$)|row {face.bad} .* in column {face.names[1]!r};"


BOTH = pytest.mark.parametrize("classifier", ["StreamClassifier", "HGDClassifier"])
ARGUMENTS = ("kind", "face", "fresh", "outcome")


@BOTH
class TestValue:
    @pytest.mark.parametrize(ARGUMENTS, cases(Refused, value_cases()))
    def test_is_refused_by_row_and_column_without_a_trace(self, kind, face, fresh, outcome, classifier):
        models = face.twins(classifier, fresh)
        rows = rows_with(face, kind)
        assert_refused(face, models, lambda model: face.learn(model, rows, face.labels()), outcome, cell_of(face))

    @pytest.mark.parametrize(ARGUMENTS, [case for case in cases(Refused, value_cases()) if "later" in case.id])
    def test_is_refused_by_questions_too(self, kind, face, fresh, outcome, classifier):
        model = face.started(classifier, fresh)
        rows, before = rows_with(face, kind), state(model)
        for question in face.ask:
            with pytest.raises(DataError) as refusal:
                getattr(model, question)(rows[0] if face.single else rows)
            assert_good_sentence(refusal.value, outcome, cell_of(face))
        assert state(model) == before

    @pytest.mark.parametrize(ARGUMENTS, cases(Like, value_cases()))
    def test_is_learned_as_its_equal(self, kind, face, fresh, outcome, classifier):
        model, twin = face.twins(classifier, fresh)
        face.learn(model, rows_with(face, kind), face.labels())
        others = [float(value) for value in VALUES[kind][2:]]
        face.learn(twin, face.rows(face.cells([outcome.value], *others)), face.labels())
        assert state(model) == state(twin)
        assert_finite(model)

    @pytest.mark.parametrize(ARGUMENTS, cases(Learned, value_cases()))
    def test_is_learned_as_a_category(self, kind, face, fresh, outcome, classifier):
        model = face.started(classifier, fresh)
        face.learn(model, rows_with(face, kind), face.labels())
        assert_finite(model)
        assert f"b={VALUES[kind][0]}" in model._model.columns.names

    @pytest.mark.parametrize(ARGUMENTS, [case for case in cases(Absent, value_cases()) if "first" in case.id])
    def test_cannot_be_written_down(self, kind, face, fresh, outcome, classifier):
        with pytest.raises((TypeError, ValueError, OverflowError, RuntimeWarning)):
            rows_with(face, kind)


@BOTH
class TestLabel:
    @pytest.mark.parametrize(ARGUMENTS, cases(Refused, crossed(LABELS)))
    def test_is_refused_by_row_without_a_trace(self, kind, face, fresh, outcome, classifier):
        models = face.twins(classifier, fresh)
        rows, y = face.rows(face.cells()), face.labels(LABELS[kind][0])
        assert_refused(face, models, lambda model: face.learn(model, rows, y), outcome, row_of(face))

    @pytest.mark.parametrize(ARGUMENTS, cases(Like, crossed(LABELS)))
    def test_is_learned_as_its_equal(self, kind, face, fresh, outcome, classifier):
        model, twin = face.twins(classifier, fresh)
        for one, label in ((model, LABELS[kind][0]), (twin, outcome.value)):
            face.learn(one, face.rows(face.cells()), face.labels(label))
        assert state(model) == state(twin)

    @pytest.mark.parametrize(ARGUMENTS, cases(Learned, crossed(LABELS)))
    def test_is_learned_as_a_new_class(self, kind, face, fresh, outcome, classifier):
        model = face.started(classifier, fresh)
        face.learn(model, face.rows(face.cells()), face.labels(LABELS[kind][0]))
        assert LABELS[kind][0] in model._model.labels.arrived
        assert_finite(model)

    @pytest.mark.parametrize("face", [face for face in FACES.values() if face.verb == "learn"], ids=lambda face: face.name)
    @pytest.mark.parametrize("label", [7, 10**399])
    def test_that_was_not_listed_is_refused_by_partial_fit(self, face, label, classifier):
        told = (f"is {str(label)[:9]}", "not among the classes 0, 1 of the first call; name it in classes= there, or use learn")
        for fresh in (True, False):
            models = face.twins(classifier, fresh)
            rows, y = face.rows(face.cells()), face.labels(label)
            assert_refused(face, models, lambda model: model.partial_fit(rows, y, classes=[0, 1]), told, row_of(face))  # noqa: B023


@BOTH
class TestSampleWeight:
    @pytest.mark.parametrize(ARGUMENTS, cases(Refused, crossed(WEIGHTS)))
    def test_is_refused_by_row_without_a_trace(self, kind, face, fresh, outcome, classifier):
        models = face.twins(classifier, fresh)
        rows, weights = face.rows(face.cells()), weights_with(face, WEIGHTS[kind][0])
        attempt = lambda model: face.learn(model, rows, face.labels(), weights)  # noqa: E731
        assert_refused(face, models, attempt, outcome, rf"sample_weight in row {face.bad}\b")

    @pytest.mark.parametrize(ARGUMENTS, cases(Like, crossed(WEIGHTS)))
    def test_is_used_as_its_equal(self, kind, face, fresh, outcome, classifier):
        model, twin = face.twins(classifier, fresh)
        for one, weight in ((model, WEIGHTS[kind][0]), (twin, outcome.value)):
            face.learn(one, face.rows(face.cells()), face.labels(), weights_with(face, weight))
        assert state(model) == state(twin)

    @pytest.mark.parametrize(ARGUMENTS, cases(Learned, crossed(WEIGHTS)))
    def test_at_the_ends_of_its_range_leaves_a_finite_state(self, kind, face, fresh, outcome, classifier):
        model = face.started(classifier, fresh)
        face.learn(model, face.rows(face.cells()), face.labels(), weights_with(face, WEIGHTS[kind][0]))
        assert_finite(model)
        assert model._model.core.rows == (0 if fresh else 30) + (1 if face.single else 4)

    @pytest.mark.parametrize("face", FACES.values(), ids=lambda face: face.name)
    def test_of_zero_leaves_rows_out(self, face, classifier):
        model, twin = face.twins(classifier, fresh=False)
        y = face.labels()
        face.learn(model, face.rows(face.cells()), y, [0.0] * len(y))
        assert state(model) == state(twin)
        if not face.single:
            face.learn(model, face.rows(face.cells()), y, [1.0, 1.0, 0.0, 1.0])
            kept = [0, 1, 3]
            face.learn(twin, face.rows([face.cells()[row] for row in kept]), [y[row] for row in kept])
            assert state(model) == state(twin)

    @pytest.mark.parametrize("face", FACES.values(), ids=lambda face: face.name)
    def test_of_zero_teaches_a_new_model_nothing(self, face, classifier):
        model, twin = face.twins(classifier, fresh=True)
        face.learn(model, face.rows(face.cells()), face.labels(), [0.0] * len(face.labels()))
        assert model._model.core.rows == 0
        assert model._model.labels.arrived == []
        for one in (model, twin):
            face.learn(one, face.rows(face.cells()), face.labels())
        assert state(model) == state(twin)

    def test_of_zero_leaves_out_a_row_of_any_kind_unless_it_is_scored(self, classifier):
        face = FACES["array"]
        model, twin = face.twins(classifier, fresh=False)
        rows = np.array(GOOD, dtype=float)
        rows[1] = np.nan, np.inf, 1e300
        model.partial_fit(rows, GOOD_Y, sample_weight=[1.0, 0.0, 1.0, 1.0])
        twin.partial_fit(np.delete(rows, 1, axis=0), np.delete(GOOD_Y, 1))
        assert state(model) == state(twin)
        told = ("The value in row 1, column 0 is NaN", "leave the row out")
        assert_refused(face, (model, twin), lambda one: one.learn(rows, GOOD_Y, sample_weight=[1.0, 0.0, 1.0, 1.0]), told)

    def test_just_above_the_largest_is_told_exactly(self, classifier):
        with pytest.raises(DataError, match=r"sample_weight in row 1 is 1000001\.0; a weight must lie between 0 and 1e6"):
            FACES["array"].new(classifier).partial_fit(GOOD[:2], GOOD_Y[:2], classes=[0, 1], sample_weight=[1.0, 1000001.0])

    def test_of_a_single_row_that_is_an_array_is_refused(self, classifier):
        face = FACES["array"]
        models = face.twins(classifier, fresh=False)
        for weight in (np.array([1.0]), [1.0]):
            told = ("sample_weight in row 0 is", "which is no number that a float can hold; give a number per row")
            assert_refused(face, models, lambda model, weight=weight: model.learn_one(GOOD[0], 1, weight), told)

    def test_that_is_zero_for_all_rows_is_refused_by_fit(self, classifier):
        face = FACES["array"]
        models = face.twins(classifier, fresh=False)
        told = ("All sample weights are zero: fit would learn nothing; give at least one row a positive weight",)
        assert_refused(face, models, lambda model: model.fit(GOOD, GOOD_Y, sample_weight=np.zeros(4)), told)


def weights_with(face, weight):
    return [weight] if face.single else [1.0, 1.0, weight, 1.0]


def matching():
    """Yield ways in which labels, weights and listed classes do not fit the rows of a block."""
    one_each = "give one label per row"
    yield "no labels", {"y": None}, ("target y is None", one_each)
    for count in (0, 3, 5):
        yield f"{count} labels", {"y": [1] * count}, (f"X has 4 rows and y has {count} labels", one_each)
        yield (
            f"{count} weights",
            {"weights": [1.0] * count},
            (f"sample_weight.shape == ({count},), expected (4,)", "one weight per row"),
        )
    for name, y in {"one label": 1, "text as labels": "abab", "set of labels": {0, 1}}.items():
        yield name, {"y": y}, ("y should be a 1d array, got an array of shape ()", one_each)
    yield "two labels a row", {"y": [[0, 1]] * 4}, ("y should be a 1d array, got an array of shape (4, 2)", one_each)
    yield "lists as labels", {"y": [[0], [1, 0], [0], [1]]}, ("label in row 0 is [0]", "use numbers, text or booleans")
    yield "complex labels", {"y": np.array(GOOD_Y) + 1j}, ("y holds complex numbers", "use numbers, text or booleans")
    yield "dates as labels", {"y": np.full(4, "2020-01-01", "M8[D]")}, ("y holds dates or durations", "turn them into text")
    yield "masked labels", {"y": np.ma.array(GOOD_Y, mask=[0, 0, 1, 0])}, ("label in row 2 is missing", "drop the row")
    yield "two weights a row", {"weights": np.ones((4, 2))}, ("Sample weights must be 1D array or scalar", "one number per row")
    yield "text as weights", {"weights": np.full(4, "1")}, ("sample_weight in row 0 is '1'", "give a number per row")
    yield "complex weights", {"weights": np.ones(4, complex)}, ("sample_weight in row 0 is (1+0j)", "give a number per row")
    yield (
        "masked weights",
        {"weights": np.ma.array(np.ones(4), mask=[0, 0, 1, 0])},
        ("sample_weight in row 2", "give a number per row"),
    )
    yield "one negative weight", {"weights": -1.0}, ("sample_weight in row 0 is -1", "must lie between 0 and 1e6")


@BOTH
@pytest.mark.parametrize("fresh", [True, False], ids=["first rows", "later rows"])
@pytest.mark.parametrize("face", [face for face in FACES.values() if not face.single], ids=lambda face: face.name)
@pytest.mark.parametrize(("given", "told"), [pytest.param(*case[1:], id=case[0]) for case in matching()])
def test_labels_and_weights_that_do_not_fit_the_rows_are_refused_without_a_trace(face, fresh, given, told, classifier):
    models = face.twins(classifier, fresh)
    given = {"y": GOOD_Y, **given}
    assert_refused(face, models, lambda model: face.learn(model, face.rows(GOOD), **given), told)


CLASSES = {
    "none": ([], "not an array of shape (0,); list every label once"),
    "one number": (3, "not an array of shape (); list every label once"),
    "two dimensions": ([[0, 1]], "not an array of shape (1, 2); list every label once"),
    "lists": ([[0], [1, 2]], "The label at place 0 of classes is [0], which names no class; use numbers"),
    "NaN": ([0, 1, np.nan], "The label in classes is missing (nan): NaN and None name no class; list real labels only"),
    "None": ([0, 1, None], "The label in classes is missing (None): NaN and None name no class; list real labels only"),
    "0.5": ([0, 1, 0.5], "the label in classes is 0.5, no whole number; cut it into classes first"),
    "dict": ([0, 1, {}], "The label in classes is {}, a dict, which names no class; use numbers, text or booleans"),
}


@BOTH
@pytest.mark.parametrize("verb", ["partial_fit", "learn"])
@pytest.mark.parametrize("fresh", [True, False], ids=["first rows", "later rows"])
@pytest.mark.parametrize(("classes", "told"), CLASSES.values(), ids=CLASSES)
def test_classes_that_name_no_classes_are_refused_without_a_trace(verb, fresh, classes, told, classifier):
    face = FACES["array"]
    models = face.twins(classifier, fresh)
    assert_refused(face, models, lambda model: getattr(model, verb)(GOOD, GOOD_Y, classes=classes), (told,))


@BOTH
@pytest.mark.parametrize("classes", [[0], [0, 1, 2], [1, 2], ["a", "b"]], ids=str)
def test_other_classes_than_at_the_first_call_are_refused_without_a_trace(classes, classifier):
    face = FACES["array"]
    models = face.twins(classifier, fresh=False)
    told = (f"classes is {classes} and was [0, 1] at the first call; give the same classes, or use learn",)
    assert_refused(face, models, lambda model: model.partial_fit(GOOD, GOOD_Y, classes=classes), told)


@BOTH
def test_a_first_partial_fit_without_classes_is_refused(classifier):
    face = FACES["array"]
    models = face.twins(classifier, fresh=True)
    told = ("classes must be passed on the first call to partial_fit; give all labels there will ever be",)
    assert_refused(face, models, lambda model: model.partial_fit(GOOD, GOOD_Y), told)
