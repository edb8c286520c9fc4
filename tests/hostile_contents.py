"""Model files that are whole but hold what no model can: parameters, labels, names and numbers; the same in every run."""

import json
import pickle

import numpy as np

from file_parts import as_bytes, good, parts, with_parameters, with_tensors


def parameters(_):
    """Parameters that do not exist or may not have these values."""
    texts = [
        "", "null", "[]", "1", '"hgd"', "{", "{'eta0': 1}", '{"eta0":NaN}', '{"positive":Infinity}', '{"eta0":0.1,"eta0":0.3}',
        "[" * 100_000, '{"eta0":' * 10_000, '{"eta0":' + "9" * 6000 + "}", '{"eta0":0.3}{}', "\0",
    ]  # fmt: skip
    for text in texts:
        yield f"parameters {ascii(text)[:30]}", with_parameters(text)
    for name in ("alpha", "path", "__class__", "self", "_model", "", "eta0 ", "callback", "n_jobs", "method"):
        yield f"unknown parameter {name!r}", with_parameters(**{name: 1})
    changes = {
        "learner": ["kernel", None, 1, "", {}, [], {"name": "svm"}, {"name": "svm", "parameters": {"C": 1}},
            {"name": ["svm"], "parameters": {}}, {"name": "hgd", "parameters": {}}, {"name": "svm", "parameters": []},
            {"name": "svm", "parameters": {}, "module": "os"}, {"name": "os.system", "parameters": {"command": "ls"}}],
        "clamp": [0, -1, "x", "Assumption4", [], {}, {"name": "hgd", "parameters": {}}, True, 1e400],
        "norm": ["cubed", None, 1, [], {}], "memory": [0, 1, 2, -0.5, "x", [], True], "multiclass": ["x", None, []],
        "variant": ["x", None, 1, {}], "standardize": ["x", 1, True, [], {}], "fit_intercept": [2, "yes", None, [], {}],
        "average": [0, -1, 2, "x", None, [], {}], "unit_rows": [2, "no", None, []],
        "eta0": [0, -1, "0.3", None, [], {}, True, 1e7, 10**400, 1e400], "learning_rate": ["x", None, 1, []],
        "power_t": [0, -1, 11, "x", None, []], "radius": [0, -1, "x", [], True, 1e400],
        "positive": [[], [1], {}, {"a": 1}, {"name": "svm", "parameters": {}}, [[]]], "missing": ["x", None, 0, []],
        "n_hash": [0, 3, -8, 2**28, 2**29, 2**70, 8.0, "8", True, [], {}], "random_state": [-1, 2**32, 1.5, "x", [], True],
    }  # fmt: skip
    for name, values in changes.items():
        for value in values:
            yield f"{name} is {value!r}"[:60], with_parameters(**{name: value})
    yield from unfitting_parameters()


def unfitting_parameters():
    """Parameters that are fine by themselves, but not those the model learned with."""
    yield "n_hash dropped", with_parameters(kind="hashed", n_hash=None)
    yield "n_hash halved", with_parameters(kind="hashed", n_hash=4)
    yield "n_hash huge", with_parameters(kind="hashed", n_hash=2**28)
    yield "averaging added", with_parameters(kind="four classes", average=True)
    yield "averaging dropped", with_parameters(average=False)
    yield "scaling dropped", with_parameters(standardize=None)
    yield "scaling changed", with_parameters(standardize="scale")
    yield "scaling added", with_parameters(kind="raw", standardize="center")
    yield "missing values allowed", with_parameters(missing="zero")
    wrong = [
        None,
        1,
        "adaboost",
        {},
        [],
        {"name": "hgd", "parameters": {"k": 1}},
        {"name": "svm", "parameters": {}},
        {"name": None},
    ]
    for method in wrong:
        yield f"method is {method!r}", with_parameters(kind="four classes", method=method)


