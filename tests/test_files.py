"""Model files: what goes in comes out, writing is all or nothing, reading never runs code."""

import ast
import errno
import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st

import bits
import file_parts
import poise
from poise import HGD, OGD, SVM, HGDClassifier, Logistic, Perceptron, Softmax, StreamClassifier, load, methods
from poise.classifier import from_bytes, to_bytes
from poise.errors import DataError, FileError, NotFittedError, ParameterError

X, Y = bits.plain(30, 4, 2)
SOURCE = Path(poise.__file__).parent


def fitted(kind=HGDClassifier, *args, **parameters):
    clf = kind(*args, **parameters)
    clf.learn(X, Y)
    return clf


def again(clf):
    return from_bytes(to_bytes(clf), "m.poise")


class TestWhatGoesInComesOut:
    """Parameters, labels and names survive as they were."""

    @pytest.mark.parametrize(
        "method",
        ["hgd", "ogd", OGD(), HGD(), HGD(clamp=None), HGD(clamp=7), HGD(clamp="assumption4", norm="squared"),
         HGD(memory=0.995, multiclass="inverse"), HGD(multiclass="printed"), HGD(variant="ohgd"),
         HGD(memory=np.float32(0.5), clamp=np.int64(3))],
        ids=repr,
    )  # fmt: skip
    def test_method(self, method):
        clf = fitted(StreamClassifier, method)
        assert again(clf).method == method
        assert type(again(clf).method) is type(method)
        bits.assert_same_state(again(clf), clf)

    @pytest.mark.parametrize(
        "learner",
        ["logistic", "log_loss", "svm", "hinge", "perceptron", "softmax", Logistic(), SVM(), Perceptron(), Softmax()],
        ids=repr,
    )
    @pytest.mark.parametrize("kind", [HGDClassifier, StreamClassifier])
    def test_learner(self, kind, learner):
        clf = fitted(kind, learner=learner)
        assert again(clf).learner == learner
        assert type(again(clf)) is kind

    @pytest.mark.parametrize(
        "parameters",
        [
            {"standardize": None},
            {"standardize": "scale", "fit_intercept": False, "average": 0.25},
            {"average": False, "unit_rows": True, "eta0": 2, "learning_rate": "invscaling", "power_t": 0.75},
            {"radius": 1e-3, "missing": "zero", "random_state": 2**32 - 1},
            {"positive": 0},
            {"positive": "no such label"},
            {"positive": '"sha256":"' + "0" * 64},
            {"clamp": None, "norm": "squared", "memory": 0.9, "multiclass": "printed", "variant": "ohgd"},
            {"eta0": np.float32(0.1), "random_state": np.int64(3), "fit_intercept": np.True_, "positive": np.int8(1)},
        ],
        ids=str,
    )
    def test_parameters(self, parameters):
        clf = fitted(**parameters)
        assert again(clf).get_params() == clf.get_params()
        bits.assert_same_numbers(again(clf).learn(X, Y), clf.learn(X, Y))

    @pytest.mark.parametrize("n_hash", [1, 2, 16, 2**12, np.int64(8)])
    def test_n_hash(self, n_hash):
        clf = HGDClassifier(n_hash=n_hash)
        rows = [{"a": 1.0, "b": "x"}, {"c": 2.0}, {"a": True}]
        clf.learn(rows, [0, 1, 1])
        twin = again(clf)
        assert twin.n_hash == n_hash
        assert twin.n_features_in_ == n_hash
        bits.assert_same_numbers(twin.learn(rows, [1, 0, 1]), clf.learn(rows, [1, 0, 1]))

    @pytest.mark.parametrize(
        "labels",
        [[3, -1], ["no", "yes"], ["yes", "no"], [True, False], [1.0, 0.0], [10**30, 2, -(10**30)], [2.0**60, 1.0],
         ["", "\0", "ü", '"', "\\"], [5, 4, 3, 2, 1, 0], ["b", "a", "c"], [1e300, -0.0], ["\ud800", "x"]],
        ids=ascii,
    )  # fmt: skip
    def test_labels_with_their_types_and_order(self, labels):
        clf = HGDClassifier()
        for k, label in enumerate(labels * 2):
            clf.learn_one(X[k], label)
        twin = again(clf)
        assert twin._model.labels.arrived == labels
        assert [type(label) for label in twin._model.labels.arrived] == [type(label) for label in labels]
        assert twin.classes_.dtype == clf.classes_.dtype
        assert twin.classes_.tolist() == clf.classes_.tolist() == sorted(labels)
        assert twin.predict(X).tolist() == clf.predict(X).tolist()

    def test_thousands_of_labels(self):
        clf = HGDClassifier()
        clf.learn(np.ones((3, 2)), ["a", "b", "c"], classes=[f"label {k}" for k in range(5000)])
        assert again(clf).classes_.tolist() == clf.classes_.tolist()

    @pytest.mark.parametrize("labels", [[(1, 2), (3, 4)], [b"a", b"b"], [frozenset([1]), frozenset([1, 2])]], ids=str)
    def test_but_labels_that_are_no_text_or_number_are_refused_when_saved(self, labels, tmp_path):
        clf = HGDClassifier()
        for k in range(6):
            clf.learn_one(X[k], labels[k % 2])
        with pytest.raises(
            FileError, match=r"^Label .* is a .*, which a model file cannot hold; use text or numbers as labels\.$"
        ):
            clf.save(tmp_path / "m.poise")
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("positive", [(1, 2), b"a", float("inf")], ids=str)
    def test_but_parameters_that_are_no_text_or_number_are_refused_when_saved(self, positive):
        with pytest.raises(
            FileError, match=r"^Parameter positive is .*, which a model file cannot hold; use a number, a text or None"
        ):
            to_bytes(fitted(positive=positive))

    def test_names_of_a_table(self):
        names = ["amount", "ä", "", '"quoted"', "line\nbreak", "__metadata__", "../up", "\U0001f40d"]
        table = pd.DataFrame(np.random.default_rng(0).normal(size=(8, 8)), columns=names)
        clf = HGDClassifier()
        clf.learn(table, [0, 1] * 4)
        twin = again(clf)
        assert twin.feature_names_in_.tolist() == names
        with pytest.raises(DataError, match="feature names should match"):
            twin.learn(table.rename(columns={"ä": "a"}), [0, 1] * 4)

    def test_names_of_dicts_whatever_they_are(self):
        record = {"a": 1.0, "b=c": "d", "b": "c=d", 7: 1.0, "7": 2.0, -1: "x", 2**70: True, "\0": 0.5, "ü=": "="}
        clf = HGDClassifier()
        clf.learn([record, {}, record], [0, 1, 0])
        twin = again(clf)
        assert twin._model.columns.words.keys == clf._model.columns.words.keys
        assert twin.feature_names_in_.tolist() == clf.feature_names_in_.tolist()
        assert twin.decision_one(record) == clf.decision_one(record)

    def test_more_than_a_megabyte_of_names(self, tmp_path):
        names = [f"{j:06d}" + "n" * 600 for j in range(2000)]
        clf = HGDClassifier()
        clf.learn([dict.fromkeys(names, 1.0), {}, {names[3]: 2.0}], [0, 1, 0])
        clf.save(tmp_path / "m.poise")
        assert (tmp_path / "m.poise").stat().st_size > 1_200_000
        assert load(tmp_path / "m.poise").feature_names_in_.tolist() == names

    def test_but_a_megabyte_of_parameters_is_refused_when_saved(self):
        with pytest.raises(FileError, match=r"a model file holds at most 1048576; use shorter texts as parameters\.$"):
            to_bytes(fitted(positive="p" * 2_000_000))

    @settings(max_examples=50, deadline=None, derandomize=True, database=None)
    @given(
        labels=st.lists(st.text(max_size=4), min_size=1, max_size=5, unique=True)
        | st.lists(st.integers(-(2**80), 2**80), min_size=1, max_size=5, unique=True)
    )
    def test_any_texts_or_whole_numbers_as_labels(self, labels):
        clf = HGDClassifier()
        for k, label in enumerate(labels):
            clf.learn_one(X[k], label)
        twin = again(clf)
        assert twin._model.labels.arrived == labels
        bits.assert_same_state(twin, clf)


