"""The command line: tables for people and programs, errors in one sentence, and the document that shows the tables."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import poise
from poise import learners, methods
from poise.cli import main

ROOT = Path(__file__).parents[1]
DOCUMENT = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
PLUGIN = "import poise\n@poise.method({name!r}, weight=2.0)\ndef {name}(row, ledger, memo, p, rng):\n    return p.weight\n"


pytestmark = pytest.mark.usefixtures("forget_own_methods")


@pytest.fixture
def says(capsys):
    """Run a verb that succeeds; returns what it prints."""

    def run(*arguments):
        assert main(list(map(str, arguments))) == 0
        told = capsys.readouterr()
        assert told.err == ""
        return told.out

    return run


@pytest.fixture
def refuses(capsys):
    """Run a verb that fails; returns its exit code and its sentence."""

    def run(*arguments):
        code = main(list(map(str, arguments)))
        told = capsys.readouterr()
        assert told.out == ""
        assert told.err.count("\n") == 1
        assert "Traceback" not in told.err
        return code, told.err.rstrip("\n")

    return run


def plugin(folder, name):
    path = folder / f"{name}.py"
    path.write_text(PLUGIN.format(name=name), encoding="utf-8")
    return path


def command(*arguments, **options):
    """Run ``python -m poise`` in a new interpreter."""
    called = [sys.executable, "-W", "error", "-m", "poise", *arguments]
    return subprocess.run(called, capture_output=True, text=True, check=False, **options)


class TestMethods:
    def test_as_a_table_have_a_line_each_with_all_that_is_known(self, says):
        head, *lines = says("methods").splitlines()
        assert head.split() == ["name", "title", "family", "parameters", "paper", "standing"]
        assert [line.split()[0] for line in lines] == [entry.name for entry in methods.table()]
        hgd = next(line for line in lines if line.startswith("hgd "))
        for told in ("Harmonized gradient descent", "weighting", "clamp=100.0", "memory=None", "arXiv 2508.11353", "firm"):
            assert told in hgd

    def test_as_json_are_what_the_registry_holds(self, says):
        found = json.loads(says("methods", "--json"))
        assert [line["name"] for line in found] == [entry.name for entry in methods.table()]
        for line, entry in zip(found, methods.table(), strict=True):
            expected = {"title": entry.title, "family": entry.family, "paper": entry.paper, "standing": entry.standing}
            assert line == {"name": entry.name, "parameters": entry.parameters, **expected}

    @pytest.mark.parametrize("name", methods.names())
    def test_one_of_them_is_told_with_the_meaning_of_each_parameter(self, says, name):
        told = json.loads(says("methods", name, "--json"))
        assert told["about"].endswith(".")
        assert told["meanings"].keys() == methods.get(name).parameters.keys()
        assert [parameter for parameter, meaning in told["meanings"].items() if not meaning] == []
        text, markdown = says("methods", name), says("methods", "--markdown", name)
        assert text.startswith(f"{name}: ")
        assert max(map(len, text.splitlines())) <= 100
        for parameter, default in told["parameters"].items():
            assert f"\n{parameter} = {default!r}: " in text
            assert f"\n- {parameter} = {default!r}: " in markdown

    def test_include_those_of_every_plugin(self, says, tmp_path):
        found = says("methods", "--plugin", plugin(tmp_path, "two"), "--plugin", plugin(tmp_path, "three"), "--json")
        assert {"two", "three", "hgd"} <= {line["name"] for line in json.loads(found)}
        assert next(line for line in json.loads(found) if line["name"] == "two")["parameters"]["weight"] == 2.0

    def test_of_a_plugin_can_be_told_by_name(self, says):
        told = says("methods", "rarity", "--plugin", ROOT / "examples" / "own_method.py")
        assert "Weight a row by the share of the largest class over the share of its own." in told
        assert "ceiling = 100.0: Largest weight." in told
        assert "standing: own" in told

    @pytest.mark.parametrize("form", ["text", "markdown"])
    def test_stay_in_their_cells(self, says, form):
        poise.method("odd", title="a | b\nc", weight=1.0)(lambda row, ledger, memo, p, rng: 1.0)
        lines = says("methods", *(["--markdown"] if form == "markdown" else [])).splitlines()
        (odd,) = [line for line in lines if "odd" in line.split()]
        assert ("a \\| b c" if form == "markdown" else "a | b c") in odd


class TestLearners:
    def test_as_a_table_have_a_line_each(self, says):
        head, *lines = says("learners").splitlines()
        assert head.split() == ["name", "title", "family", "loss", "parameters", "paper", "standing"]
        assert [line.split()[0] for line in lines] == learners.names()

    def test_as_json_tell_their_parameters(self, says):
        found = {line["name"]: line for line in json.loads(says("learners", "--json"))}
        assert found["fourier"]["parameters"] == {"features": 256, "gamma": "scale"}
        assert found["svm"]["loss"] == "hinge"


class TestErrors:
    @pytest.mark.parametrize(
        ("arguments", "match"),
        [
            ([], r"^poise: .*VERB; poise --help tells what is possible\.$"),
            (["teach"], r"^poise: argument VERB: invalid choice: 'teach' .*; poise --help"),
            (["methods", "hgd", "ogd"], r"^poise: unrecognized arguments: ogd; poise --help"),
            (["methods", "--plugin"], r"^poise methods: argument --plugin: expected one argument; poise methods --help"),
            (["methods", "--json", "--markdown"], r"^poise methods: argument --markdown: not allowed with argument --json; "),
        ],
        ids=str,
    )
    def test_of_usage_are_one_sentence_and_exit_with_2(self, refuses, arguments, match):
        code, told = refuses(*arguments)
        assert code == 2
        assert re.search(match, told)

    def test_of_poise_are_one_sentence_and_exit_with_1(self, refuses, tmp_path):
        code, told = refuses("methods", "hdg")
        assert (code, told[:24], told[-21:]) == (1, "poise: method is 'hdg'; ", ": did you mean 'hgd'?")
        code, told = refuses("methods", "--plugin", tmp_path / "no.py")
        assert code == 1
        assert told.endswith("no.py' is no file; give the path of a Python file that registers a method.")
        broken = tmp_path / "broken.py"
        broken.write_text("1 / 0", encoding="utf-8")
        code, told = refuses("methods", "--plugin", broken)
        assert code == 1
        assert told.endswith("broken.py' fails (ZeroDivisionError: division by zero); repair it.")

    def test_interruption_ends_quietly(self, refuses, monkeypatch, capsys):
        def interrupted():
            raise KeyboardInterrupt

        monkeypatch.setattr(learners, "table", interrupted)
        assert main(["learners"]) == 130
        assert capsys.readouterr() == ("", "")


class TestCommand:
    def test_says_its_version(self):
        done = command("--version")
        assert (done.returncode, done.stdout, done.stderr) == (0, f"poise {poise.__version__}\n", "")

    def test_is_the_one_that_installing_poise_brings(self):
        assert '[project.scripts]\npoise = "poise.cli:main"\n' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")

    def test_names_its_verbs_when_asked(self):
        done = command("--help")
        assert done.returncode == 0
        assert all(verb in done.stdout for verb in ("methods", "learners", "--version"))

    @pytest.mark.skipif(sys.platform == "win32", reason="needs pipes as POSIX has them")
    def test_ends_quietly_when_nobody_reads_on(self):
        program = [sys.executable, "-m", "poise", "methods"]
        with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
            running.stdout.close()
            assert running.stderr.read() == b""
            assert running.wait() == 141

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
    def test_says_when_there_is_no_room_for_its_output(self):
        with Path("/dev/full").open("w") as full:
            done = subprocess.run([sys.executable, "-m", "poise", "methods"], stdout=full, stderr=subprocess.PIPE, check=False)
        assert done.returncode == 1
        assert (
            done.stderr == b"poise: the output cannot be written (No space left on device); make room or choose another place.\n"
        )

    def test_prints_letters_that_the_output_does_not_know_otherwise(self, tmp_path):
        path = tmp_path / "odd.py"
        path.write_text(PLUGIN.format(name="odd").replace("weight=2.0", "title='\u03b3', weight=2.0"), encoding="utf-8")
        done = command("methods", "--plugin", str(path), env={**os.environ, "PYTHONIOENCODING": "ascii"})
        assert done.returncode == 0, done.stderr
        assert "\\u03b3" in done.stdout


class TestDocument:
    """docs/methods.md."""

    @pytest.mark.parametrize("verb", ["methods", "learners"])
    def test_shows_the_tables_as_the_command_prints_them(self, verb):
        printed = command(verb, "--markdown").stdout
        assert f"As `poise {verb} --markdown` prints them.\n\n{printed}\n" in DOCUMENT

    def test_explains_every_standing(self):
        assert {entry.standing for entry in methods.table()} == {"firm", "derived", "reconstructed", "stand-in"}
        rows = re.findall(r"^\| ([\w-]+) \| .+ \|$", DOCUMENT.partition("## Standing")[2].partition("\n## ")[0], re.MULTILINE)
        assert rows == ["standing", *methods.registry.STANDINGS, "own"]

    def test_has_examples_of_own_methods_that_learn(self):
        X, y = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 20, [0, 1, 1] * 20
        scope = {"poise": poise}
        examples = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)
        assert len(examples) == 3
        for example in examples:
            exec(example, scope)
        assert poise.StreamClassifier("rarity").fit(X, y).score(X, y) == 1.0
        assert poise.StreamClassifier("careful", "svm").fit(X, y).n_seen_ == 60
        assert scope["clf"].method.ceiling == 10.0
