"""What there is to choose from: ``poise methods`` and ``poise learners``."""

import argparse
import inspect
import re
import textwrap
from dataclasses import fields
from pathlib import Path
from typing import Any

from poise import learners, methods
from poise.cli.tables import Record, show, show_json

Verbs = Any  # argparse keeps the name of its own type to itself
WIDTH = 100  # of a line of text


def add_to(verbs: Verbs) -> None:
    """Enter these verbs."""
    about = verbs.add_parser("methods", help="table of the methods, or one of them in detail")
    about.add_argument("name", nargs="?", metavar="NAME", help="one method, with what its parameters mean")
    about.add_argument(
        "--plugin",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="a Python file that registers methods; repeatable",
    )
    about.set_defaults(run=show_methods)
    learned = verbs.add_parser("learners", help="table of the learners")
    learned.set_defaults(run=show_learners)
    for verb in (about, learned):
        form = verb.add_mutually_exclusive_group()
        for other in ("json", "markdown"):
            form.add_argument(f"--{other}", dest="form", action="store_const", const=other, default="text", help=f"print {other}")


def show_methods(options: argparse.Namespace) -> None:
    """Print the table of methods, or one method in detail."""
    for path in options.plugin:
        methods.load_plugin(path)
    if options.name is not None:
        show_method(methods.get(options.name), options.form)
    else:
        show([method_record(entry) for entry in methods.table()], options.form)


def show_method(entry: methods.Entry, form: str) -> None:
    """Print one method with what its parameters mean."""
    record = method_record(entry)
    meanings = meanings_of(entry.kind)
    told = {name: meanings.get(name, "") for name in entry.parameters}
    if form == "json":
        show_json({**record, "about": about(entry.kind), "meanings": told})
        return
    bold, item, width = ("**", "- ", 10_000) if form == "markdown" else ("", "", WIDTH)
    lines = [f"{bold}{entry.name}{bold}: {entry.title}", "", *about(entry.kind).splitlines(), ""]
    lines += [f"{item}{head}: {record[head] or '-'}" for head in ("family", "paper", "standing")]
    lines += [f"{item}{name} = {value!r}{f': {told[name]}' if told[name] else ''}" for name, value in entry.parameters.items()]
    print("\n".join(textwrap.fill(line, width, subsequent_indent="  ") for line in lines))


def show_learners(options: argparse.Namespace) -> None:
    """Print the table of learners."""
    show([learner_record(learner) for learner in learners.table()], options.form)


def method_record(entry: methods.Entry) -> Record:
    """Return a method's line of the table."""
    return {
        "name": entry.name,
        "title": entry.title,
        "family": entry.family,
        "parameters": entry.parameters,
        "paper": entry.paper,
        "standing": entry.standing,
    }


def learner_record(learner: type[learners.Learner]) -> Record:
    """Return a learner's line of the table."""
    return {
        "name": learner.name,
        "title": learner.title,
        "family": learner.family,
        "loss": learner.loss,
        "parameters": {field.name: field.default for field in fields(learner)},
        "paper": learner.paper,
        "standing": learner.standing,
    }


def about(kind: type) -> str:
    """Return what a docstring says before its sections, each paragraph in one line."""
    text = re.split(r"\n\n?Parameters\n-+\n|\n\n?Examples\n-+\n", inspect.getdoc(kind) or "")[0]
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def meanings_of(kind: type) -> dict[str, str]:
    """Return what the docstring of a class says of each parameter."""
    found = re.search(r"Parameters\n-+\n(.*?)(?:\n\n\w+\n-+\n|\Z)", inspect.getdoc(kind) or "", re.DOTALL)
    meanings: dict[str, str] = {}
    for names, text in re.findall(r"^(\S.*)\n((?:[ \t]+.*\n?)+)", found[1] if found else "", re.MULTILINE):
        meanings |= dict.fromkeys(re.findall(r"\w+", names.partition(":")[0]), " ".join(text.split()))
    return meanings
