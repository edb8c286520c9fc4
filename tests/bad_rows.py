"""Kinds of bad rows, the faces that may meet them, and what each face makes of each kind."""

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp

import bits
import poise
import poise.river

NAMES = ("a", "b", "c")
START = np.random.default_rng(0).normal(size=(30, 3)).tolist()
START_Y = (np.arange(30) % 3 == 0).astype(int).tolist()
GOOD = np.random.default_rng(1).normal(size=(4, 3)).tolist()
GOOD_Y = [0, 1, 0, 1]


# ---- what becomes of rows


class Refused(tuple):
    """A refusal; holds what its message must say."""

    def __new__(cls, *told):
        return super().__new__(cls, told)


@dataclass(frozen=True)
class Like:
    """Learned exactly as the same rows with another value would be."""

    value: Any


class Learned:
    """Learned, with a finite state."""


@dataclass(frozen=True)
class Absent:
    """Cannot be written down for this face: the reason."""

    why: str


@dataclass(frozen=True)
class Before:
    """Differs for the first rows of a model and for later ones."""

    first: Any
    later: Any


# ---- faces


@dataclass(frozen=True)
class Face:
    """A way to hand rows to a model; `rows` makes what is handed over from cells, `ask` are its questions."""

    name: str
    rows: Callable[[list], Any]
    ask: tuple[str, ...] = ("decision_function", "predict", "predict_proba")
    verb: str = "learn"
    river: bool = False

    def new(self, classifier, **settings):
        return getattr(poise.river if self.river else poise, classifier)(**settings)

    @property
    def single(self):
        return self.verb == "learn_one"

    @property
    def bad(self):
        """Number of the bad row."""
        return 0 if self.single else 2

    @property
    def names(self):
        """How the columns are called in messages."""
        return (0, 1, 2) if self.name in ("array", "csr", "one array") else NAMES

    def cells(self, value=None, others=None):
        """Good cells, with a value in the second column of the bad row if one is given."""
        cells = [list(row) for row in GOOD]
        if others is not None:
            for row in cells:
                row[1] = others
        if value is not None:
            cells[2][1] = value[0]
        return cells[2:3] if self.single else cells

    def labels(self, *label):
        """Good labels, with one for the bad row if one is given."""
        y = list(GOOD_Y)
        y[2:3] = label or y[2:3]
        return y[2:3] if self.single else y

    def learn(self, model, rows, y, weights=None):
        if not self.single:
            weighed = {} if weights is None else {"w" if self.river else "sample_weight": weights}
            return getattr(model, self.verb)(rows, y, **weighed)
        return [
            model.learn_one(x, label, *([] if weights is None else [weights[row]]))
            for row, (x, label) in enumerate(zip(rows, y, strict=True))
        ]

    def started(self, classifier, fresh, **settings):
        """Return a model that has learned nothing, or some good rows."""
        model = self.new(classifier, **settings)
        if not fresh:
            self.learn(model, self.rows(START), START_Y)
        return model

    def twins(self, classifier, fresh, **settings):
        return self.started(classifier, fresh, **settings), self.started(classifier, fresh, **settings)


