"""No file makes load crash, run code or take much memory: what is no whole model is refused with a reason and a remedy."""

import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bits
import file_parts
import hostile_files
from poise import HGDClassifier, load
from poise.classifier import from_bytes, to_bytes
from poise.errors import DataError, FileError

RESOURCE = pytest.importorskip("resource") if sys.platform != "win32" else None
ROOM = 64 << 20


def refusal_of(path):
    """Return why a file is refused, or None when it is not; measures the memory of it."""
    tracemalloc.start()
    try:
        load(path)
    except FileError as refused:
        size, most = path.stat().st_size, tracemalloc.get_traced_memory()[1]
        assert most <= 2 * size + ROOM, f"{most} bytes of memory for a file of {size}"
        return str(refused)
    finally:
        tracemalloc.stop()
    return None


@pytest.mark.parametrize("subject", hostile_files.SUBJECTS)
def test_files_that_are_no_whole_model_are_refused_with_a_reason_and_a_remedy(subject, tmp_path):
    path, marker = tmp_path / "m.poise", tmp_path / "marker"
    unclear, accepted = {}, []
    for name, data in hostile_files.SUBJECTS[subject](str(marker)):
        path.write_bytes(data)
        told = refusal_of(path)
        assert not marker.exists(), name
        if told is None:
            accepted.append(name)
        elif not (
            told.startswith(f"{path}: ") and told.endswith(".") and "; " in told and len(told) < 500 and told.isprintable()
        ):
            unclear[name] = told
    assert accepted == []
    assert unclear == {}


def test_the_corpus_is_large_and_made_the_same_each_time(tmp_path):
    corpus = [dict(make(str(tmp_path))) for make in hostile_files.SUBJECTS.values()]
    again = [dict(make(str(tmp_path))) for make in hostile_files.SUBJECTS.values()]
    assert [sorted(files) for files in corpus] == [sorted(files) for files in again]
    assert sum(map(len, corpus)) > 200
    for files, others in zip(corpus, again, strict=True):
        assert [name for name, data in files.items() if data != others[name]] == []


def test_good_files_of_the_corpus_are_good():
    for kind in ("binary", "four classes", "dicts", "hashed", "raw"):
        data = file_parts.good(kind)
        assert from_bytes(file_parts.with_tensors(kind), "m").n_seen_ in {20, 30}
        assert from_bytes(file_parts.with_facts(kind), "m").n_seen_ in {20, 30}
        assert to_bytes(from_bytes(data, "m")) == data


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs a limit of memory")
def test_no_hostile_file_takes_more_than_64_megabytes_beside_itself(tmp_path):
    for subject, make in hostile_files.SUBJECTS.items():
        for k, (_, data) in enumerate(make(str(tmp_path / "marker"))):
            (tmp_path / f"{subject} {k}").write_bytes(data)
    program = """
import pathlib, resource, sys
from poise import load
from poise.errors import FileError
refused = 0
paths = sorted(pathlib.Path(sys.argv[1]).iterdir())
now = int(pathlib.Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + (64 << 20) + 2 * max(p.stat().st_size for p in paths),) * 2)
for path in paths:
    try:
        load(path)
    except FileError:
        refused += 1
print(refused, len(paths))
"""
    done = subprocess.run([sys.executable, "-c", program, tmp_path], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    refused, files = map(int, done.stdout.split())
    assert refused == files > 200


@pytest.fixture(scope="module")
def small():
    """Return a model file of about 4 KB."""
    clf = HGDClassifier()
    clf.learn(*bits.plain(40, 60, 2))
    data = to_bytes(clf)
    assert 3000 < len(data) < 5000
    return data


def opened(data):
    """Return the model that a file holds, or why it is refused."""
    try:
        return from_bytes(data, "m.poise")
    except FileError as refused:
        return str(refused)


def is_refused(data):
    return isinstance(opened(data), str)


def test_every_flip_of_a_single_bit_is_noticed(small):
    damaged = bytearray(small)
    missed = []
    for byte in range(len(small)):
        for bit in range(8):
            damaged[byte] ^= 1 << bit
            if not is_refused(bytes(damaged)):
                missed.append((byte, bit))
            damaged[byte] ^= 1 << bit
    assert missed == []
    assert not is_refused(bytes(damaged))


def test_every_cut_is_noticed(small):
    assert [at for at in range(len(small)) if not is_refused(small[:at])] == []
    assert [at for at in range(1, len(small)) if not is_refused(small[at:])] == []


def test_every_missing_or_doubled_byte_is_noticed(small):
    assert [at for at in range(len(small)) if not is_refused(small[:at] + small[at + 1 :])] == []
    assert [at for at in range(len(small)) if not is_refused(small[: at + 1] + small[at:])] == []


def test_swapped_stretches_are_noticed(small):
    for at in range(0, len(small) - 16, 8):
        swapped = small[:at] + small[at + 8 : at + 16] + small[at : at + 8] + small[at + 16 :]
        assert swapped == small or is_refused(swapped), at


@settings(max_examples=1500, deadline=None, derandomize=True, database=None)
@given(
    kind=st.sampled_from(["binary", "four classes", "dicts", "hashed", "raw"]),
    changes=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=4),
    in_header=st.booleans(),
)
def test_damage_under_a_right_checksum_is_refused_or_leaves_a_model_that_works(kind, changes, in_header):
    data = file_parts.good(kind)
    size = int.from_bytes(data[:8], "little")
    header, body = bytearray(data[8 : 8 + size]), bytearray(data[8 + size :])
    for place, value in changes:
        part = header if in_header else body
        part[int(place * len(part))] = value
    clf = opened(file_parts.sealed(header.decode("latin-1"), bytes(body)))
    if isinstance(clf, str):
        assert clf.startswith("m.poise: ")
        return
    told = "learned"
    X, y = bits.plain(20, 5, 2)
    named = kind in {"dicts", "hashed"}
    rows = [{"a": 1.0, "b": "x"}, {"new": 2.0}, {"b": "new", "a": -1e9}] if named else X
    try:
        with np.errstate(all="ignore"):
            clf.predict(rows)
            clf.learn(rows, [0, 1, 0] if named else y)
            clf.learn_one(rows[0], 1)
    except DataError as refused:
        told = str(refused)
    assert told