class TestFile:
    """What a file is, seen from outside."""

    def test_equal_models_give_equal_files(self):
        assert len({to_bytes(fitted()) for _ in range(5)}) == 1

    def test_it_is_a_safetensors_file(self, tmp_path):
        clf = fitted()
        clf.save(tmp_path / "m.poise")
        tensors = safetensors.numpy.load_file(tmp_path / "m.poise")
        for name, array in clf._model.tensors().items():
            assert tensors[name].dtype == array.dtype
            np.testing.assert_array_equal(tensors[name], array)

    def test_it_holds_no_pickle(self):
        data = to_bytes(fitted(StreamClassifier, HGD(memory=0.9), SVM()))
        assert not data.startswith((b"\x80", b"(", b"c", b"PK", b"\x93NUMPY"))
        for word in (
            b"\x80\x02",
            b"\x80\x03",
            b"\x80\x04",
            b"\x80\x05",
            b"poise.",
            b"__reduce",
            b"builtins",
            b"NUMPY",
            b"PK\x03\x04",
        ):
            assert word not in data

    def test_an_unfitted_model_has_none(self, tmp_path):
        with pytest.raises(NotFittedError):
            HGDClassifier().save(tmp_path / "m.poise")
        assert list(tmp_path.iterdir()) == []

    def test_a_subclass_has_none_since_load_does_not_know_it(self):
        for name in ("Own", "HGDClassifier"):
            own = type(name, (HGDClassifier,), {"__init__": HGDClassifier.__init__})
            with pytest.raises(FileError, match=r"cannot be read back by load\(\); use a StreamClassifier or HGDClassifier\.$"):
                to_bytes(fitted(own))

    @pytest.mark.parametrize("kind", [HGD, OGD, methods.OOB])
    def test_a_method_that_is_not_registered_has_none_since_load_does_not_know_it(self, kind):
        """Methods of a user's own can be saved once they are entered with poise.method: see test_plugins."""
        own = type("Own", (kind,), {})
        with pytest.raises(FileError, match=r"^Parameter method is Own\(\), which a model file cannot hold: .* poise.method"):
            to_bytes(fitted(StreamClassifier, own()))

    def test_nor_has_a_learner_that_is_not_registered(self):
        own = type("Own", (SVM,), {})
        with pytest.raises(FileError, match=r"^Parameter learner is Own\(\), which .*; use one of poise\.learners\.names\(\)\.$"):
            to_bytes(fitted(StreamClassifier, "hgd", own()))

    def test_parameters_changed_while_learning_are_refused_when_saved(self):
        clf = fitted()
        for name, value in (("eta0", 1.0), ("radius", 5.0)):
            begun = getattr(clf, name)
            with pytest.warns(UserWarning, match=f"^{name} set on a HGDClassifier that has begun to learn"):
                clf.set_params(**{name: value})
            with pytest.raises(FileError, match=r"were changed after it began to learn.*; set them back, or call fit again"):
                to_bytes(clf)
            clf.set_params(**{name: begun})
            assert getattr(again(clf), name) == begun
        clf.eta0 = -1.0
        with pytest.raises(ParameterError, match="eta0"):
            to_bytes(clf)

    def test_it_is_whole_while_another_thread_learns(self):
        clf, stop = fitted(), threading.Event()

        def learning():
            for label in range(2, 400):
                clf.learn_one(X[label % 30], label)
            stop.set()

        thread = threading.Thread(target=learning)
        thread.start()
        while not stop.is_set():
            twin = again(clf)
            assert twin.ledger_.seen.sum() == twin.n_seen_
        thread.join()
        bits.assert_same_state(again(clf), clf)


