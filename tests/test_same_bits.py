"""The same rows give the same bits: in any blocks, in any layout, in any thread, in any build of the loop."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import bits
import poise
from poise import _core

KINDS = {"plain": bits.plain, "special": bits.special}
PIECES = {"one by one": [1] * 90, "in pieces": [1, 31, 2, 32, 7, 17], "in halves": [45, 45]}
RAW = {"raw": {"standardize": None}, "raw average": {"standardize": None, "average": 0.5}}

every_width = pytest.mark.parametrize("width", bits.WIDTHS)
every_kind = pytest.mark.parametrize("kind", KINDS)
two_and_four = pytest.mark.parametrize("classes", [2, 4])
every_setting = pytest.mark.parametrize("setting", bits.SETTINGS)


def cut(X, y, sizes):
    """Yield a block of rows and labels for each size."""
    at = 0
    for size in sizes:
        yield X[at : at + size], y[at : at + size]
        at += size


@every_setting
@every_kind
@two_and_four
class TestAnyBlocks:
    @pytest.mark.parametrize("sizes", PIECES.values(), ids=PIECES)
    @pytest.mark.parametrize("layout", [np.asarray, sp.csr_array], ids=["dense", "csr"])
    def test_give_the_bits_of_one_block(self, setting, kind, classes, sizes, layout):
        for width in bits.WIDTHS[::3]:
            X, y = KINDS[kind](90, width, classes)
            whole, pieces, known = bits.model(setting), bits.model(setting), list(range(classes))
            scores = whole.learn(layout(X), y, classes=known)
            found = [pieces.learn(layout(rows), labels, classes=known) for rows, labels in cut(X, y, sizes)]
            bits.assert_same_numbers(np.concatenate(found), scores)
            bits.assert_same_state(pieces, whole)

    @pytest.mark.parametrize("sizes", PIECES.values(), ids=PIECES)
    def test_give_the_same_state_while_classes_arrive(self, setting, kind, classes, sizes):
        for width in bits.WIDTHS[1::3]:
            X, y = KINDS[kind](90, width, classes)
            whole, pieces = bits.model(setting), bits.model(setting)
            scores = whole.learn(X, y)
            found = [pieces.learn(rows, labels) for rows, labels in cut(X, y, sizes)]
            bits.assert_same_state(pieces, whole)
            last = np.concatenate([block for block in found if block.shape[1:] == scores.shape[1:]])
            assert len(last) >= 17
            bits.assert_same_numbers(last, scores[-len(last) :])

    def test_give_the_bits_of_single_rows(self, setting, kind, classes):
        for width in bits.WIDTHS:
            X, y = KINDS[kind](90, width, classes)
            whole, single = bits.model(setting), bits.model(setting)
            scores = whole.learn(X, y, classes=range(classes))
            single.learn(X[:1], y[:1], classes=range(classes))
            bits.assert_same_numbers(
                [single.learn_one(x, label) for x, label in zip(X[1:], y[1:].tolist(), strict=True)], scores[1:]
            )
            bits.assert_same_state(single, whole)
            bits.assert_same_numbers([single.decision_one(x) for x in X], whole.decision_function(X))

    def test_learned_without_scores_leave_the_same_state(self, setting, kind, classes):
        for width in bits.WIDTHS:
            X, y = KINDS[kind](90, width, classes)
            scored, unscored = bits.model(setting), bits.model(setting)
            scored.learn(X, y, classes=range(classes))
            unscored.partial_fit(X, y, classes=range(classes))
            bits.assert_same_state(unscored, scored)


@every_setting
@two_and_four
def test_long_blocks_give_the_bits_of_short_ones(setting, classes):
    X, y = bits.plain(1300, 5, classes)
    whole, pieces = bits.model(setting), bits.model(setting)
    scores = whole.learn(X, y, classes=range(classes))
    found = [pieces.learn(rows, labels, classes=range(classes)) for rows, labels in cut(X, y, [511, 1, 3, 512, 7, 266])]
    bits.assert_same_numbers(np.concatenate(found), scores)
    bits.assert_same_state(pieces, whole)


def layouts(X, folder):
    """Yield the same rows in every layout that is learned from without a copy, and in some that need one."""
    spaced = np.full((2 * X.shape[0], 3 * X.shape[1]), np.nan)
    spaced[::2, 1::3] = X
    frozen = X.copy()
    frozen.flags.writeable = False
    np.save(folder / "rows.npy", X)
    unsorted = sp.csr_array(X[:, ::-1])
    unsorted.indices = (X.shape[1] - 1 - unsorted.indices).astype(unsorted.indices.dtype)
    unsorted.has_sorted_indices = False
    zeros = sp.csr_array(np.where(X == 0.0, 1.0, X))
    zeros.data = X.ravel()
    yield "every second row, every third column", spaced[::2, 1::3]
    yield "columns apart", np.repeat(X, 2, axis=1)[:, ::2]
    yield "upside down", np.ascontiguousarray(X[::-1])[::-1]
    yield "right to left", np.ascontiguousarray(X[:, ::-1])[:, ::-1]
    yield "column by column", np.asfortranarray(X)
    yield "read-only", frozen
    yield "memory-mapped", np.load(folder / "rows.npy", mmap_mode="r")
    yield "one column short of a wider array", np.hstack([X, np.full((len(X), 1), np.nan)])[:, :-1]
    yield "big-endian", X.astype(">f8")
    yield "csr32", sp.csr_array(X)
    yield "csr64", bits.wide_csr(X)
    yield "csr with zeros", zeros
    yield "csr unsorted", unsorted
    yield "csc", sp.csc_array(X)


def learned(clf, rows, y):
    """Return all that learning the rows leads to, as bytes."""
    return clf.learn(rows, y).tobytes(), clf.decision_function(rows).tobytes(), bits.state_of(clf)


@every_width
@every_kind
@two_and_four
def test_every_layout_gives_the_bits_of_a_plain_array(width, kind, classes, tmp_path):
    X, y = KINDS[kind](60, width, classes)
    for setting in bits.SETTINGS:
        expected = learned(bits.model(setting), X, y)
        other = [name for name, rows in layouts(X, tmp_path) if learned(bits.model(setting), rows, y) != expected]
        assert (setting, other) == (setting, [])


@pytest.mark.parametrize("setting", RAW)
@two_and_four
def test_rows_taken_as_they_are_give_the_same_bits_dense_and_sparse(setting, classes):
    for width in bits.WIDTHS:
        X, y = bits.plain(200, width, classes)
        dense, sparse = poise.StreamClassifier(**RAW[setting]), poise.StreamClassifier(**RAW[setting])
        bits.assert_same_numbers(dense.learn(X / 100, y), sparse.learn(sp.csr_array(X / 100), y))
        bits.assert_same_state(dense, sparse)


@two_and_four
def test_a_column_long_gone_gives_the_same_bits_dense_and_sparse(classes):
    """Its part of the average fades below the smallest number; the sign of what is left must not tell how it was stored."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(3000, 9))
    for j in range(8):
        X[j + 1 :, j] = 0.0
    y = rng.integers(classes, size=3000)
    dense, sparse = (poise.StreamClassifier(standardize=None, average=0.5, eta0=0.1) for _ in range(2))
    bits.assert_same_numbers(dense.learn(X, y), sparse.learn(sp.csr_array(X), y))
    bits.assert_same_state(dense, sparse)


