"""The public names: sorted, explained, annotated, each with an example that runs, and nothing heavy imported on the way."""

import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import typing
from pathlib import Path

import pytest

import poise
import poise.figures
import poise.river
from poise import HGD, OGD, SVM, HGDClassifier, StreamClassifier, learners, methods
from poise.errors import ParameterError
from poise.methods import Method

API = Path(__file__).parents[1] / "docs" / "api.md"
ROOMS = [name for name, value in vars(poise).items() if inspect.ismodule(value) and name in poise.__all__]
THINGS = [name for name in poise.__all__ if inspect.isclass(getattr(poise, name)) or inspect.isfunction(getattr(poise, name))]
CONSTRUCTORS = [
    *dict.fromkeys(entry.kind for entry in methods.table()), *learners.table(), HGDClassifier, StreamClassifier,
    poise.river.HGDClassifier, poise.river.StreamClassifier,
]  # fmt: skip
every_constructor = pytest.mark.parametrize("kind", CONSTRUCTORS, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")


def modules():
    """Yield every module of the package."""
    yield poise
    for found in pkgutil.walk_packages(poise.__path__, "poise."):
        if found.name != "poise._core":
            yield importlib.import_module(found.name)


def rooms():
    """Return every module that says what is public in it, by name."""
    return {module.__name__: module for module in modules() if hasattr(module, "__all__")}


def public():
    """Yield name and value of every public class and function, and of every public function of a class."""
    for module in modules():
        for name, value in vars(module).items():
            mine = getattr(value, "__module__", None) == module.__name__ and not name.startswith("_")
            if mine and (inspect.isclass(value) or inspect.isfunction(value)):
                yield f"{module.__name__}.{name}", value
                if inspect.isclass(value):
                    yield from verbs(f"{module.__name__}.{name}", value)


def verbs(path, kind):
    for name, value in vars(kind).items():
        function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        if inspect.isfunction(function) and (not name.startswith("_") or name == "__init__"):
            yield f"{path}.{name}", function


PUBLIC = dict(public())


class TestNames:
    def test_are_sorted_each_once_and_there(self):
        """Sorted as ruff does it: capitals, then classes, then the rest."""
        order = {name: (not name.isupper(), not name[0].isupper(), name) for name in poise.__all__}
        assert poise.__all__ == sorted(order, key=order.__getitem__)
        assert [name for name in poise.__all__ if not hasattr(poise, name)] == []

    def test_of_every_room_are_there_and_each_once(self):
        for path, room in rooms().items():
            assert len(room.__all__) == len(set(room.__all__)), path
            assert [name for name in room.__all__ if not hasattr(room, name)] == [], path

    def test_leave_nothing_else_in_the_open(self):
        """What is not listed is a module of the package, or private."""
        other = {name: value for name, value in vars(poise).items() if name not in poise.__all__ and not name.startswith("_")}
        assert [name for name, value in other.items() if not inspect.ismodule(value)] == []

    def test_are_those_of_the_table_in_the_docs(self):
        table = re.search(r"\| name \| is \|\n\|---\|---\|\n((?:\|.*\n)+)", API.read_text())
        rows = [line.strip("| ").split(" | ") for line in table[1].splitlines()]
        assert [row[0].strip("`") for row in rows] == sorted(poise.__all__)
        assert [row for row in rows if len(row) != 2 or not row[1]] == []

    def test_lead_nowhere_new_from_a_star_import(self):
        scope = {}
        exec("from poise import *", scope)
        assert scope.keys() - {"__builtins__"} == set(poise.__all__)


class TestDocstring:
    @pytest.mark.parametrize("name", [*THINGS, *ROOMS])
    def test_begins_with_a_line_that_stands_alone(self, name):
        lines = inspect.getdoc(getattr(poise, name)).split("\n")
        assert lines[0].endswith(".")
        assert len(lines) == 1 or lines[1] == ""

    @pytest.mark.parametrize("path", PUBLIC)
    def test_is_there_for_everything_public_and_begins_the_same_way(self, path):
        if path.endswith("__init__"):
            return
        lines = (PUBLIC[path].__doc__ or "").strip().split("\n")
        assert lines[0].endswith(".")
        assert len(lines) == 1 or lines[1] == ""

    @pytest.mark.parametrize("name", THINGS)
    def test_has_an_example_that_runs(self, name):
        thing = getattr(poise, name)
        tests = [test for test in doctest.DocTestFinder(recurse=False).find(thing, name, globs={}) if test.examples]
        assert len(tests) == 1
        assert any("import" in example.source for example in tests[0].examples)  # it can be copied as it stands
        assert doctest.DocTestRunner(verbose=False).run(tests[0]).failed == 0

    @every_constructor
    def test_names_every_parameter_of_the_constructor(self, kind):
        text = inspect.getdoc(kind)
        section = re.search(r"Parameters\n-+\n(.*?)(?:\n\n|\Z)", text, re.DOTALL)
        named = re.findall(r"[a-z]\w*", " ".join(re.findall(r"^\S.*$", section[1], re.MULTILINE))) if section else []
        assert sorted(named) == sorted(inspect.signature(kind).parameters)

    @pytest.mark.parametrize("kind", [HGDClassifier, StreamClassifier])
    def test_names_every_parameter_of_every_verb(self, kind):
        for name, function in inspect.getmembers(kind, inspect.isfunction):
            if name.startswith("_") or not function.__module__.startswith("poise"):
                continue
            named = " ".join(re.findall(r"^[\w, ]+$", inspect.getdoc(function), re.MULTILINE))
            missing = [given for given in inspect.signature(function).parameters if given != "self" and given not in named]
            assert (name, missing) == (name, [])

    def test_has_no_word_of_the_machine_it_was_written_on(self):
        for path, thing in PUBLIC.items():
            assert not re.search(r"/(?:home|root|work|tmp|Users)/", thing.__doc__ or ""), path


@pytest.mark.parametrize("path", PUBLIC)
def test_everything_public_is_annotated_throughout(path):
    thing = PUBLIC[path]
    if inspect.isclass(thing):
        return
    signature, hints = inspect.signature(thing), typing.get_type_hints(thing)
    bare = [name for name in signature.parameters if name not in ("self", "cls", *hints)]
    assert bare == []
    assert "return" in hints


class TestParameter:
    @every_constructor
    def test_that_does_not_exist_is_refused(self, kind):
        with pytest.raises(TypeError, match="etta0"):
            kind(etta0=0.3)

    @every_constructor
    def test_goes_by_its_name_alone_but_for_method_and_learner(self, kind):
        places = [p.name for p in inspect.signature(kind).parameters.values() if p.kind is not inspect.Parameter.KEYWORD_ONLY]
        assert places == [name for name in ("method", "learner") if name in inspect.signature(kind).parameters]

    @pytest.mark.parametrize("kind", [HGDClassifier, StreamClassifier])
    def test_has_one_meaning_everywhere(self, kind):
        """Shared parameters have one default, and those of a method the method's."""
        given = inspect.signature(kind).parameters
        for other in (HGD, StreamClassifier, HGDClassifier):
            theirs = inspect.signature(other).parameters
            assert {name: given[name].default for name in given.keys() & theirs} == {
                name: theirs[name].default for name in given.keys() & theirs
            }


PUBLISHED = {"standardize": None, "fit_intercept": False, "average": False, "unit_rows": True, "eta0": 0.3}


class TestTwoSettings:
    def test_practical_is_what_the_constructor_gives(self):
        assert StreamClassifier().get_params() == {
            "method": "hgd", "learner": "logistic", "standardize": "auto", "fit_intercept": True, "average": "auto",
            "unit_rows": False, "eta0": 0.3, "learning_rate": "constant", "power_t": 0.5, "radius": None, "positive": None,
            "missing": "error", "n_hash": None, "random_state": None,
        }  # fmt: skip
        assert HGDClassifier().clamp == HGD().clamp == 100.0

    def test_average_is_as_slow_as_promised(self):
        core = StreamClassifier()._setup().core
        assert (core["average"], core["slowest_average"], core["largest_weight"]) == (True, 0.002, 100.0)

    @pytest.mark.parametrize("learner", ["perceptron", "svm", "logistic", "softmax", SVM()], ids=repr)
    @pytest.mark.parametrize("method", [None, "hgd", "ogd", HGD(memory=0.9), OGD()], ids=repr)
    def test_published_sets_these_arguments_and_no_other(self, method, learner):
        clf = StreamClassifier.paper(*([] if method is None else [method]), learner=learner)
        published = {None: HGD(clamp=None, reading="paper"), "ogd": OGD(reading="paper")}
        expected = method if isinstance(method, Method) else published[None if method == "hgd" else method]
        assert clf.get_params() == {**StreamClassifier().get_params(), **PUBLISHED, "method": expected, "learner": learner}

    def test_published_may_be_varied(self):
        clf = StreamClassifier.paper(
            "hgd", "svm", clamp="assumption4", variant="ohgd", eta0=1.0, learning_rate="sqrt", radius=2.0
        )
        assert clf.method == HGD(clamp="assumption4", variant="ohgd", reading="paper")
        assert (clf.eta0, clf.learning_rate, clf.radius, clf.standardize) == (1.0, "sqrt", 2.0, None)

    def test_published_takes_the_class_ratio_of_the_stream_which_these_methods_do_not_need(self):
        assert StreamClassifier.paper("hgd", "svm", ir=9.0).get_params() == StreamClassifier.paper("hgd", "svm").get_params()
        for ir in (0, -1.0, float("inf"), "9", True):
            with pytest.raises(ParameterError, match="must be the number of negatives per positive"):
                StreamClassifier.paper("hgd", ir=ir)

    def test_published_reads_methods_as_the_paper_does_by_name_and_by_value(self):
        assert StreamClassifier.paper("oob", "svm", ir=9.0).method == poise.OOB(ir=9.0, reading="paper")
        assert StreamClassifier.paper(poise.OOB(decay=0.8), "svm", ir=9.0).method == poise.OOB(decay=0.8, ir=9.0, reading="paper")
        assert StreamClassifier.paper("oob", "svm", ir=9.0, reading="textbook").method.reading == "textbook"
        assert StreamClassifier.paper("hgd", "kernel").learner == poise.Kernel(gamma=12.5)

    @pytest.mark.parametrize("name", [name for name in methods.names() if methods.get(name)().needs_ratio])
    def test_published_needs_the_class_ratio_where_the_method_does(self, name):
        with pytest.raises(ParameterError, match=f"ir is None, and the published {name} needs it"):
            StreamClassifier.paper(name, "svm")
        assert StreamClassifier.paper(name, "svm", ir=9.0).method.ir == 9.0

    def test_published_refuses_what_does_not_exist(self):
        with pytest.raises(TypeError, match="etta0"):
            StreamClassifier.paper("hgd", etta0=0.3)
        with pytest.raises(ParameterError, match=r"'hdg'.*did you mean 'hgd'"):
            StreamClassifier.paper("hdg")
        with pytest.raises(TypeError, match="clamp"):
            StreamClassifier.paper("ogd", clamp=1.0)

    @pytest.mark.parametrize("name", methods.names())
    def test_a_name_means_the_value_with_its_defaults(self, name):
        assert StreamClassifier(name, "svm")._setup() == StreamClassifier(methods.get(name)(), "svm")._setup()


OPTIONAL = ["torch", "river", "matplotlib", "pandas", "polars", "pyarrow"]
WITHOUT_OPTIONAL = f"""
import sys

class Hiding:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {OPTIONAL}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Hiding())
import poise
print(poise.HGDClassifier().fit([{{"a": 0.0}}, {{"a": 1.0}}], [0, 1]).predict_one({{"a": 1.0}}))
"""


def said(program):
    """Return what a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


class TestImport:
    def test_of_poise_loads_no_optional_package(self):
        """But for what scikit-learn loads by itself."""
        loaded = f"print(*sorted(set({OPTIONAL}) & set(sys.modules)))"
        assert said(f"import sys, poise; {loaded}") == said(f"import sys, sklearn.base, sklearn.utils.validation; {loaded}")

    def test_of_poise_needs_no_optional_package(self):
        assert said(WITHOUT_OPTIONAL) == "1"

    @pytest.mark.parametrize(("package", "room"), [("river", "poise.river"), ("matplotlib", "poise.figures")])
    def test_of_a_room_without_its_package_says_how_to_get_it(self, package, room):
        told = f"import sys; sys.modules[{package!r}] = None; import {room}; {room}.OverTime([1], {{}}).plot()"
        done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=False)
        assert done.returncode != 0
        assert "ImportError" in done.stderr
        assert "pip install" in done.stderr

    def test_shows_the_version_of_the_project(self):
        assert (
            re.search(r'^version = "(.+)"$', (API.parents[1] / "pyproject.toml").read_text(), re.MULTILINE)[1]
            == poise.__version__
        )