def as_array(cells):
    try:
        return np.array(cells, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        out = np.empty((len(cells), 3), dtype=object)
        for i, row in enumerate(cells):
            for j, value in enumerate(row):
                out[i, j] = value
        return out


def by_name(cells):
    return {name: [row[j] for row in cells] for j, name in enumerate(NAMES)}


def as_dicts(cells):
    return [dict(zip(NAMES, row, strict=True)) for row in cells]


def as_pandas(cells):
    columns = by_name(cells)
    kinds = {name: object if any(isinstance(value, complex) for value in values) else None for name, values in columns.items()}
    return pd.DataFrame({name: pd.Series(values, dtype=kinds[name]) for name, values in columns.items()})


def as_polars(cells):
    return pl.DataFrame({name: pl.Series(values) for name, values in by_name(cells).items()})


def as_csr(cells):
    return sp.csr_array(np.array(cells, dtype=np.float64))


RIVER = {"river": True}
ONE = ("decision_one", "predict_one", "predict_proba_one")
FACES = {
    face.name: face
    for face in (
        Face("array", as_array),
        Face("csr", as_csr),
        Face("pandas", as_pandas),
        Face("polars", as_polars),
        Face("pyarrow", lambda cells: pa.table(by_name(cells))),
        Face("dicts", as_dicts),
        Face("one array", lambda cells: list(as_array(cells)), ONE, "learn_one"),
        Face("one dict", as_dicts, ONE, "learn_one"),
        Face("river dict", as_dicts, ("predict_one", "predict_proba_one"), "learn_one", river=True),
        Face("river table", as_pandas, ("predict_many", "predict_proba_many"), "learn_many", river=True),
    )
}
#: A column of the table below speaks for these faces.
GROUPS = {
    "arrays": ("array", "one array"),
    "csr": ("csr",),
    "pandas": ("pandas",),
    "polars": ("polars",),
    "pyarrow": ("pyarrow",),
    "dicts": ("dicts", "one dict", "river dict"),
    "river": ("river table",),
}


def state(model):
    """Return every byte of what a model of any face has learned."""
    held = getattr(model, "_model", None)
    if held is None:
        return {}
    if held.columns is None:
        return {"labels": list(held.labels.arrived)}
    face = poise.StreamClassifier()
    face._model = held
    return bits.state_of(face)


# ---- bad values, in row 2 (the only one for single rows) of column "b", the second one


def everywhere(outcome):
    return dict.fromkeys(GROUPS, outcome)


TYPED = dict.fromkeys(("polars", "pyarrow"), Absent("one type per column"))


def category(text):
    """Text: no number in arrays and in columns of numbers, a category in dicts and where a table begins with it."""
    no_number = Refused(repr(text), "text is no number; convert it, or pass")
    return {
        "arrays": no_number, "csr": Absent("numbers only"), "pandas": Before(Learned, no_number),
        "dicts": Learned, "river": Learned, **TYPED,
    }  # fmt: skip


def no_value(told):
    """Return the outcomes of something that is neither number nor text."""
    refused = Refused(told, "give a number")
    return {**everywhere(refused), "csr": Absent("numbers only"), **TYPED}


NOT_FINITE = "only finite numbers are allowed; correct it or leave the row out"
TOO_LARGE = Refused("100000000000", "too large for a 64-bit float; scale it down")
MISSING = Refused("is NaN, and missing values are not allowed; fill it in, leave the row out, or set missing='zero'")

#: kind: (value, what becomes of it per group of faces), or with the value of the other rows as a third.
VALUES = {
    "NaN": (np.nan, everywhere(MISSING)),
    "None": (None, everywhere(MISSING)),
    "pandas.NA": (
        pd.NA,
        {**everywhere(MISSING), "csr": Absent("numbers only"), **TYPED,
         "dicts": Refused("<NA>", "type NAType; give a number", "None where it is missing")},
    ),
    "not a decimal": (Decimal("NaN"), {**everywhere(MISSING), "pyarrow": TYPED["pyarrow"]}),
    "+inf": (np.inf, everywhere(Refused("infinite (inf)", NOT_FINITE))),
    "-inf": (-np.inf, everywhere(Refused("infinite (-inf)", NOT_FINITE))),
    "longer float": (
        np.longdouble("1e4000"),
        {**everywhere(Refused("infinite (inf)", NOT_FINITE)), "csr": Absent("numpy warns"), "arrays": Absent("numpy warns")},
    ),
    "1e308": (1e308, everywhere(Refused("squares add up to infinity", "1e+308", "scale the columns or leave the row out"))),
    "subnormal": (5e-324, everywhere(Like(5e-324))),
    "negative zero": (-0.0, everywhere(Like(0.0))),
    "True": (True, everywhere(Like(1.0)), False),
    "integer above 2**53": (2**53 + 1, everywhere(Like(float(2**53))), 1),
    "integer of 400 digits": (
        10**399,
        {**everywhere(TOO_LARGE), "csr": Absent("numbers only"), **TYPED},
    ),
    "fraction": (Fraction(1, 2), {**everywhere(Like(0.5)), "pyarrow": TYPED["pyarrow"]}),
    "array of no dimensions": (np.array(0.5), {**everywhere(Like(0.5)), "pyarrow": TYPED["pyarrow"]}),
    "text true": ("true", category("true")),
    "decimal comma": ("3,5", category("3,5")),
    "empty text": ("", category("")),
    "text with NUL": ("a\0b", category("a\0b")),
    "lone surrogate": ("\ud800", category("\ud800")),
    "bytes that are no UTF-8": (
        b"\xff\xfe",
        {**no_value("b'\\xff\\xfe'"), "arrays": Refused("b'\\xff\\xfe'", "text is no number; convert it"),
         "pandas": Before(Refused("b'\\xff\\xfe'", "bytes; give a number"), Refused("b'\\xff\\xfe'", "no number; convert it"))},
    ),
    "list": ([1.0, 2.0], no_value("[1.0, 2.0]")),
    "dict": ({"d": 1.0}, no_value("{'d': 1.0}")),
    "object": (object(), no_value("<object ob")),
    "complex": (1 + 2j, no_value("j)")),
    "date": (datetime.date(2020, 1, 1), no_value("datetime.date(2020, 1, 1)")),
    "duration": (datetime.timedelta(1), no_value("datetime.timedelta(days=1)")),
}  # fmt: skip


def value_cases():
    """Yield kind, face, whether the model is fresh, and what becomes of the rows."""
    for kind, (_, outcomes, *_) in VALUES.items():
        assert outcomes.keys() == GROUPS.keys()
        for group, outcome in outcomes.items():
            for face in GROUPS[group]:
                for fresh in (True, False):
                    now = outcome if not isinstance(outcome, Before) else outcome.first if fresh else outcome.later
                    yield kind, FACES[face], fresh, now


# ---- bad labels, of row 2 (the only one for single rows)

NO_CLASS = "use numbers, text or booleans"
LABELS = {
    "None": (None, Refused("missing (None): NaN and None name no class; drop the row")),
    "NaN": (np.nan, Refused("missing (nan): NaN and None name no class; drop the row")),
    "pandas.NA": (pd.NA, Refused("missing (<NA>)", "drop the row")),
    "not a date": (pd.NaT, Refused("missing (NaT)", "drop the row")),
    "not a decimal": (Decimal("NaN"), Refused("missing (NaN)", "drop the row")),
    "infinite": (np.inf, Refused("is inf: infinity names no class; drop the row")),
    "0.5": (0.5, Refused("0.5, no whole number; cut it into classes first, such as y > 0.5")),
    "fraction": (Fraction(1, 2), Refused("1/2, no whole number; cut it into classes first")),
    "decimal": (Decimal("0.5"), Refused("0.5, no whole number; cut it into classes first")),
    "list": ([1], Refused("[1]", f"names no class; {NO_CLASS}")),
    "dict": ({}, Refused("{}", f"names no class; {NO_CLASS}")),
    "date of numpy": (np.datetime64("2020-01-01"), Refused("2020-01-01, a date or duration; turn it into text")),
    "text": ("x", Refused("'x'", "types int and str cannot be sorted together; use labels of one type")),
    "bytes": (b"\xff", Refused("b'\\xff'", "types bytes and int cannot be sorted together; use labels of one type")),
    "1.0": (1.0, Like(1)),
    "True": (True, Like(1)),
    "new": (7, Learned),
    "integer above 2**53": (2**53 + 1, Learned),
}
#: Refused only beside labels that are numbers: fine as the first of all.
BESIDE_NUMBERS = ("text", "bytes")


# ---- bad sample weights, of row 2 (the only one for single rows)

OUTSIDE = "a weight must lie between 0 and 1e6: 0 leaves the row out"
NO_NUMBER = "which is no number that a float can hold; give a number per row"
WEIGHTS = {
    "negative": (-1.0, Refused("is -1", OUTSIDE)),
    "NaN": (np.nan, Refused("is nan", OUTSIDE)),
    "infinite": (np.inf, Refused("is inf", OUTSIDE)),
    "longer float": (np.longdouble("1e4000"), Refused("is inf", OUTSIDE)),
    "1e30": (1e30, Refused("is 1e+30", OUTSIDE, "divide all weights by a common factor")),
    "integer of 400 digits": (10**399, Refused("is 1000", NO_NUMBER)),
    "None": (None, Refused("is None", NO_NUMBER)),
    "pandas.NA": (pd.NA, Refused("is <NA>", NO_NUMBER)),
    "text": ("1", Refused("is '1'", NO_NUMBER)),
    "bytes": (b"1", Refused("is b'1'", NO_NUMBER)),
    "list": ([1.0], Refused("is [1.0]", NO_NUMBER)),
    "date": (datetime.date(2020, 1, 1), Refused("is datetime.date(2020, 1, 1)", NO_NUMBER)),
    "not a decimal": (Decimal("NaN"), Refused("is Decimal('NaN')", NO_NUMBER)),
    "decimal": (Decimal("0.5"), Like(0.5)),
    "True": (True, Like(1.0)),
    "subnormal": (5e-324, Learned),
    "1e6": (1e6, Learned),
}