#: Ways to run what a file says.
FORBIDDEN_MODULES = {
    "pickle", "_pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "importlib", "imp", "runpy", "code",
    "codeop", "subprocess", "ctypes", "yaml", "pkgutil", "zipimport", "pty", "builtins",
}  # fmt: skip
FORBIDDEN_NAMES = {"eval", "exec", "compile", "__import__", "breakpoint"}
#: Files that say nothing to `load`, and what they may use: a folder's tables, plugins that a user names by their path. What
#: installed packages offer is imported too, once, by what they say of themselves and not by what a model file says; and
#: `compile` is the name of an option. TestLoading watches what really happens.
EXCUSED = {"datasets": {"importlib"}, "methods/loading.py": {"importlib"}, "methods/plugins.py": {"compile"}}


def uses(tree):
    """Yield the forbidden things a module uses, with their lines."""
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name.split(".")[0] for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [(node.module or "").split(".")[0], *(alias.name for alias in node.names)]
        elif isinstance(node, ast.Name) and node.id in FORBIDDEN_NAMES:
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute) and node.attr in {"__import__", "import_module", "__globals__", "__builtins__"}:
            yield node.attr, node.lineno
        elif isinstance(node, ast.keyword) and node.arg == "allow_pickle" and getattr(node.value, "value", True) is not False:
            yield "allow_pickle", node.value.lineno
        elif (
            isinstance(node, ast.Attribute)
            and node.attr == "system"
            and isinstance(node.value, ast.Name)
            and node.value.id == "os"
        ):
            yield "os.system", node.lineno
        yield from ((name, node.lineno) for name in names if name in FORBIDDEN_MODULES)


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_module_can_run_what_a_file_says(path):
    excused = set().union(*(names for place, names in EXCUSED.items() if path.relative_to(SOURCE).is_relative_to(place)))
    found = [f"{name} in line {line}" for name, line in uses(ast.parse(path.read_text())) if name not in excused]
    assert found == []


