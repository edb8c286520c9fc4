"""Every kind of input gives the model of the plain array of doubles that holds the same rows."""

import tracemalloc
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

import bits
from poise import HGDClassifier
from poise.errors import DataError
from poise.features import as_rows

X, Y = bits.plain(60, 5, 3)
WHOLE = np.random.default_rng(0).integers(0, 100, size=(60, 5)).astype(np.float64)
TRUTHS = WHOLE % 2
NAMES = list("abcde")


def learned(rows, y=Y, clf=None):
    """Return the bytes of the scores, the answers and the state that rows lead to, but for the names of the columns."""
    clf = clf or HGDClassifier()
    scores = clf.learn(rows, y)
    state = bits.state_of(clf)
    del state["names"]
    return scores.tobytes(), clf.decision_function(rows).tobytes(), clf.predict(rows).tolist(), state


def unaligned(X):
    return np.frombuffer(b"\0" + X.tobytes(), dtype=X.dtype, offset=1).reshape(X.shape)


def read_only(X):
    frozen = X.copy()
    frozen.flags.writeable = False
    return frozen


def cells(X, kind):
    out = np.empty(X.shape, dtype=object)
    out[:] = [[kind(value) for value in row] for row in X.tolist()]
    return out


ARRAYS = {
    "lists": np.ndarray.tolist,
    "tuples": lambda X: tuple(map(tuple, X.tolist())),
    "list of arrays": list,
    "objects": lambda X: X.astype(object),
    "column by column": np.asfortranarray,
    "columns from right to left": lambda X: np.ascontiguousarray(X[:, ::-1])[:, ::-1],
    "rows from below": lambda X: np.ascontiguousarray(X[::-1])[::-1],
    "every third cell": lambda X: np.repeat(X, 3, axis=1)[:, ::3],
    "read-only": read_only,
    "unaligned": unaligned,
    "other byte order": lambda X: X.astype(X.dtype.newbyteorder()),
    "masked without a mask": np.ma.MaskedArray,
    "longer floats": lambda X: X.astype(np.longdouble),
}
NUMBERS = {
    name: lambda X, name=name: X.astype(name) for name in ("f2", "f4", ">f4", "i1", "u1", "i2", ">i4", "u4", "i8", "u8")
} | {
    "unaligned f4": lambda X: unaligned(X.astype(np.float32)),
    "f4 column by column": lambda X: np.asfortranarray(X.astype(np.float32)),
    "fractions": lambda X: cells(X, Fraction),
    "decimals": lambda X: cells(X, lambda value: Decimal(str(value))),
    "lists of int": lambda X: X.astype(int).tolist(),
    "numpy numbers": lambda X: cells(X, np.float32),
}


class TestArray:
    @pytest.mark.parametrize("kind", ARRAYS.values(), ids=ARRAYS)
    def test_of_any_layout(self, kind):
        assert learned(kind(X)) == learned(X)

    @pytest.mark.parametrize("kind", NUMBERS.values(), ids=NUMBERS)
    def test_of_any_numbers(self, kind):
        assert learned(kind(WHOLE)) == learned(WHOLE)

    @pytest.mark.parametrize("kind", [np.bool_, bool, object], ids=str)
    def test_of_truths(self, kind):
        assert learned((TRUTHS > 0).astype(kind)) == learned(TRUTHS)
        assert learned((TRUTHS > 0).tolist()) == learned(TRUTHS)

    @pytest.mark.parametrize("mode", ["r", "r+", "c"])
    def test_mapped_from_a_file(self, mode, tmp_path):
        np.save(tmp_path / "rows.npy", X)
        assert learned(np.load(tmp_path / "rows.npy", mmap_mode=mode)) == learned(X)

    @pytest.mark.parametrize("kind", [*ARRAYS.values()], ids=ARRAYS)
    def test_may_change_its_layout_from_row_to_row(self, kind):
        one, other = HGDClassifier(), HGDClassifier()
        for x, label in zip(X, Y.tolist(), strict=True):
            one.learn(x[np.newaxis], [label])
            other.learn(kind(x[np.newaxis]), [label])
        bits.assert_same_state(one, other)

    @pytest.mark.parametrize("kind", [np.float64, np.float32])
    def test_of_floats_is_not_copied(self, kind):
        rows = np.random.default_rng(0).normal(size=(20_000, 50)).astype(kind)
        y = (rows[:, 0] > 0).astype(int)
        assert as_rows(rows).X is rows
        assert np.shares_memory(as_rows(rows[::2, 1:]).X, rows)
        clf = HGDClassifier().partial_fit(rows[:100], y[:100], classes=[0, 1])
        tracemalloc.start()
        try:
            clf.partial_fit(rows, y)
            clf.decision_function(rows)
            assert tracemalloc.get_traced_memory()[1] < rows.nbytes / 3
        finally:
            tracemalloc.stop()


