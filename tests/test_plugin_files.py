"""Own methods from elsewhere: a file that is named, what installed packages offer, and the example."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from poise import StreamClassifier, methods
from poise.errors import ParameterError

ROWS = [[0.0], [1.0], [2.0]]
pytestmark = pytest.mark.usefixtures("forget_own_methods")


TWO = """
import poise

@poise.method("two", weight=2.0)
def two(row, ledger, memo, p, rng):
    '''Count each row twice.'''
    return p.weight
"""


class TestPluginFile:
    def write(self, folder, text, name="mine.py"):
        path = folder / name
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    @pytest.mark.parametrize("given_as", [str, lambda path: path], ids=["text", "Path"])
    def test_registers_what_it_defines(self, given_as, tmp_path):
        assert methods.load_plugin(given_as(self.write(tmp_path, TWO))) == ["two"]
        assert methods.get("two").title == "Count each row twice."
        assert StreamClassifier("two").fit(ROWS, [0, 1, 1]).n_seen_ == 3

    @pytest.mark.parametrize(
        ("text", "match"),
        [
            ("x = 1", r"registers no method; decorate a function with @poise\.method\('name'\)\.$"),
            ("def broken(:", "fails .SyntaxError: .*; repair it"),
            ("import no_such_package", r"fails .ModuleNotFoundError: No module named 'no_such_package'.; repair it\.$"),
            (TWO + "\n1 / 0", "fails .ZeroDivisionError: division by zero.; repair it"),
            (TWO + "\nraise SystemExit(3)", "fails .SystemExit: 3.; repair it"),
            (TWO.replace('"two"', '"hgd"'), "fails .method name 'hgd' is taken by 'Harmonized gradient descent'"),
        ],
    )
    def test_that_fails_is_told_by_its_path_and_registers_nothing(self, text, match, tmp_path):
        before = methods.names()
        path = self.write(tmp_path, text)
        with pytest.raises(ParameterError, match=match) as refused:
            methods.load_plugin(path)
        assert str(refused.value).startswith(f"plugin '{path}' ")
        assert methods.names() == before

    def test_that_is_no_file_is_refused(self, tmp_path):
        for path in (tmp_path, tmp_path / "no.py"):
            with pytest.raises(ParameterError, match=r"is no file; give the path of a Python file that registers a method\.$"):
                methods.load_plugin(path)
        with pytest.raises(ParameterError, match=r"its name must end in \.py"):
            methods.load_plugin(self.write(tmp_path, TWO, "mine.txt"))


def offering(folder, name, text, *, target=None):
    """Write what an installed package with an entry point looks like."""
    (folder / f"{name}.py").write_text(text, encoding="utf-8")
    facts = folder / f"{name}-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    (facts / "entry_points.txt").write_text(f"[poise.methods]\n{name} = {target or name}\n", encoding="utf-8")


def fresh(program, folder, *options):
    """Run a program in a new interpreter that finds packages in a folder."""
    called = [sys.executable, *options, "-c", textwrap.dedent(program)]
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    return subprocess.run(called, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": path})


class TestEntryPoints:
    def test_of_installed_packages_are_methods_like_any_other(self, tmp_path):
        offering(tmp_path, "two", TWO)
        done = fresh(
            """
            import sys, poise
            assert "two" not in sys.modules  # only when it is asked for
            print(poise.StreamClassifier("two").fit([[0.0], [1.0]], [0, 1]).n_seen_, "two" in poise.methods.names())
            """,
            tmp_path,
            "-W",
            "error",
        )
        assert (done.stdout, done.stderr) == ("2 True\n", "")

    def test_are_found_by_load(self, tmp_path):
        offering(tmp_path, "two", TWO)
        saved = tmp_path / "m.poise"
        save = f"import poise; poise.StreamClassifier('two').fit([[0.0], [1.0]], [0, 1]).save({str(saved)!r})"
        assert fresh(save, tmp_path).returncode == 0
        done = fresh(f"import poise; print(poise.load({str(saved)!r}).method)", tmp_path)
        assert (done.stdout, done.stderr) == ("two\n", "")

    def test_that_fail_are_left_out_with_a_warning(self, tmp_path):
        offering(tmp_path, "broken", "1 / 0")
        offering(tmp_path, "two", TWO)
        done = fresh("import poise; print(*[n for n in poise.methods.names() if n in ('two', 'hgd')])", tmp_path)
        assert done.stdout == "hgd two\n"
        assert "Entry point 'broken' of poise.methods fails (ZeroDivisionError: division by zero) and is left out" in done.stderr


class TestExample:
    def test_prints_a_table_of_three_methods(self):
        example = Path(__file__).parents[1] / "examples" / "own_method.py"
        done = subprocess.run([sys.executable, example, "--rows", "40000"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        head, *rows = done.stdout.splitlines()
        assert head.split() == ["method", "AUC", "G-mean", "F1", "fraud", "recall"]
        found = {row.split()[0]: [float(cell) for cell in row.split()[1:]] for row in rows}
        assert list(found) == ["ogd", "hgd", "rarity"]
        assert found["rarity"][1] > found["ogd"][1] + 0.2
