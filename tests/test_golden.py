"""Model files of this and of earlier releases: they load, answer and go on learning to the last bit."""

import hashlib
import json
import re

import pytest

import bits
from golden import make
from poise import FileError, __version__, files, load
from poise.classifier import from_bytes, to_bytes
from poise.files import FORMAT

EXPECTED = json.loads(make.EXPECTED.read_text(encoding="utf-8"))
every_file = pytest.mark.parametrize("name", EXPECTED)


def test_there_is_a_file_of_each_kind_in_this_format_and_no_other():
    assert sorted(path.name for path in make.FOLDER.glob("*.poise")) == sorted(EXPECTED)
    assert {f"{kind}.format{FORMAT}.poise" for kind in make.KINDS} <= EXPECTED.keys()


@every_file
class TestFile:
    def test_is_the_one_that_was_made(self, name):
        data = (make.FOLDER / name).read_bytes()
        assert hashlib.sha256(data).hexdigest() == EXPECTED[name]["sha256"]
        assert len(data) < 10_000

    def test_loads_and_answers_to_the_last_bit(self, name):
        assert make.answers(load(make.FOLDER / name), EXPECTED[name]["kind"]) == EXPECTED[name]["answers"]

    @pytest.mark.parametrize("one_by_one", [False, True])
    def test_goes_on_learning_to_the_last_bit(self, name, one_by_one):
        kind, clf = EXPECTED[name]["kind"], load(make.FOLDER / name)
        X, y = make.parts(kind)[1]
        if one_by_one:
            for row, label in enumerate(y):
                clf.learn(X[row : row + 1], [label])
        else:
            clf.learn(X, y)
        assert make.answers(clf, kind) == EXPECTED[name]["later answers"]
        assert make.fingerprint(clf) == EXPECTED[name]["later state"]

    def test_goes_on_after_being_saved_again(self, name, tmp_path):
        kind, clf = EXPECTED[name]["kind"], load(make.FOLDER / name)
        clf.save(tmp_path / "m.poise")
        again = load(tmp_path / "m.poise")
        bits.assert_same_state(again, clf)
        again.learn(*make.parts(kind)[1])
        assert make.fingerprint(again) == EXPECTED[name]["later state"]

    def test_holds_what_the_same_rows_lead_to_today(self, name):
        kind, clf = EXPECTED[name]["kind"], load(make.FOLDER / name)
        bits.assert_same_state(make.taught(kind), clf)
        assert clf.get_params() == make.taught(kind).get_params()
        assert to_bytes(make.taught(kind)) == to_bytes(clf)


def test_a_file_of_a_newer_format_is_refused_with_both_versions_and_the_remedy(monkeypatch):
    monkeypatch.setattr(files, "FORMAT", FORMAT + 1)
    newer = files.pack({}, {"poise": "9.8.7"})
    monkeypatch.undo()
    told = f"format {FORMAT + 1}, written by poise '9.8.7', and this poise {__version__} reads formats up to {FORMAT}"
    with pytest.raises(FileError, match=re.escape(told) + "; install a newer poise"):
        from_bytes(newer, "m.poise")


def test_the_maker_refuses_to_touch_what_is_there(capsys):
    before = {path: path.read_bytes() for path in make.FOLDER.iterdir() if path.is_file()}
    make.main()
    assert {path: path.read_bytes() for path in make.FOLDER.iterdir() if path.is_file()} == before
    assert capsys.readouterr().out.count("left as it is") == len(make.KINDS)