SPARSE = {
    f"{kind} {of}": getattr(sp, f"{kind}_{of}")
    for kind in ("csr", "csc", "coo", "lil", "bsr", "dok", "dia")
    for of in ("array", "matrix")
}


def shuffled(X):
    """CSR with the entries of each row in any order."""
    out, rng = sp.csr_array(X), np.random.default_rng(0)
    for begin, end in zip(out.indptr, out.indptr[1:], strict=False):
        order = begin + rng.permutation(end - begin)
        out.indices[begin:end], out.data[begin:end] = out.indices[order], out.data[order]
    out.has_sorted_indices = False
    return out


def repeated(X):
    """CSR with each entry in two parts."""
    whole = sp.csr_array(X)
    twice = np.repeat(np.arange(len(whole.data)), 2)
    return sp.csr_array((whole.data[twice] / 2, whole.indices[twice], whole.indptr * 2), shape=X.shape)


def wide(kind):
    def make(X):
        out = kind(X)
        out.indices, out.indptr = out.indices.astype(np.int64), out.indptr.astype(np.int64)
        return out

    return make


def wide_coo(X):
    out = sp.coo_array(X)
    return sp.coo_array((out.data, tuple(at.astype(np.int64) for at in out.coords)), shape=X.shape)


def unaligned_csr(X):
    """CSR of which no part starts at a multiple of its numbers' size."""
    out = sp.csr_array(X)
    out.data, out.indices, out.indptr = unaligned(out.data), unaligned(out.indices), unaligned(out.indptr)
    return out


SPARSE |= {
    "csr unaligned": unaligned_csr,
    "csr 64": wide(sp.csr_array),
    "csr matrix 64": wide(sp.csr_matrix),
    "csc 64": wide(sp.csc_array),
    "coo 64": wide_coo,
    "unsorted": shuffled,
    "unsorted 64": wide(shuffled),
    "repeated": repeated,
    "f4": lambda X: sp.csr_array(X.astype(np.float32)),
    "int": lambda X: sp.csr_array(X.astype(np.int16)),
    "zeros kept": lambda X: sp.csr_array((X.ravel(), np.tile(np.arange(5), 60), np.arange(61) * 5), shape=X.shape),
}


@pytest.mark.parametrize("kind", SPARSE.values(), ids=SPARSE)
class TestSparseMatrix:
    @pytest.mark.parametrize("standardize", ["center", "scale", None])
    def test_gives_the_model_of_the_array(self, kind, standardize):
        rows = np.where(WHOLE > 60, WHOLE, 0.0)
        parameters = {"standardize": standardize, "unit_rows": standardize is None}
        expected = learned(rows, clf=HGDClassifier(**parameters))
        assert learned(kind(rows), clf=HGDClassifier(**parameters)) == expected

    def test_is_scaled_not_centred_unless_told_otherwise_and_left_as_it_was(self, kind):
        rows = kind(WHOLE)
        before = rows.copy()
        assert learned(rows) == learned(WHOLE, clf=HGDClassifier(standardize="scale"))
        assert rows.format == before.format
        assert (rows.tocsr() != before.tocsr()).nnz == 0


def pandas_of(dtype):
    return lambda X: pd.DataFrame(X, columns=NAMES).astype(dtype)


