"""Tables for a terminal, for Markdown and for other programs."""

import json
from collections.abc import Sequence
from typing import Any

Record = dict[str, Any]


def show(records: Sequence[Record], form: str) -> None:
    """Print records with the same keys as a table: "text", "markdown" or "json"."""
    if form == "json":
        show_json(list(records))
        return
    heads = list(records[0]) if records else []
    rows = [[_cell(value) for value in record.values()] for record in records]
    if form == "markdown":
        lines = [heads, ["---"] * len(heads), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
        print("\n".join(f"| {' | '.join(line)} |" for line in lines).replace("| --- ", "|---").replace("--- |", "---|"))
        return
    widths = [max(len(row[k]) for row in [heads, *rows]) for k in range(len(heads))]
    for row in [heads, *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def show_json(value: Any) -> None:
    """Print a value as JSON."""
    print(json.dumps(value, indent=2, ensure_ascii=False, default=float))


def _cell(value: Any) -> str:
    """Text of a cell: parameters with their defaults, a dash for nothing."""
    if isinstance(value, dict):
        value = ", ".join(f"{name}={given!r}" for name, given in value.items())
    return " ".join(str(value).split()) or "-"