def labels(_):
    """Labels that cannot be labels, or not those of this model."""
    texts = {
        "not JSON": "0, 1", "Python": "(0, 1)", "a table": '{"0": 1, "1": 0}', "a text": '"01"', "a number": "2",
        "null": "null", "empty": "[]", "one": "[0]", "three": "[0,1,2]", "many": str(list(range(5000))), "twice": "[0,0]",
        "twice as truth": "[1,true]", "twice as fraction": "[1,1.0]", "mixed": '[0,"a"]', "null among them": "[0,null]",
        "NaN": "[0,NaN]", "infinity": "[0,Infinity]", "a huge fraction": "[0,1e999]", "a fraction": "[0,0.5]",
        "lists": "[[0],[1]]", "tables": '[{"a":1},{"a":2}]', "deep": "[" * 50_000,
        "deep and closed": "[" * 50_000 + "]" * 50_000, "nothing": "", "two lists": "[0,1][0,1]",
        "a long number": "[0," + "9" * 5000 + "]", "a zero byte": "[0,1]\0", "a table twice": '[{"a":1,"a":2},1]',
    }  # fmt: skip
    for name, text in texts.items():
        yield f"labels: {name}", with_tensors(labels=as_bytes(text))
    yield "labels: no UTF-8", with_tensors(labels=as_bytes(b'["\xff","a"]'))
    yield "labels: UTF-16", with_tensors(labels=as_bytes("[0,1]".encode("utf-16")))
    yield "labels: a pickle", with_tensors(labels=as_bytes(pickle.dumps([0, 1])))
    yield "labels: as numbers", with_tensors(labels=np.array([0.0, 1.0]))
    yield "labels: as words", with_tensors(labels=np.frombuffer(b"[0,    1]"[:8], np.uint64))
    yield "labels: a square", with_tensors(labels=as_bytes("[0,1]   ").reshape(2, 4))
    yield "labels: none", with_tensors(drop=["labels"])
    for text in ("[0,1]", "[0,1,2]", "[0,1,2,3,4]", "[]"):
        yield f"labels: {text} for four classes", with_tensors("four classes", labels=as_bytes(text))


def names(_):
    """Feature names that cannot be read or do not fit the columns."""
    texts = [
        "", "null", "{}", '{"ab":1}', '"ab"', "[1]", '["ab"]', '[["a"]]', '[["a",null,1]]', '[[null,"a"]]', '[[1.5,null]]',
        '[["a",1]]', '[["a",["b"]]]', '[[["a"],null]]', "[[NaN,null]]", "[" * 50_000, '[["a",null]]', '[["a",null],["a",null]]',
        "[" + '["a",null],' * 9, '[["a","x"],["a","x"]]', '[{"a":null}]', "[[]]", "[null]", '[["a",null]]x',
    ]  # fmt: skip
    for kind in ("dicts", "binary", "hashed"):
        for text in texts:
            yield f"names of {kind}: {text[:30]}", with_tensors(kind, names=as_bytes(text))
        yield f"names of {kind}: no UTF-8", with_tensors(kind, names=as_bytes(b'[["\xff",null]]'))
        yield f"names of {kind}: none", with_tensors(kind, drop=["names"])
        yield f"names of {kind}: as numbers", with_tensors(kind, names=np.array([1.0, 2.0]))
        yield f"names of {kind}: a square", with_tensors(kind, names=as_bytes("[]      ").reshape(2, 4))
    yield "names of dicts: empty", with_tensors("dicts", names=as_bytes("[]"))
    many = json.dumps([[f"n{j}", None] for j in range(7000)])
    yield "names of dicts: too many", with_tensors("dicts", names=as_bytes(many))


def states(_):
    """Tensors that are missing, extra or of another shape, and numbers no learning leads to."""
    for kind in ("binary", "four classes", "dicts", "hashed", "raw"):
        tensors = parts(good(kind))[1]
        for name in tensors:
            yield f"{kind}: {name} is missing", with_tensors(kind, drop=[name])
        for name in tensors.keys() - {"labels", "names"}:
            yield from reshaped(kind, name, tensors[name])
        for name in ("bias", "__class__", "shadow", "shadow_intercept", "scaler_count", "scaler_mean", "column_kind", "weights2"):
            if name not in tensors:
                yield f"{kind}: {name} is extra", with_tensors(kind, **{name: np.zeros((1, tensors["weights"].shape[1]))})
        yield from other_columns(kind, tensors)
        yield from other_counts(kind, tensors)
        yield from other_sums(kind, tensors)
    nothing = {"weights": np.zeros((2**31 - 1, 0)), "intercept": np.zeros((1, 1))}
    counts = {(0, 3): 2**31 - 1}
    yield "two billion classes in no bytes", with_tensors(**nothing, columns={(0, 3): 0}, tally_counts=counts)
    yield "two billion columns in no bytes", with_tensors(weights=np.zeros((0, 2**31 - 1)), columns={(0, 3): 2**31 - 1})