TABLES = {
    "pandas": pandas_of("f8"),
    "pandas f4": pandas_of("f4"),
    "pandas Int64": pandas_of("Int64"),
    "pandas Float64": pandas_of("Float64"),
    "pandas UInt8": pandas_of("UInt8"),
    "pandas Arrow": pandas_of("double[pyarrow]"),
    "pandas objects": pandas_of(object),
    "pandas sparse": pandas_of(pd.SparseDtype("f8", 0.0)),
    "pandas mixed": lambda X: pd.DataFrame(X, columns=NAMES).astype({"a": "i2", "b": "Float32", "c": "u1", "d": "f4"}),
    "pandas with an index of texts": lambda X: pd.DataFrame(X, columns=NAMES, index=[f"r{i}" for i in range(len(X))]),
    "polars": lambda X: pl.DataFrame(X, schema=NAMES),
    "polars f4": lambda X: pl.DataFrame(X, schema=NAMES).cast(pl.Float32),
    "polars mixed": lambda X: pl.DataFrame(X, schema=NAMES).cast({"a": pl.Int8, "b": pl.UInt64, "c": pl.Float32, "d": pl.Int32}),
    "polars decimals": lambda X: pl.DataFrame(X, schema=NAMES).cast(pl.Decimal(10, 2)),
    "pyarrow table": lambda X: pa.table(dict(zip(NAMES, X.T, strict=True))),
    "pyarrow of chunks": lambda X: pa.concat_tables([pa.table(dict(zip(NAMES, part.T, strict=True))) for part in (X[:7], X[7:])]),
    "pyarrow batch": lambda X: pa.record_batch(dict(zip(NAMES, X.T, strict=True))),
    "pyarrow batch of int": lambda X: pa.record_batch(dict(zip(NAMES, X.T.astype(int), strict=True))),
}
every_table = pytest.mark.parametrize("kind", TABLES.values(), ids=TABLES)


class TestTableOfNumbers:
    @every_table
    def test_gives_the_model_of_the_array(self, kind):
        clf = HGDClassifier()
        assert learned(kind(WHOLE), clf=clf) == learned(WHOLE)
        assert clf.feature_names_in_.tolist() == NAMES
        assert clf.n_features_in_ == 5

    @every_table
    def test_of_truths(self, kind):
        table = kind(TRUTHS)
        if isinstance(table, pd.DataFrame):
            assert learned(table.astype(bool)) == learned(table.astype("boolean")) == learned(TRUTHS)
        elif isinstance(table, pl.DataFrame):
            assert learned(table.cast(pl.Boolean)) == learned(TRUTHS)
        else:
            assert learned(pa.table({name: table.column(name).cast(pa.bool_()) for name in NAMES})) == learned(TRUTHS)

    @pytest.mark.parametrize("dtype", ["Int64", "Float64", "double[pyarrow]"])
    def test_with_gaps_takes_them_as_missing(self, dtype):
        gaps = np.where(WHOLE < 20, np.nan, WHOLE)
        expected = learned(gaps, clf=HGDClassifier(missing="zero"))
        table = pd.DataFrame(gaps, columns=NAMES)
        for kind in (table.convert_dtypes().astype(dtype), pl.from_pandas(table), pa.Table.from_pandas(table), table):
            assert learned(kind, clf=HGDClassifier(missing="zero")) == expected

    @every_table
    @pytest.mark.parametrize(
        ("columns", "told"),
        [(list("abced"), "same order"), (list("abcdf"), "unseen at fit time:\n- f\n.*now missing:\n- e"),
         (list("abcd"), "now missing:\n- e")],
        ids=["reordered", "other", "fewer"],
    )  # fmt: skip
    def test_must_keep_its_columns(self, kind, columns, told):
        clf = HGDClassifier()
        clf.learn(kind(WHOLE), Y)
        before = bits.state_of(clf)
        other = pd.DataFrame(WHOLE[:, : len(columns)], columns=columns)
        for ask in (clf.predict, lambda rows: clf.learn(rows, Y)):
            with pytest.raises(DataError, match=f"(?s){told}"):
                ask(other)
        assert bits.state_of(clf) == before
