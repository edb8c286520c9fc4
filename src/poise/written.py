"""Parameters and labels of a classifier as the text of its file, and back. Values only: nothing here runs what a text says."""

import math
from dataclasses import asdict
from typing import Any

import numpy as np

from poise import files, learners, methods
from poise.errors import DataError, FileError, ParameterError
from poise.labels import Labels, class_label
from poise.learners import Learner
from poise.methods import Method

_BY_NAME: dict[str, Any] = {"method": methods.get, "learner": learners.get}


class UnknownMethodError(FileError):
    """A file of a model whose method is not registered here."""


def labels_of(saved: Any) -> Labels:
    """Return the labels of a file."""
    if saved is None or saved.dtype != np.uint8 or saved.ndim != 1:
        raise FileError("its labels are missing")
    arrived = files.from_json(saved.tobytes(), "its labels")
    if not isinstance(arrived, list) or not all(isinstance(label, (bool, int, float, str)) for label in arrived):
        raise FileError("its labels are no list of texts and numbers")
    try:
        labels = Labels([class_label(label, None) for label in arrived])
    except DataError as error:
        raise FileError(f"its labels cannot name classes ({str(error).rstrip('.')})") from None
    if len(labels.codes) != len(arrived):
        raise FileError("it has a label twice")
    return labels


def plain(name: str, value: Any) -> Any:
    """Return a parameter as JSON can hold it."""
    if isinstance(value, (Method, Learner)) and name in _BY_NAME:
        _require_registered(name, value)
        return {"name": value.name, "parameters": {key: plain(f"{name}.{key}", own) for key, own in asdict(value).items()}}
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise FileError(f"Parameter {name} is {value!r}, which a model file cannot hold; use a number, a text or None.")


def _require_registered(name: str, value: Method | Learner) -> None:
    """Refuse what `load` could not find by its name."""
    try:
        found = _BY_NAME[name](value.name)
    except ParameterError:
        found = None
    if (found.kind if isinstance(found, methods.Entry) else found) is not type(value):
        raise FileError(
            f"Parameter {name} is {value!r}, which a model file cannot hold: load() finds it by its registered name, and it has "
            f"none; use one of poise.{name}s.names(){', or poise.method for one of your own' if name == 'method' else ''}."
        )


def value_of(name: str, saved: Any) -> Any:
    """Return what `plain` was given."""
    if not isinstance(saved, (dict, list)):
        if name == "method" and isinstance(saved, str):
            _require_known(saved)
        return saved
    if isinstance(saved, dict) and name in _BY_NAME and saved.keys() == {"name", "parameters"}:
        kind, parameters = saved["name"], saved["parameters"]
        if isinstance(kind, str) and isinstance(parameters, dict):
            if name == "method":
                _require_known(kind)
            return _BY_NAME[name](kind)(**parameters)
    raise FileError(f"its parameter {name!r} is neither a number nor a text")


def _require_known(kind: str) -> None:
    """Refuse the name of a method that is not in the registry; nothing but the registry is asked."""
    try:
        methods.get(kind)
    except ParameterError:
        raise UnknownMethodError(
            f"it was learned with the method {kind[:40]!r}, which is not registered here; install the package or load the plugin "
            "that defines it (poise.methods.load_plugin), then read the file again."
        ) from None


def plain_labels(arrived: list[Any]) -> list[Any]:
    """Return labels as JSON can hold them."""
    for label in arrived:
        if not isinstance(label, (bool, int, float, str)):
            raise FileError(
                f"Label {label!r} is a {type(label).__name__}, which a model file cannot hold; use text or numbers as labels."
            )
    return arrived
