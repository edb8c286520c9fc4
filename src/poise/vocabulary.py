"""Named features to columns: a growing vocabulary, or hashing onto a fixed number of them."""

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from poise.errors import DataError, FileError
from poise.files import from_json

NUMBER, TEXT = 0, 1


class Vocabulary:
    """Which column a name has: one per numeric name, one per pair of a name and a text.

    Examples
    --------
    >>> from poise.vocabulary import Vocabulary
    >>> words = Vocabulary()
    >>> words.add({"amount": 12.0, "country": "FR"})
    [0, 1]
    >>> words.names
    ['amount', 'country=FR']
    """

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}
        self.texts: dict[Any, dict[str, int]] = {}
        self.keys: list[tuple[Any, str | None]] = []

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def names(self) -> list[str]:
        """Column names in order."""
        return [str(name) if text is None else f"{name}={text}" for name, text in self.keys]

    def add(self, record: dict[Any, Any], row: int = 0) -> list[int]:
        """Enter the names of a row that are new; returns the kind (number or text) of each new column."""
        kinds: list[int] = []
        for name, value in record.items():
            if not isinstance(name, (str, int)):
                self.forget(len(kinds))
                raise DataError(f"Row {row}, feature {name!r}: a {type(name).__name__} is no name; use text or whole numbers.")
            if isinstance(value, str):
                if value not in self.texts.setdefault(name, {}):
                    self._enter(name, value)
                    kinds.append(TEXT)
            elif name not in self.numbers:
                self._enter(name, None)
                kinds.append(NUMBER)
        return kinds

    def add_numbers(self, names: Iterable[Any]) -> None:
        """Enter the columns of a table of numbers."""
        for name in names:
            self._enter(name, None)

    def _enter(self, name: Any, text: str | None) -> None:
        if text is None:
            self.numbers[name] = len(self.keys)
        else:
            self.texts.setdefault(name, {})[text] = len(self.keys)
        self.keys.append((name, text))

    def forget(self, count: int) -> None:
        """Take back the newest `count` columns."""
        for _ in range(count):
            name, text = self.keys.pop()
            if text is None:
                del self.numbers[name]
            else:
                del self.texts[name][text]
                if not self.texts[name]:
                    del self.texts[name]

    def to_bytes(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """Return the names as UTF-8 JSON bytes, for a file."""
        return np.frombuffer(json.dumps(self.keys, ensure_ascii=False).encode("utf-8", "surrogatepass"), dtype=np.uint8)

    @classmethod
    def from_bytes(cls, saved: np.ndarray[Any, np.dtype[np.uint8]]) -> "Vocabulary":
        """Read what `to_bytes` wrote."""
        words = cls()
        keys = from_json(saved.tobytes(), "its feature names")
        for key in keys if isinstance(keys, list) else [keys]:
            pair = isinstance(key, list) and len(key) == 2
            if not pair or not isinstance(key[0], (str, int)) or not isinstance(key[1], (str, type(None))):
                raise FileError("its feature names are no list of names and texts")
            words._enter(key[0], key[1])
        if len(words.numbers) + sum(map(len, words.texts.values())) != len(words.keys):
            raise FileError("it names a feature twice")
        return words
