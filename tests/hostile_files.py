"""Files that are no whole model of poise, most of them with a right checksum: made the same in every run."""

import functools
import gzip
import hashlib
import io
import json
import marshal
import os
import pickle
import struct
import tarfile
import zipfile

import joblib
import numpy as np
import scipy.sparse as sp

import bits
from poise import HGD, HGDClassifier, StreamClassifier
from poise.classifier import to_bytes

NAMES = {np.dtype("f8"): "F64", np.dtype("u8"): "U64", np.dtype("u1"): "U8"}


@functools.cache
def good(kind):
    """Return the bytes of a small model."""
    X, y = bits.plain(30, 5, 4)
    clf = HGDClassifier(n_hash=8 if kind == "hashed" else None, standardize=None if kind == "raw" else "auto")
    if kind in {"binary", "raw"}:
        clf.learn(X, y % 2)
    elif kind == "four classes":
        clf = StreamClassifier(HGD(memory=0.9), "softmax", average=False)
        clf.learn(sp.csr_array(X), y)
    else:
        clf.learn([{"a": 1.5, "b": "x"}, {"a": 2.0, "c": 1}, {"b": "y"}, {"a": -1.0, "b": "z"}] * 5, [0, 1, 0, 0] * 5)
    return to_bytes(clf)


