"""Small model files, taken apart and put together otherwise, most of them with a right checksum."""

import functools
import hashlib
import json
import struct

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
