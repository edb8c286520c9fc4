"""Files that are no whole model of poise, most of them with a right checksum: made the same in every run."""

import gzip
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

from file_parts import assembled, good, parts, sealed, with_entry, with_facts, with_text
from hostile_contents import labels, names, parameters, states


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
    yield from beginnings()


def beginnings():
    """Yield the first bytes of well-known kinds of files, alone and before random ones."""
    magic = {
        "PNG": b"\x89PNG\r\n\x1a\n", "ELF": b"\x7fELF\x02\x01\x01", "HDF5": b"\x89HDF\r\n\x1a\n", "PDF": b"%PDF-1.7\n",
        "SQLite": b"SQLite format 3\0", "script": b"#!/bin/sh\nmkdir x\n", "Parquet": b"PAR1", "GGUF": b"GGUF\x03",
        "zstd": b"(\xb5/\xfd", "YAML": b"!!python/object/apply:os.mkdir [x]\n", "JSON": b'{"weights": [1, 2, 3]}',
        "ONNX": b"\x08\x07\x12\x07pytorch", "nothing": b"", "a letter": b"a", "seven bytes": b"\x01" + b"\0" * 6,
        "eight zeros": b"\0" * 8, "zeros": b"\0" * 9999, "ones": b"\xff" * 9999, "text": b"weights: none\n" * 500,
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
    near = [size - 8, size - 1, size + 1, size + 8, len(data) - 8, len(data)]
    for claim in (0, 1, *near, 2**20, 2**20 + 1, 2**31, 2**32, 2**63, 2**64 - 1):
        yield f"header length {claim}", struct.pack("<Q", claim) + data[8:]
    yield "header of more than a megabyte", sealed(data[8 : 8 + size].decode() + " " * (1 << 20), body)
    texts = {
        "none": "", "a list": "[]", "a number": "1", "null": "null", "a text": '"x"', "an empty table": "{}",
        "two tables": "{}{}", "NaN": "NaN", "not closed": '{"a":', "single quotes": "{'a': 1}", "a comment": '{"a": 1 /* x */}',
        "deep lists": "[" * 100_000, "deep tables": '{"a":' * 100_000, "many lists": "[" + "[]," * 100_000 + "[]]",
        "a long number": '{"a":' + "9" * 500_000 + "}", "Python": "__import__('os').mkdir('x')", "zero bytes": "\0" * 64,
        "facts are null": '{"__metadata__":null}', "facts are a list": '{"__metadata__":[]}',
        "facts are a text": '{"__metadata__":"poise"}',
    }  # fmt: skip
    for name, text in texts.items():
        yield f"header is {name}", sealed(text, body)
    bad_utf8 = data[:8] + b"\xff\xfe" + data[10:]
    yield "header is no UTF-8", bad_utf8
    again = '"names":{"dtype":"U8","shape":[2],"data_offsets":[326,328]},"weights":{'
    yield "tensor named twice", with_text('"weights":{', again)
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
        "offsets of text": {"data_offsets": [str(start), str(stop)]},
        "offsets a table": {"data_offsets": {"0": start, "1": stop}}, "no offsets": {"data_offsets": None},
        "far offsets": {"data_offsets": [2**62, 2**62 + stop - start]}, "wider": {"shape": [1, 6]},
        "narrower": {"shape": [1, 4]}, "turned": {"shape": [5, 1]}, "flat": {"shape": [5]}, "scalar": {"shape": []},
        "three dimensions": {"shape": [1, 5, 1]}, "many dimensions": {"shape": [1] * 40 + [5]},
        "negative shape": {"shape": [-1, -5]}, "half negative shape": {"shape": [-1, 5]},
        "huge shape": {"shape": [2**31, 2**31]}, "wrapping shape": {"shape": [2**32, 2**32 + 5]},
        "wider than memory": {"shape": [1, 2**60]}, "empty shape": {"shape": [0, 5]},
        "shape of fractions": {"shape": [1.0, 5.0]}, "shape of texts": {"shape": ["1", "5"]},
        "shape of truths": {"shape": [True, 5]}, "shape a number": {"shape": 5}, "shape null": {"shape": [None, 5]},
        "no shape": {"shape": None}, "nested shape": {"shape": [[1, 5]]}, "no type": {"dtype": None},
        "type a number": {"dtype": 8}, "type a list": {"dtype": ["F64"]}, "type in small letters": {"dtype": "f64"},
        "type of numpy": {"dtype": "<f8"}, "object type": {"dtype": "O"}, "another key": {"path": "/etc/passwd"},
        "strides": {"strides": [0, 0]},
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
    yield from strange_names(tensors, facts)


def strange_names(tensors, facts):
    """Yield files with a tensor whose name is a path, or no name at all."""
    odd_names = ("../../weights", "/etc/passwd", "C:\\weights", "weights\0", "", "x" * 5000, "\ud800", "file:///etc/passwd")
    for name in (*odd_names, "weights/../names"):
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
    strangers = (
        "KernelClassifier",
        "hgdclassifier",
        "poise.HGDClassifier",
        "os.system",
        "../HGDClassifier",
        "x" * 9999,
        "__init__",
    )
    for value in strangers:
        yield f"estimator {value[:30]}", with_facts(estimator=value)
    yield "estimator with other parameters", with_facts(estimator="StreamClassifier")
    for value in ("0" * 64, "f" * 64, "f" * 63, "f" * 65, "F" * 64):
        data = with_text('"sha256":"', '"sha257":"')
        unsealed = data.replace(b'"sha257":"', b'"sha256":"')
        yield f"checksum {value[:2]}, {len(value)} digits", unsealed.replace(parts(data)[2]["sha257"].encode(), value.encode())
    yield "checksum under another name", with_text('"sha256":"', '"sha255":"')


SUBJECTS = {
    "foreign": foreign, "truncated": truncated, "headers": headers, "layouts": layouts, "metadata": metadata,
    "parameters": parameters, "labels": labels, "names": names, "states": states,
}  # fmt: skip