def test_the_gate_above_sees_what_it_should():
    for text in (
        "import pickle", "from marshal import loads", "eval('1')", "exec('1')", "__import__('os')", "import importlib.util",
        "from importlib import import_module", "np.load(f, allow_pickle=True)", "np.load(f, allow_pickle=x)", "os.system('ls')",
    ):  # fmt: skip
        assert list(uses(ast.parse(text))), text
    assert not list(uses(ast.parse("np.load(f, allow_pickle=False)")))


WATCHED = """
import sys, warnings
warnings.simplefilter("error")
import poise
poise.methods.names() if sys.argv[1] == "all" else None
seen, watching = [], False
EVENTS = {'import', 'exec', 'compile', 'open', 'os', 'subprocess', 'ctypes', 'marshal', 'pickle', 'code', 'socket'}
def watch(event, facts):
    if watching and event.split(".")[0] in EVENTS:
        seen.append((event, facts))
sys.addaudithook(watch)
for path in sys.argv[2:]:
    watching = True
    try:
        told = poise.load(path)
    except poise.FileError as error:
        told = error
    watching = False
    print(type(told).__name__, *sorted({f"{event}:{facts[0]}" for event, facts in seen}), sep="|")
    seen.clear()
"""


class TestLoading:
    """What the interpreter does while `load` reads a file, as it tells its audit hooks."""

    def watched(self, mode, *paths):
        called = [sys.executable, "-c", WATCHED, mode, *map(str, paths)]
        done = subprocess.run(called, capture_output=True, text=True, check=False, cwd=paths[0].parent)
        assert done.returncode == 0, done.stderr
        return [line.split("|") for line in done.stdout.splitlines()]

    def test_of_any_method_opens_the_file_and_runs_nothing(self, tmp_path):
        paths = [tmp_path / f"{name}.poise" for name in methods.names()]
        for path in paths:
            fitted(StreamClassifier, path.stem, "svm").save(path)
        for path, (kind, *events) in zip(paths, self.watched("all", *paths), strict=True):
            assert (kind, events) == ("StreamClassifier", [f"open:{path}"])

    @pytest.mark.parametrize("name", ["evil", "os.system", "../evil", "evil.py", "__import__('evil')", "poise_plugin_evil"])
    def test_of_an_unknown_method_asks_the_registry_and_runs_nothing(self, name, tmp_path):
        """Neither a module of that name nor a file of that path, though both are at hand."""
        (tmp_path / "evil.py").write_text("print('evil')")
        for method in (name, {"name": name, "parameters": {}}):
            path = tmp_path / "m.poise"
            path.write_bytes(file_parts.with_parameters(kind="four classes", method=method))
            assert self.watched("all", path) == [["FileError", f"open:{path}"]]
            (fresh,) = self.watched("fresh", path)  # the first time installed packages are asked what they offer
            assert fresh[0] == "FileError"
            assert [event for event in fresh if "evil" in event and event != f"open:{path}"] == []
            assert [event for event in fresh if event.startswith("os.system") or event.startswith("subprocess")] == []


