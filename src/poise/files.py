"""Model files: safetensors layout, a checksum, no code. Read strictly, written all at once or not at all."""

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save as to_safetensors

from poise.errors import FileError

FORMAT = 1
_LONGEST_HEADER = 1 << 20
_BLANK = "0" * 64
_DTYPES = {"F64": np.dtype("<f8"), "U64": np.dtype("<u8"), "U8": np.dtype("u1")}
Tensors = dict[str, NDArray[Any]]


def pack(tensors: Tensors, facts: dict[str, str]) -> bytes:
    """Return the bytes of a model file.

    Examples
    --------
    >>> import numpy as np
    >>> from poise.files import pack, unpack
    >>> tensors, facts = unpack(pack({"weights": np.array([0.5])}, {"estimator": "HGDClassifier"}), "m.poise")
    >>> tensors["weights"].tolist(), facts["estimator"]
    ([0.5], 'HGDClassifier')
    """
    metadata = {**facts, "format": "poise", "format_version": str(FORMAT), "sha256": _BLANK}
    blank = to_safetensors({name: np.ascontiguousarray(array) for name, array in tensors.items()}, metadata)
    digest = hashlib.sha256(blank).hexdigest()
    return blank.replace(_BLANK.encode(), digest.encode(), 1)


def unpack(data: bytes, name: str) -> tuple[Tensors, dict[str, str]]:
    """Return tensors and facts of a model file's bytes; `name` is used in messages."""

    def refuse(what: str, remedy: str = "save the model again or use a backup") -> NoReturn:
        raise FileError(f"{name}: {what}; {remedy}.")

    if len(data) < 8:
        refuse(f"a model file has at least 8 bytes, this one {len(data)}")
    size = int.from_bytes(data[:8], "little")
    if size > _LONGEST_HEADER or size + 8 > len(data):
        refuse(f"its header claims {size} bytes of the file's {len(data)}, at most {_LONGEST_HEADER} are allowed: no poise model")
    header = _header(data[8 : 8 + size], refuse)
    facts = header.pop("__metadata__", None)
    if not isinstance(facts, dict) or facts.get("format") != "poise" or not all(isinstance(v, str) for v in facts.values()):
        refuse("it is no poise model", "give a file written by save()")
    version = facts.get("format_version", "")
    if not version.isascii() or not version.isdigit() or len(version) > 6:
        refuse(f"its format version is {version[:20]!r}, which is no number")
    if int(version) > FORMAT:
        refuse(
            f"it has format {version}, written by poise {facts.get('poise', 'of a newer release')}, and this release reads formats up to {FORMAT}",
            "install a newer poise",
        )
    digest = facts.get("sha256", "")
    position = data.find(digest.encode("utf-8", "replace"), 8, 8 + size) if len(digest) == 64 else -1
    if position < 0:
        refuse("its checksum is missing")
    blank = hashlib.sha256(data[:position])
    blank.update(_BLANK.encode())
    blank.update(data[position + 64 :])
    if blank.hexdigest() != digest:
        refuse("its checksum is wrong, so it is damaged")
    return _tensors(header, memoryview(data)[8 + size :], refuse), facts


def _header(raw: bytes, refuse: Any) -> dict[str, Any]:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            refuse("its header names something twice")
        return found

    try:
        header = json.loads(raw.decode("utf-8"), object_pairs_hook=unique)
    except (ValueError, RecursionError):
        refuse("its header is no JSON text")
    if not isinstance(header, dict):
        refuse("its header is no table")
    return header


def _tensors(header: dict[str, Any], body: memoryview, refuse: Any) -> Tensors:
    out: Tensors = {}
    at = 0
    for name, entry in sorted(header.items(), key=lambda item: str(item[1])):
        dtype, shape, offsets = _entry(name, entry, refuse)
        count = 1
        for extent in shape:
            count *= extent
        out[name] = np.empty(0)
        if offsets[1] - offsets[0] != count * dtype.itemsize or not 0 <= offsets[0] <= offsets[1] <= len(body):
            refuse(f"tensor {name!r} does not have the bytes its shape needs")
        out[name] = np.frombuffer(body[offsets[0] : offsets[1]], dtype=dtype).reshape(shape)
    for start, end in sorted(tuple(entry["data_offsets"]) for entry in header.values()):
        if start != at:
            refuse("its tensors overlap or leave gaps")
        at = end
    if at != len(body):
        refuse(f"it has {len(body) - at} bytes too many behind its tensors")
    return out


def _entry(name: str, entry: Any, refuse: Any) -> tuple[np.dtype[Any], list[int], list[int]]:
    def whole(numbers: Any) -> bool:
        return isinstance(numbers, list) and all(type(n) is int and 0 <= n < 1 << 62 for n in numbers)

    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        refuse(f"tensor {name!r} is not described as it should be")
    dtype = _DTYPES.get(entry["dtype"]) if isinstance(entry["dtype"], str) else None
    if dtype is None or not whole(entry["shape"]) or len(entry["shape"]) > 2:
        refuse(f"tensor {name!r} has a type or shape that no model has")
    if not whole(entry["data_offsets"]) or len(entry["data_offsets"]) != 2:
        refuse(f"tensor {name!r} does not say where its bytes are")
    assert dtype is not None
    return dtype, entry["shape"], entry["data_offsets"]


def read(path: str | os.PathLike[str]) -> bytes:
    """Read a model file whole."""
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise FileError(f"{os.fspath(path)}: there is no such file; check the path or save a model there first.") from None
    except IsADirectoryError:
        raise FileError(f"{os.fspath(path)}: this is a folder; give the path of a model file.") from None


def write(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file so that a crash leaves either the old one or the new one, whole."""
    target = Path(path)
    if not target.parent.is_dir():
        raise FileError(f"{target}: there is no folder {target.parent}; create it first.")
    with _beside(target) as (handle, temporary):
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    if os.name == "posix":
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@contextlib.contextmanager
def _beside(target: Path) -> Iterator[tuple[int, str]]:
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    try:
        yield handle, temporary
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
