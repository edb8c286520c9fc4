"""The demo: it runs as it is called in the README, and shows what HGD is for."""

import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STREAMS = ("card fraud 1:500", "digits, 8 or not", "digits, all ten")
METHODS = ("OGD", "HGD")


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """Run the demo once; returns what it printed and where its figure is."""
    out = tmp_path_factory.mktemp("demo") / "not yet there"
    called = [sys.executable, ROOT / "examples" / "demo.py", "--quick", "--out", out]
    done = subprocess.run(called, capture_output=True, text=True, check=False, cwd=out.parent)
    assert done.returncode == 0, done.stderr
    return done, out


@pytest.fixture(scope="module")
def table(demo):
    """Return the table that was printed: its measures by stream and method."""
    lines = demo[0].stdout.splitlines()
    names = re.split(r"\s{2,}|\s(?=F1|AUC)", lines[0].strip())
    found = {}
    for line in lines[1:-1]:
        stream, method = line[:22].strip(), line[23:28].strip()
        found[stream, method] = dict(zip(names[1:], (float(word.replace(",", "")) for word in line[28:].split()), strict=True))
    return found


def test_has_a_row_for_each_stream_and_method_in_order(table):
    assert list(table) == [(stream, method) for stream in STREAMS for method in METHODS]


def test_shows_all_measures_within_their_range(table):
    for measures in table.values():
        assert list(measures) == ["rows", "AUC", "G-mean", "F1", "worst recall", "rows/second"]
        assert all(0.0 <= measures[name] <= 1.0 for name in ("AUC", "G-mean", "F1", "worst recall"))
        assert measures["rows"] > 1000
        assert measures["rows/second"] > 0


@pytest.mark.parametrize("stream", STREAMS)
def test_hgd_serves_the_class_that_fares_worst_better_than_ogd_on_every_stream(table, stream):
    assert table[stream, "HGD"]["worst recall"] > table[stream, "OGD"]["worst recall"]
    assert table[stream, "HGD"]["G-mean"] > table[stream, "OGD"]["G-mean"]


def test_hgd_finds_most_frauds_and_ogd_hardly_any(table):
    fraud = {method: table["card fraud 1:500", method]["worst recall"] for method in METHODS}
    assert fraud["HGD"] > 0.6
    assert fraud["OGD"] < 0.1


def test_draws_a_figure_where_it_was_asked_to_and_says_so(demo):
    done, out = demo
    assert [path.name for path in out.iterdir()] == ["demo.png"]
    assert done.stdout.splitlines()[-1] == f"figure: {out / 'demo.png'}"
    image = (out / "demo.png").read_bytes()
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", image[16:24])
    assert min(width, height) > 300
    assert len(image) > 10_000


def test_writes_nothing_but_its_progress_on_the_side(demo):
    assert re.fullmatch(r"demo: ([\d,]+) of \1 rows, 100 %.*\n", demo[0].stderr)
    assert list(demo[1].parent.iterdir()) == [demo[1]]