def parts(data):
    """Return header, tensors and facts of a file."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    facts, body = header.pop("__metadata__"), data[8 + size :]
    kinds = {name: dtype for dtype, name in NAMES.items()}
    tensors = {}
    for name, entry in header.items():
        start, stop = entry["data_offsets"]
        tensors[name] = np.frombuffer(body[start:stop], kinds[entry["dtype"]]).reshape(entry["shape"])
    return header, tensors, facts


def sealed(header, body, *, size=None):
    """Return a file with a right checksum where it has room for one; `header` is JSON text or an object."""
    text = (header if isinstance(header, str) else json.dumps(header, separators=(",", ":"))).encode("utf-8", "surrogatepass")
    text += b" " * (-len(text) % 8)
    data = struct.pack("<Q", len(text) if size is None else size) + text + body
    at = text.find(b'"sha256":"') + 18
    if at < 18:
        return data
    data = data[:at] + b"0" * 64 + data[at + 64 :]
    return data[:at] + hashlib.sha256(data).hexdigest().encode() + data[at + 64 :]


def assembled(tensors, facts):
    """Return a sealed file of any tensors and facts."""
    header, body = {"__metadata__": facts}, b""
    for name, array in sorted(tensors.items(), key=lambda item: (-item[1].itemsize, item[0])):
        kind = NAMES.get(array.dtype, {"f4": "F32", "i8": "I64", "i4": "I32", "f2": "F16", "b1": "BOOL"}.get(array.dtype.str[1:]))
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [len(body), len(body) + array.nbytes]}
        body += array.tobytes()
    return sealed(header, body)


def with_facts(kind="binary", *, drop=(), **changes):
    _, tensors, facts = parts(good(kind))
    facts = {name: value for name, value in (facts | changes).items() if name not in drop}
    return assembled(tensors, facts)


def with_parameters(text=None, kind="binary", **changes):
    facts = parts(good(kind))[2]
    return with_facts(kind, parameters=json.dumps(json.loads(facts["parameters"]) | changes) if text is None else text)


def with_tensors(kind="binary", *, drop=(), **changes):
    """Return a file of whose tensors some are others, or of which some numbers are."""
    _, tensors, facts = parts(good(kind))
    for name, change in changes.items():
        if isinstance(change, dict):
            array = tensors[name].copy()
            for at, value in change.items():
                array[at] = value
            tensors[name] = array
        else:
            tensors[name] = change
    return assembled({name: array for name, array in tensors.items() if name not in drop}, facts)


def as_bytes(text):
    return np.frombuffer(text if isinstance(text, bytes) else text.encode(), np.uint8)


def with_entry(name="weights", **changes):
    """Return a file of which one tensor is described otherwise."""
    data = good("binary")
    header, _, facts = parts(data)
    header[name] = {key: value for key, value in (header[name] | changes).items() if value is not None}
    return sealed({"__metadata__": facts, **header}, data[8 + int.from_bytes(data[:8], "little") :])


def with_text(old, new, *, count=1):
    """Return a file with another text in its header."""
    data = good("binary")
    size = int.from_bytes(data[:8], "little")
    text = data[8 : 8 + size].decode().rstrip()
    assert old in text, old
    return sealed(text.replace(old, new, count), data[8 + size :])


class Deed:
    """What a pickle would do to whoever reads it."""

    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return os.mkdir, (self.marker,)


def archive(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as out:
        for name, data in files.items():
            out.writestr(zipfile.ZipInfo(name), data)
    return buffer.getvalue()


def numpy_file(save, *args, **kwargs):
    buffer = io.BytesIO()
    save(buffer, *args, **kwargs)
    return buffer.getvalue()


def foreign(marker):
    """Files of other kinds, some of which run code where they are read carelessly."""
    deed, model = Deed(marker), good("binary")
    objects = np.array([deed, None], dtype=object)
    for protocol in range(6):
        yield f"pickle protocol {protocol}", pickle.dumps(deed, protocol)
    yield "pickle of a list of deeds", pickle.dumps([deed] * 50)
    yield "joblib", numpy_file(lambda file, what: joblib.dump(what, file), deed)
    yield "marshal", marshal.dumps(compile("import os", "x", "exec"))
    yield "npy", numpy_file(np.save, np.arange(100.0))
    yield "npy of objects", numpy_file(np.save, objects, allow_pickle=True)
    yield "npz", numpy_file(np.savez, weights=np.arange(9.0))
    yield "npz of objects", numpy_file(np.savez, weights=objects)
    yield "npy header that runs code", b"\x93NUMPY\x01\x00\x46\x00" + b"__import__('os').mkdir('x')".ljust(70)
    yield "zip of a model", archive({"m.poise": model})
    yield "zip of torch", archive({"archive/data.pkl": pickle.dumps(deed), "archive/version": b"3"})
    yield "zip with a path upwards", archive({"../../m.poise": model})
    yield "zip with an absolute path", archive({"/etc/passwd": b"x"})
    yield "zip behind a model", model + archive({"m.poise": model})
    yield "model behind a zip", archive({"m.poise": model}) + model
    yield "pickle behind a model", model + pickle.dumps(deed)
    yield "pickle before a model", pickle.dumps(deed) + model
    yield "two models", model + model
    yield "gzip of a model", gzip.compress(model, mtime=0)
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w") as out:
        out.addfile(tarfile.TarInfo("m.poise"), io.BytesIO())
    yield "tar", tar.getvalue()
    yield "tensors of somebody else", assembled({"weights": np.ones((1, 5))}, {"format": "pt"})
    yield "tensors without facts", sealed({"weights": {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]}}, b"\0" * 8)
    yield "model in base 16", model.hex().encode()
    yield "model in UTF-16", model.decode("latin-1").encode("utf-16")
    yield "model without its first byte", model[1:]
    yield "model with a byte before", b"\n" + model
    yield "model behind a byte order mark", b"\xef\xbb\xbf" + model
    yield "model with Windows line ends", model.replace(b"\n", b"\r\n").replace(b" ", b"\r\n", 1)
    magic = {
        "PNG": b"\x89PNG\r\n\x1a\n", "ELF": b"\x7fELF\x02\x01\x01", "HDF5": b"\x89HDF\r\n\x1a\n", "PDF": b"%PDF-1.7\n",
        "SQLite": b"SQLite format 3\0", "script": b"#!/bin/sh\nmkdir x\n", "Parquet": b"PAR1", "GGUF": b"GGUF\x03", "zstd": b"(\xb5/\xfd",
        "YAML": b"!!python/object/apply:os.mkdir [x]\n", "JSON": b'{"weights": [1, 2, 3]}', "ONNX": b"\x08\x07\x12\x07pytorch",
        "nothing": b"", "a letter": b"a", "seven bytes": b"\x01" + b"\0" * 6, "eight zeros": b"\0" * 8, "zeros": b"\0" * 9999,
        "ones": b"\xff" * 9999, "text": b"weights: none\n" * 500,
    }  # fmt: skip
    for name, start in magic.items():
        yield f"{name}, bare", start
        if start and name not in {"zeros", "ones", "text", "JSON"}:
            yield f"{name} with random bytes", start + np.random.default_rng(len(name)).bytes(4000)


def truncated(_):
    """Models of all kinds cut short; damage of one bit and cuts at every byte have tests of their own."""
    for kind in ("binary", "four classes", "dicts", "hashed"):
        data = good(kind)
        for at in np.linspace(1, len(data) - 1, 12).astype(int):
            yield f"{kind} cut at {at}", data[:at]
    header, _, facts = parts(good("binary"))
    body = good("binary")[8 + int.from_bytes(good("binary")[:8], "little") :]
    for at in range(0, len(body), 31):
        yield f"body cut at {at} and sealed", sealed({"__metadata__": facts, **header}, body[:at])


def headers(_):
    """Lengths that lie and texts that are no header."""
    data = good("binary")
    size = int.from_bytes(data[:8], "little")
    body = data[8 + size :]
    for claim in (
        0,
        1,
        size - 8,
        size - 1,
        size + 1,
        size + 8,
        len(data) - 8,
        len(data),
        2**20,
        2**20 + 1,
        2**31,
        2**32,
        2**63,
        2**64 - 1,
    ):
        yield f"header length {claim}", struct.pack("<Q", claim) + data[8:]
    yield "header of more than a megabyte", sealed(data[8 : 8 + size].decode() + " " * (1 << 20), body)
    texts = {
        "none": "", "a list": "[]", "a number": "1", "null": "null", "a text": '"x"', "an empty table": "{}", "two tables": "{}{}",
        "NaN": "NaN", "not closed": '{"a":', "single quotes": "{'a': 1}", "a comment": '{"a": 1 /* x */}', "deep lists": "[" * 100_000,
        "deep tables": '{"a":' * 100_000, "many lists": "[" + "[]," * 100_000 + "[]]", "a long number": '{"a":' + "9" * 500_000 + "}",
        "Python": "__import__('os').mkdir('x')", "zero bytes": "\0" * 64, "facts are null": '{"__metadata__":null}',
        "facts are a list": '{"__metadata__":[]}', "facts are a text": '{"__metadata__":"poise"}',
    }  # fmt: skip
    for name, text in texts.items():
        yield f"header is {name}", sealed(text, body)
    bad_utf8 = data[:8] + b"\xff\xfe" + data[10:]
    yield "header is no UTF-8", bad_utf8
    yield (
        "tensor named twice",
        with_text('"weights":{', '"names":{"dtype":"U8","shape":[2],"data_offsets":[326,328]},"weights":{'),
    )
    yield "facts twice", with_text('"columns":{', '"__metadata__":{"format":"poise"},"columns":{')
    yield "fact twice", with_text('"format":"poise"', '"format":"poise","format":"poise"')
    yield "checksum twice", with_text('"sha256":"', '"sha256":"' + "1" * 64 + '","sha256":"')
    yield "entry twice", with_text('"dtype":"F64"', '"dtype":"U64","dtype":"F64"')
    for word in ("NaN", "Infinity", "-Infinity", "1e400", "1.0", "-1", "true", "null", "[0]", '"0"', "1e2"):
        yield f"offset is {word}", with_text('"data_offsets":[0,', f'"data_offsets":[{word},')


def layouts(_):
    """Tensors that overlap, leave gaps, or are described wrongly."""
    body = good("binary")[8 + int.from_bytes(good("binary")[:8], "little") :]
    start, stop = parts(good("binary"))[0]["weights"]["data_offsets"]
    described = {
        "overlapping": {"data_offsets": [start - 8, stop - 8]}, "reversed": {"data_offsets": [stop, start]},
        "behind the end": {"data_offsets": [len(body), len(body) + stop - start]}, "negative": {"data_offsets": [-40, 0]},
        "on another": {"data_offsets": [0, stop - start]}, "too short": {"data_offsets": [start, stop - 8]},
        "three offsets": {"data_offsets": [start, stop, stop]}, "one offset": {"data_offsets": [start]},
        "offsets of text": {"data_offsets": [str(start), str(stop)]}, "offsets a table": {"data_offsets": {"0": start, "1": stop}},
        "no offsets": {"data_offsets": None}, "far offsets": {"data_offsets": [2**62, 2**62 + stop - start]},
        "wider": {"shape": [1, 6]}, "narrower": {"shape": [1, 4]}, "turned": {"shape": [5, 1]}, "flat": {"shape": [5]},
        "scalar": {"shape": []}, "three dimensions": {"shape": [1, 5, 1]}, "many dimensions": {"shape": [1] * 40 + [5]},
        "negative shape": {"shape": [-1, -5]}, "half negative shape": {"shape": [-1, 5]}, "huge shape": {"shape": [2**31, 2**31]},
        "wrapping shape": {"shape": [2**32, 2**32 + 5]}, "wider than memory": {"shape": [1, 2**60]}, "empty shape": {"shape": [0, 5]},
        "shape of fractions": {"shape": [1.0, 5.0]}, "shape of texts": {"shape": ["1", "5"]}, "shape of truths": {"shape": [True, 5]},
        "shape a number": {"shape": 5}, "shape null": {"shape": [None, 5]}, "no shape": {"shape": None}, "nested shape": {"shape": [[1, 5]]},
        "no type": {"dtype": None}, "type a number": {"dtype": 8}, "type a list": {"dtype": ["F64"]}, "type in small letters": {"dtype": "f64"},
        "type of numpy": {"dtype": "<f8"}, "object type": {"dtype": "O"}, "another key": {"path": "/etc/passwd"}, "strides": {"strides": [0, 0]},
    }  # fmt: skip
    for name, changes in described.items():
        yield f"weights {name}", with_entry(**changes)
    for dtype in ("I64", "F32", "BF16", "F16", "U32", "I8", "BOOL", "F8_E4M3", "OBJECT", "STR", ""):
        yield f"weights of type {dtype!r}", with_entry(dtype=dtype)
    header, tensors, facts = parts(good("binary"))
    for name in header:
        yield f"{name} described as null", sealed({"__metadata__": facts, **header, name: None}, body)
        yield f"{name} described as a list", sealed({"__metadata__": facts, **header, name: ["F64", [1, 5], [0, 40]]}, body)
    yield "bytes behind the tensors", sealed({"__metadata__": facts, **header}, body + b"\0")
    yield "a pickle behind the tensors", sealed({"__metadata__": facts, **header}, body + pickle.dumps(0))
    moved = {name: entry | {"data_offsets": [at + 8 for at in entry["data_offsets"]]} for name, entry in header.items()}
    yield "gap before the tensors", sealed({"__metadata__": facts, **moved}, b"\0" * 8 + body)
    shifted = {
        name: entry | {"data_offsets": [at + 2 for at in entry["data_offsets"]]}
        for name, entry in header.items()
        if name != "names"
    }
    shifted["names"] = header["names"] | {"data_offsets": [0, 2]}
    yield "tensors that are not aligned", sealed({"__metadata__": facts, **shifted}, body[-2:] + body[:-2])
    text = json.dumps({"__metadata__": facts, **header}, separators=(",", ":")).encode()
    odd = sealed(text.decode() + " " * ((3 - len(text)) % 8), body)
    yield "header that ends at an odd place", odd if len(odd) % 8 else odd[:-1]
    for name in (
        "../../weights",
        "/etc/passwd",
        "C:\\weights",
        "weights\0",
        "",
        "x" * 5000,
        "\ud800",
        "file:///etc/passwd",
        "weights/../names",
    ):
        yield f"tensor called {ascii(name)[:30]}", assembled({**tensors, name: np.ones((1, 5))}, facts)
        left = {key: array for key, array in tensors.items() if key != "weights"}
        yield f"weights called {ascii(name)[:30]}", assembled({**left, name: tensors["weights"]}, facts)


def metadata(_):
    """Facts that are missing, of other types, or of another release."""
    for name in ("format", "format_version", "sha256", "estimator", "parameters"):
        yield f"no {name}", with_facts(drop=[name])
        for value in (None, 1, True, [], {}, ["x"], {"x": "y"}, 1.5):
            yield f"{name} is {value!r}", with_facts(**{name: value})
        yield f"{name} is empty", with_facts(**{name: ""})
    yield "poise is a list", with_facts(poise=["0.1.0"])
    for value in ("Poise", "poise ", "pt", "safetensors"):
        yield f"format {value!r}", with_facts(format=value)
    for value in ("0", "-1", "1.0", " 1", "one", "²", "١", "9" * 5000, "1e3", "0x1", "+1", "1\n"):  # noqa: RUF001
        yield f"format version {ascii(value)[:20]}", with_facts(format_version=value)
    for value in ("2", "3", "10", "999999"):
        yield f"newer format version {value}", with_facts(format_version=value, poise="9.0.0")
    for value in (
        "KernelClassifier",
        "hgdclassifier",
        "poise.HGDClassifier",
        "os.system",
        "../HGDClassifier",
        "x" * 9999,
        "__init__",
    ):
        yield f"estimator {value[:30]}", with_facts(estimator=value)
    yield "estimator with other parameters", with_facts(estimator="StreamClassifier")
    for value in ("0" * 64, "f" * 64, "f" * 63, "f" * 65, "F" * 64):
        data = with_text('"sha256":"', '"sha257":"')
        yield (
            f"checksum {value[:2]}, {len(value)} digits",
            data.replace(b'"sha257":"', b'"sha256":"').replace(parts(data)[2]["sha257"].encode(), value.encode()),
        )
    yield "checksum under another name", with_text('"sha256":"', '"sha255":"')


def parameters(_):
    """Parameters that do not exist or may not have these values."""
    texts = ["", "null", "[]", "1", '"hgd"', "{", "{'eta0': 1}", '{"eta0":NaN}', '{"positive":Infinity}', '{"eta0":0.1,"eta0":0.3}',
             "[" * 100_000, '{"eta0":' * 10_000, '{"eta0":' + "9" * 6000 + "}", '{"eta0":0.3}{}', "\0"]  # fmt: skip
    for text in texts:
        yield f"parameters {ascii(text)[:30]}", with_parameters(text)
    for name in ("alpha", "path", "__class__", "self", "_model", "", "eta0 ", "callback", "n_jobs", "method"):
        yield f"unknown parameter {name!r}", with_parameters(**{name: 1})
    changes = {
        "learner": ["kernel", None, 1, "", {}, [], {"name": "svm"}, {"name": "svm", "parameters": {"C": 1}}, {"name": ["svm"], "parameters": {}},
                    {"name": "hgd", "parameters": {}}, {"name": "svm", "parameters": []}, {"name": "svm", "parameters": {}, "module": "os"},
                    {"name": "os.system", "parameters": {"command": "ls"}}],
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
    yield "n_hash dropped", with_parameters(kind="hashed", n_hash=None)
    yield "n_hash halved", with_parameters(kind="hashed", n_hash=4)
    yield "n_hash huge", with_parameters(kind="hashed", n_hash=2**28)
    yield "averaging added", with_parameters(kind="four classes", average=True)
    yield "averaging dropped", with_parameters(average=False)
    yield "scaling dropped", with_parameters(standardize=None)
    yield "scaling changed", with_parameters(standardize="scale")
    yield "scaling added", with_parameters(kind="raw", standardize="center")
    yield "missing values allowed", with_parameters(missing="zero")
    for method in (
        None,
        1,
        "adaboost",
        {},
        [],
        {"name": "hgd", "parameters": {"k": 1}},
        {"name": "svm", "parameters": {}},
        {"name": None},
    ):
        yield f"method is {method!r}", with_parameters(kind="four classes", method=method)


def labels(_):
    """Labels that cannot be labels, or not those of this model."""
    texts = {
        "not JSON": "0, 1", "Python": "(0, 1)", "a table": '{"0": 1, "1": 0}', "a text": '"01"', "a number": "2", "null": "null",
        "empty": "[]", "one": "[0]", "three": "[0,1,2]", "many": str(list(range(5000))), "twice": "[0,0]", "twice as truth": "[1,true]",
        "twice as fraction": "[1,1.0]", "mixed": '[0,"a"]', "null among them": "[0,null]", "NaN": "[0,NaN]", "infinity": "[0,Infinity]",
        "a huge fraction": "[0,1e999]", "a fraction": "[0,0.5]", "lists": "[[0],[1]]", "tables": '[{"a":1},{"a":2}]', "deep": "[" * 50_000,
        "deep and closed": "[" * 50_000 + "]" * 50_000, "nothing": "", "two lists": "[0,1][0,1]", "a long number": "[0," + "9" * 5000 + "]",
        "a zero byte": "[0,1]\0", "a table twice": '[{"a":1,"a":2},1]',
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
    texts = ["", "null", "{}", '{"ab":1}', '"ab"', "[1]", '["ab"]', '[["a"]]', '[["a",null,1]]', '[[null,"a"]]', '[[1.5,null]]', '[["a",1]]',
             '[["a",["b"]]]', '[[["a"],null]]', "[[NaN,null]]", "[" * 50_000, '[["a",null]]', '[["a",null],["a",null]]', "[" + '["a",null],' * 9,
             '[["a","x"],["a","x"]]', '[{"a":null}]', "[[]]", "[null]", '[["a",null]]x']  # fmt: skip
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
            array = tensors[name]
            other = np.dtype("u8") if array.dtype == np.float64 else np.dtype("f8")
            yield f"{kind}: {name} has another type", with_tensors(kind, **{name: array.astype(other)})
            yield (
                f"{kind}: {name} has bytes",
                with_tensors(kind, **{name: array.astype("u1" if array.dtype != np.uint8 else "u8")}),
            )
            yield f"{kind}: {name} is flat", with_tensors(kind, **{name: array.ravel()})
            yield f"{kind}: {name} is empty", with_tensors(kind, **{name: array[:, :0]})
            yield f"{kind}: {name} is wider", with_tensors(kind, **{name: np.hstack([array, array[:, :1]])})
            yield f"{kind}: {name} is higher", with_tensors(kind, **{name: np.vstack([array, array])})
            if array.dtype == np.float64:
                for value in (np.nan, np.inf, -np.inf):
                    yield f"{kind}: {name} holds {value}", with_tensors(kind, **{name: {(0, -1): value}})
        for name in ("bias", "__class__", "shadow", "shadow_intercept", "scaler_count", "scaler_mean", "column_kind", "weights2"):
            if name not in tensors:
                yield f"{kind}: {name} is extra", with_tensors(kind, **{name: np.zeros((1, tensors["weights"].shape[1]))})
        for at, (what, values) in enumerate({
            "scaling": [0, 1, 2, 3, 255, 2**64 - 1], "each": [0, 1, 2, 2**64 - 1], "open": [0, 1, 2, 2**64 - 1],
            "width": [0, 1, 4, 6, 7, 9, 2**20, 2**31, 2**61, 2**63, 2**64 - 1], "hash": [0, 1, 4, 5, 8, 16, 2**28, 2**64 - 1],
        }.items()):  # fmt: skip
            for value in values:
                if int(tensors["columns"][0, at]) != value and (kind, what) not in {("dicts", "scaling")}:
                    yield f"{kind}: {what} {value}", with_tensors(kind, columns={(0, at): value})
        for classes in (0, 1, 2, 3, 4, 5, 2**20, 2**31, 2**63, 2**64 - 1):
            if int(tensors["tally_counts"][0, 3]) != classes:
                yield f"{kind}: {classes} classes", with_tensors(kind, tally_counts={(0, 3): classes})
        for rows in (0, 1, 29, 31, 2**63, 2**64 - 1):
            yield f"{kind}: {rows} rows", with_tensors(kind, tally_counts={(0, 0): rows})
            yield (
                f"{kind}: {rows} rows of the first class",
                with_tensors(kind, ledger_seen={(0, 0): 2**64 - 1 if rows == 1 else rows}),
            )
        yield f"{kind}: more comparisons than rows", with_tensors(kind, tally_counts={(0, 2): 31})
        if kind != "hashed":
            yield f"{kind}: more entries than cells", with_tensors(kind, tally_counts={(0, 1): 30 * 7 + 1})
        if "scaler_count" in tensors:
            yield f"{kind}: more values than rows", with_tensors(kind, scaler_count={(0, 0): 31})
        if "scaler_spread" in tensors:
            yield f"{kind}: negative spread", with_tensors(kind, scaler_spread={(0, 0): -1.0})
        if "column_kind" in tensors:
            for value in (0, 3, 255):
                yield f"{kind}: column of kind {value}", with_tensors(kind, column_kind={(0, 0): value})
        for at, values in {0: [0.0, -1.0, 2.0], 1: [0.5, -1.0], 2: [-1.0], 3: [-1.0], 4: [-1.0]}.items():
            for value in values:
                yield f"{kind}: sum {at} is {value}", with_tensors(kind, tally_sums={(0, at): value})
        for at in range(3):
            yield f"{kind}: negative sum {at} in the ledger", with_tensors(kind, ledger_sums={(1, at): -1.0})
    nothing = {"weights": np.zeros((2**31 - 1, 0)), "intercept": np.zeros((1, 1))}
    counts = {(0, 3): 2**31 - 1}
    yield "two billion classes in no bytes", with_tensors(**nothing, columns={(0, 3): 0}, tally_counts=counts)
    yield "two billion columns in no bytes", with_tensors(weights=np.zeros((0, 2**31 - 1)), columns={(0, 3): 2**31 - 1})


SUBJECTS = {
    "foreign": foreign, "truncated": truncated, "headers": headers, "layouts": layouts, "metadata": metadata, "parameters": parameters,
    "labels": labels, "names": names, "states": states,
}  # fmt: skip