@every_width
@two_and_four
def test_single_precision_rows_give_the_bits_of_their_copy_in_double_precision(width, classes):
    X, y = bits.plain(90, width, classes)
    narrow = X.astype(np.float32)
    for setting in bits.SETTINGS:
        expected, single = learned(bits.model(setting), narrow.astype(np.float64), y), bits.model(setting)
        for rows in (narrow, np.asfortranarray(narrow), np.repeat(narrow, 2, axis=1)[:, ::2], narrow[::-1].copy()[::-1]):
            assert learned(bits.model(setting), rows, y) == expected
        for x, label in zip(narrow, y.tolist(), strict=True):
            single.learn_one(x, label)
        assert bits.state_of(single) == expected[2]


@every_width
@every_kind
@two_and_four
def test_a_row_as_dict_or_table_gives_the_bits_of_an_array(width, kind, classes):
    """Rows of dicts count each column by itself, so only what is kept for that purpose differs."""
    X, y = KINDS[kind](60, width, classes)
    names = [f"c{j}" for j in range(width)]
    table = pd.DataFrame(X, columns=names)
    dicts = [dict(zip(names, row, strict=True)) for row in X.tolist()]
    counts = ("names", "columns", "column_kind", "scaler_count", "tally_counts")
    for setting in ("center", "softmax sqrt", "center ball"):
        array, tabled, named, single = (bits.model(setting) for _ in range(4))
        scores = array.learn(X, y, classes=range(classes))
        bits.assert_same_numbers(tabled.learn(table, y, classes=range(classes)), scores)
        bits.assert_same_numbers(named.learn(dicts, y, classes=range(classes)), scores)
        single.learn(dicts[:1], y[:1], classes=range(classes))
        bits.assert_same_numbers(
            [single.learn_one(x, label) for x, label in zip(dicts[1:], y[1:].tolist(), strict=True)], scores[1:]
        )
        bits.assert_same_state(tabled, array, but=["names"])
        bits.assert_same_state(single, named)
        bits.assert_same_state(named, array, but=counts)
        bits.assert_same_numbers(
            named._model.tensors()["tally_counts"][0, [0, 2, 3]], array._model.tensors()["tally_counts"][0, [0, 2, 3]]
        )
        bits.assert_same_numbers([single.decision_one(x) for x in dicts], array.decision_function(X))


def test_models_in_many_threads_give_the_bits_of_models_one_after_the_other():
    jobs = [(setting, width, classes) for setting in bits.SETTINGS for width in (7, 31, 100) for classes in (2, 4)]

    def work(job):
        setting, width, classes = job
        X, y = bits.special(2000, width, classes)
        clf = bits.model(setting)
        rows = sp.csr_array(X) if width == 31 else X
        return clf, clf.learn(rows, y), clf.decision_function(rows)

    serial = [work(job) for job in jobs]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(work, jobs))
    for (one, scores, answers), (other, expected, wanted) in zip(together, serial, strict=True):
        bits.assert_same_numbers(scores, expected)
        bits.assert_same_numbers(answers, wanted)
        bits.assert_same_state(one, other)


def built_with(cpu):
    """Return the build of the loop in use and its digest, from an interpreter of its own."""
    paths = [Path(poise.__file__).parents[1], Path(bits.__file__).parent, *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths)), "POISE_CPU": cpu}
    done = subprocess.run([sys.executable, bits.__file__], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_every_build_of_the_loop_gives_the_same_bits():
    fastest, *others = _core.builds()
    if not others:
        pytest.skip("this machine offers the portable build of the loop only")
    name, digest = built_with("")
    assert name == fastest
    assert [built_with(other) for other in others] == [[other, digest] for other in others]
