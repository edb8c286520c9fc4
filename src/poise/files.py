"""Model files: safetensors layout, a checksum, no code. Read strictly, written all at once or not at all."""

import hashlib
import json
import math
import os
import secrets
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from poise.errors import FileError
from poise.version import __version__

FORMAT = 1
_LONGEST_HEADER = 1 << 20
_BLANK = "0" * 64
_SEALED = b'"sha256":"'
_DTYPES: dict[str, np.dtype[Any]] = {"F64": np.dtype("<f8"), "U64": np.dtype("<u8"), "U8": np.dtype("u1")}
Tensors = dict[str, NDArray[Any]]
Refuse = Callable[[str], NoReturn]


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
    kinds = {dtype.str: kind for kind, dtype in _DTYPES.items()}
    entries: dict[str, Any] = {"__metadata__": {**facts, "format": "poise", "format_version": str(FORMAT), "sha256": _BLANK}}
    parts, at = [], 0
    for name, array in sorted(tensors.items(), key=lambda item: (-item[1].itemsize, item[0])):  # the widest first: all aligned
        little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        entries[name] = {"dtype": kinds[little.dtype.str], "shape": list(little.shape), "data_offsets": [at, at + little.nbytes]}
        parts.append(little.tobytes())
        at += little.nbytes
    header = json.dumps(entries, separators=(",", ":"), sort_keys=True).encode()
    header += b" " * (-len(header) % 8)
    if len(header) > _LONGEST_HEADER:
        raise FileError(
            f"The parameters need {len(header)} bytes of text, and a model file holds at most {_LONGEST_HEADER}; "
            "use shorter texts as parameters."
        )
    size = len(header).to_bytes(8, "little")
    digest = hashlib.sha256(size + header)
    for part in parts:
        digest.update(part)
    sealed = header.replace(_SEALED + _BLANK.encode(), _SEALED + digest.hexdigest().encode(), 1)
    return b"".join([size, sealed, *parts])


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
    if int(version) < 1:
        refuse(f"its format version is {version!r}, and the first format is 1")
    if int(version) > FORMAT:
        writer = repr(facts["poise"][:20]) if "poise" in facts else "of a newer release"
        refuse(
            f"it has format {int(version)}, written by poise {writer}, and this poise {__version__} reads formats up to {FORMAT}",
            "install a newer poise",
        )
    digest = facts.get("sha256", "")
    position = data.find(_SEALED + digest.encode("utf-8", "replace"), 8, 8 + size) if len(digest) == 64 else -1
    if position < 0:
        refuse("its checksum is missing")
    position += len(_SEALED)
    whole = memoryview(data)
    blank = hashlib.sha256(whole[:position])
    blank.update(_BLANK.encode())
    blank.update(whole[position + 64 :])
    if blank.hexdigest() != digest:
        refuse("its checksum is wrong, so it is damaged")
    return _tensors(header, whole[8 + size :], refuse), facts


def from_json(text: bytes | str, what: str) -> Any:
    """Read JSON text of a model file strictly: no name twice, no NaN or infinity; `what` is used in messages."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise FileError(f"{what} name something twice")
        return found

    def constant(name: str) -> NoReturn:
        raise FileError(f"{what} hold {name}, which is no JSON")

    try:
        plain = text if isinstance(text, str) else text.decode("utf-8", "surrogatepass")
        return json.loads(plain, object_pairs_hook=unique, parse_constant=constant)
    except FileError:
        raise
    except (ValueError, RecursionError):
        raise FileError(f"{what} are no JSON text") from None


def _header(raw: bytes, refuse: Refuse) -> dict[str, Any]:
    try:
        header = from_json(raw, "the entries of its header")
    except FileError as error:
        refuse(str(error))
    if not isinstance(header, dict):
        refuse("its header is no table")
    return header


def _tensors(header: dict[str, Any], body: memoryview, refuse: Refuse) -> Tensors:
    out: Tensors = {}
    spans = []
    for name, entry in header.items():
        dtype, shape, (start, end) = _entry(name, entry, refuse)
        if end - start != math.prod(shape) * dtype.itemsize or end > len(body):
            refuse(f"tensor {name[:40]!r} does not have the bytes its shape needs")
        out[name] = np.frombuffer(body[start:end], dtype=dtype).reshape(shape)
        if not out[name].flags.aligned:
            refuse(f"tensor {name[:40]!r} does not start at a multiple of {dtype.itemsize} bytes")
        spans.append((start, end))
    at = 0
    for start, end in sorted(spans):
        if start != at:
            refuse("its tensors overlap or leave gaps")
        at = end
    if at != len(body):
        refuse(f"it has {len(body) - at} bytes too many behind its tensors")
    return out


def _entry(name: str, entry: Any, refuse: Refuse) -> tuple[np.dtype[Any], list[int], list[int]]:
    def whole(numbers: Any) -> bool:
        return isinstance(numbers, list) and len(numbers) <= 2 and all(type(n) is int and 0 <= n < 1 << 31 for n in numbers)

    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        refuse(f"tensor {name[:40]!r} is not described as it should be")
    kind, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(kind, str) or kind not in _DTYPES or not whole(shape):
        refuse(f"tensor {name[:40]!r} has a type or shape that no model has")
    if not isinstance(offsets, list) or [type(at) for at in offsets] != [int, int] or not 0 <= offsets[0] <= offsets[1]:
        refuse(f"tensor {name[:40]!r} does not say where its bytes are")
    return _DTYPES[kind], list(shape), offsets


def read(path: str | os.PathLike[str]) -> bytes:
    """Read a model file whole."""
    name = os.fspath(path)
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise FileError(f"{name}: this is no plain file; give the path of a model file.")
            return file.read()
    except FileNotFoundError:
        raise FileError(f"{name}: there is no such file; check the path or save a model there first.") from None
    except IsADirectoryError:
        raise FileError(f"{name}: this is a folder; give the path of a model file.") from None
    except FileError:
        raise
    except (OSError, ValueError) as error:  # a ValueError tells of a zero byte in the path
        told = getattr(error, "strerror", None) or error
        raise FileError(f"{name}: it cannot be read ({told}); check its path, its permissions and the disk.") from error


def _without_waiting(path: str, flags: int) -> int:
    """Open a file; a pipe without a writer would otherwise wait for one."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def write(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file so that a crash leaves either the old one or the new one, whole."""
    target = Path(path)
    if not target.parent.is_dir():
        raise FileError(f"{target}: there is no folder {target.parent}; create it first.")
    temporary = target.parent / f".{secrets.token_hex(8)}.part"
    try:
        try:
            with temporary.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if target.is_file():
                temporary.chmod(stat.S_IMODE(target.stat().st_mode))
            os.replace(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
        _settle(target.parent)
    except OSError as error:
        raise FileError(
            f"{target}: it cannot be written ({error.strerror or error}); make room or choose another place."
        ) from error


def _settle(folder: Path) -> None:
    """Make a new name in a folder survive a power cut, where the system has a way to say so."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