class Interruption:
    """Makes one step of a write fail."""

    def __init__(self, step, error):
        self.step, self.error = step, error

    def install(self, monkeypatch):
        def fail(*args, **kwargs):
            raise self.error

        if self.step == "write":
            whole_open = Path.open

            def opened(path, mode="r", *args, **kwargs):
                file = whole_open(path, mode, *args, **kwargs)
                if "b" not in mode or "r" in mode:
                    return file
                return _FullDisk(file, self.error)

            monkeypatch.setattr(Path, "open", opened)
        elif self.step == "chmod":
            monkeypatch.setattr(Path, "chmod", fail)
        else:
            monkeypatch.setattr(os, self.step, fail)


class _FullDisk:
    """A file that takes 100 bytes."""

    def __init__(self, file, error):
        self.file, self.error = file, error

    def __enter__(self):
        return self

    def __exit__(self, *told):
        self.file.close()

    def write(self, data):
        self.file.write(data[:100])
        raise self.error


STEPS = ["write", "fsync", "chmod", "replace"]
# Made anew for each test: an error that was raised keeps the frames it came through, and the models in them.
ERRORS = {
    "full disk": lambda: OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
    "broken disk": lambda: OSError(errno.EIO, os.strerror(errno.EIO)),
    "Ctrl-C": KeyboardInterrupt,
}