def reshaped(kind, name, array):
    """One tensor of another type or shape, or with numbers that are not finite."""
    others = {
        "has another type": array.astype("u8" if array.dtype == np.float64 else "f8"),
        "has bytes": array.astype("u1" if array.dtype != np.uint8 else "u8"),
        "is flat": array.ravel(),
        "is empty": array[:, :0],
        "is wider": np.hstack([array, array[:, :1]]),
        "is higher": np.vstack([array, array]),
    }
    for what, other in others.items():
        yield f"{kind}: {name} {what}", with_tensors(kind, **{name: other})
    if array.dtype == np.float64:
        for value in (np.nan, np.inf, -np.inf):
            yield f"{kind}: {name} holds {value}", with_tensors(kind, **{name: {(0, -1): value}})


def other_columns(kind, tensors):
    """Columns that are said to be more, fewer, or of another kind than they are."""
    told = {
        "scaling": [0, 1, 2, 3, 255, 2**64 - 1],
        "each": [0, 1, 2, 2**64 - 1],
        "open": [0, 1, 2, 2**64 - 1],
        "width": [0, 1, 4, 6, 7, 9, 2**20, 2**31, 2**61, 2**63, 2**64 - 1],
        "hash": [0, 1, 4, 5, 8, 16, 2**28, 2**64 - 1],
    }
    for at, (what, values) in enumerate(told.items()):
        for value in values:
            if int(tensors["columns"][0, at]) != value and (kind, what) != ("dicts", "scaling"):
                yield f"{kind}: {what} {value}", with_tensors(kind, columns={(0, at): value})
    if "column_kind" in tensors:
        for value in (0, 3, 255):
            yield f"{kind}: column of kind {value}", with_tensors(kind, column_kind={(0, 0): value})


def other_counts(kind, tensors):
    """Numbers of classes, rows, comparisons and values that do not fit each other."""
    for classes in (0, 1, 2, 3, 4, 5, 2**20, 2**31, 2**63, 2**64 - 1):
        if int(tensors["tally_counts"][0, 3]) != classes:
            yield f"{kind}: {classes} classes", with_tensors(kind, tally_counts={(0, 3): classes})
    for rows in (0, 1, 29, 31, 2**63, 2**64 - 1):
        yield f"{kind}: {rows} rows", with_tensors(kind, tally_counts={(0, 0): rows})
        seen = {(0, 0): 2**64 - 1 if rows == 1 else rows}
        yield f"{kind}: {rows} rows of the first class", with_tensors(kind, ledger_seen=seen)
    yield f"{kind}: more comparisons than rows", with_tensors(kind, tally_counts={(0, 2): 31})
    if kind != "hashed":
        yield f"{kind}: more entries than cells", with_tensors(kind, tally_counts={(0, 1): 30 * 7 + 1})
    if "scaler_count" in tensors:
        yield f"{kind}: more values than rows", with_tensors(kind, scaler_count={(0, 0): 31})


def other_sums(kind, tensors):
    """Sums and squares of a sign or size that no learning gives them."""
    if "scaler_spread" in tensors:
        yield f"{kind}: negative spread", with_tensors(kind, scaler_spread={(0, 0): -1.0})
    for at, values in {0: [0.0, -1.0, 2.0], 1: [0.5, -1.0], 2: [-1.0]}.items():
        for value in values:
            yield f"{kind}: factor {at} is {value}", with_tensors(kind, tally_factors={(0, at): value})
    for at in range(2):
        yield f"{kind}: negative sum {at} of imbalance", with_tensors(kind, imbalance={(at, 7): -1.0})
    for at in range(3):
        yield f"{kind}: negative sum {at} in the ledger", with_tensors(kind, ledger_sums={(1, at): -1.0})