class TestWriting:
    """All or nothing."""

    @pytest.mark.parametrize("kind", ERRORS)
    @pytest.mark.parametrize("step", STEPS)
    def test_that_is_interrupted_leaves_the_old_file_and_nothing_else(self, step, kind, tmp_path, monkeypatch):
        path, error = tmp_path / "m.poise", ERRORS[kind]()
        fitted().save(path)
        before = path.read_bytes()
        with monkeypatch.context() as patch:
            Interruption(step, error).install(patch)
            with pytest.raises(FileError if isinstance(error, OSError) else KeyboardInterrupt) as refused:
                fitted(eta0=0.5).save(path)
        if isinstance(error, OSError):
            expected = f"{path}: it cannot be written ({error.strerror}); make room or choose another place."
            assert str(refused.value) == expected
        assert path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [path]

    @pytest.mark.skipif(os.name != "posix", reason="needs signals")
    @pytest.mark.parametrize("step", ["write", "fsync", "replace", "after"])
    def test_that_is_killed_leaves_a_whole_file(self, step, tmp_path):
        path = tmp_path / "m.poise"
        fitted().save(path)
        old, new = path.read_bytes(), to_bytes(fitted(eta0=0.5))
        (tmp_path / "new").write_bytes(new)
        program = f"""
import os, signal
from poise import files
def die(*args): os.kill(os.getpid(), signal.SIGKILL)
step, data = {step!r}, open({str(tmp_path / "new")!r}, "rb").read()
if step == "write":
    from pathlib import Path
    opened = Path.open
    class File:
        def __init__(self, file): self.file = file
        def __enter__(self): return self
        def __exit__(self, *told): pass
        def write(self, data): self.file.write(data[:500]); self.file.flush(); die()
    Path.open = lambda self, *a: File(opened(self, *a))
elif step == "after":
    files._settle = die
else:
    setattr(os, step, die)
files.write({str(path)!r}, data)
"""
        done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, timeout=60)
        assert done.returncode == -signal.SIGKILL, done.stderr.decode()
        assert path.read_bytes() == (new if step == "after" else old)
        assert load(path).n_seen_ == 30

    def test_replaces_the_old_file_and_keeps_its_permissions(self, tmp_path):
        path = tmp_path / "m.poise"
        fitted().save(path)
        path.chmod(0o640)
        fitted(eta0=0.5).save(path)
        assert load(path).eta0 == 0.5
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        assert list(tmp_path.iterdir()) == [path]

    @pytest.mark.parametrize("given_as", [str, Path], ids=["text", "Path"])
    def test_takes_paths_of_both_kinds_and_relative_ones(self, given_as, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        fitted().save(given_as("m.poise"))
        assert load(given_as("m.poise")).n_seen_ == 30

    def test_through_a_link_replaces_the_link_not_what_it_leads_to(self, tmp_path):
        (tmp_path / "precious").write_text("precious")
        (tmp_path / "m.poise").symlink_to(tmp_path / "precious")
        fitted().save(tmp_path / "m.poise")
        assert (tmp_path / "precious").read_text() == "precious"
        assert load(tmp_path / "m.poise").n_seen_ == 30

    def test_into_a_folder_that_is_not_there_is_refused(self, tmp_path):
        with pytest.raises(FileError, match=rf"^{tmp_path}/no/m\.poise: there is no folder {tmp_path}/no; create it first\.$"):
            fitted().save(tmp_path / "no" / "m.poise")
        assert list(tmp_path.iterdir()) == []

    def test_onto_a_folder_is_refused(self, tmp_path):
        (tmp_path / "folder").mkdir()
        with pytest.raises(FileError, match=rf"^{tmp_path}/folder: it cannot be written .*; .* choose another place\.$"):
            fitted().save(tmp_path / "folder")
        assert [path.name for path in tmp_path.iterdir()] == ["folder"]

    @pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser may write everywhere")
    def test_into_a_folder_without_permission_is_refused(self, tmp_path):
        tmp_path.chmod(0o500)
        with pytest.raises(FileError, match="it cannot be written"):
            fitted().save(tmp_path / "m.poise")
        tmp_path.chmod(0o700)


class TestReading:
    """Paths that lead to no model file."""

    def test_a_missing_file_is_refused(self, tmp_path):
        with pytest.raises(
            FileError, match=rf"^{tmp_path}/no\.poise: there is no such file; check the path or save a model there"
        ):
            load(tmp_path / "no.poise")

    def test_a_folder_is_refused(self, tmp_path):
        with pytest.raises(FileError, match=rf"^{tmp_path}: this is (a folder|no plain file); give the path of a model file\.$"):
            load(tmp_path)

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
    def test_a_pipe_is_refused_at_once(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(FileError, match=rf"^{tmp_path}/pipe: this is no plain file; give the path of a model file\.$"):
            load(tmp_path / "pipe")

    @pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs devices")
    def test_a_device_is_refused_at_once(self):
        with pytest.raises(FileError, match=r"^/dev/zero: this is no plain file"):
            load("/dev/zero")

    def test_a_file_without_permission_is_refused(self, tmp_path, monkeypatch):
        def forbidden(*args, **kwargs):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

        monkeypatch.setattr(os, "open", forbidden)
        with pytest.raises(FileError, match=rf"^{tmp_path}/m: it cannot be read \(Permission denied\); check its path, its perm"):
            load(tmp_path / "m")

    def test_a_path_that_cannot_be_one_is_refused(self):
        with pytest.raises(FileError, match="it cannot be read"):
            load("a\0b")
        with pytest.raises(FileError, match=r"there is no such file|it cannot be read"):
            load("x" * 5000)
        with pytest.raises(TypeError):
            load(3)
