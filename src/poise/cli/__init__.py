"""The command line: a verb is a function. ``poise`` and ``python -m poise`` are the same."""

import argparse
import io
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any, NoReturn

from poise.cli import registry
from poise.errors import PoiseError
from poise.version import __version__

#: Files of verbs; each enters its own with ``add_to(verbs)``, and a verb takes the parsed options and prints its answer.
GROUPS = (registry,)
#: What a shell says of a program that was stopped: by Ctrl-C, by a closed pipe.
INTERRUPTED, CUT_OFF = 130, 141


class _Parser(argparse.ArgumentParser):
    """Tells what is wrong in one sentence."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message.rstrip('.')}; {self.prog} --help tells what is possible.\n")


def parser() -> argparse.ArgumentParser:
    """Return the parser of all verbs."""
    whole = _Parser(prog="poise", description="Learn from class-imbalanced data streams in one pass.")
    whole.add_argument("--version", action="version", version=f"poise {__version__}")
    verbs = whole.add_subparsers(title="verbs", metavar="VERB", required=True)
    for group in GROUPS:
        group.add_to(verbs)
    return whole


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb; returns the exit code: 0, 1 for what poise refuses, 2 for wrong usage.

    Examples
    --------
    >>> from poise.cli import main
    >>> main(["learners", "--json"])  # doctest: +ELLIPSIS
    [
      {
        "name": "fourier",
    ...
    0
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # names of methods may hold letters that a terminal does not know
            stream.reconfigure(errors="backslashreplace")
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            code = _run(arguments)
        sys.stdout.flush()
    except PoiseError as error:
        return _fail(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _forget_output()
        return CUT_OFF
    except OSError as error:
        _forget_output()
        return _fail(f"the output cannot be written ({error.strerror or error}); make room or choose another place.")
    return code


def _run(arguments: Sequence[str] | None) -> int:
    try:
        options = parser().parse_args(arguments)
    except SystemExit as done:  # argparse has told what there is to tell
        return done.code if isinstance(done.code, int) else 0
    options.run(options)
    return 0


def _fail(told: str) -> int:
    print(f"poise: {told}", file=sys.stderr)
    return 1


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    print(f"poise: {message}", file=sys.stderr)


def _forget_output() -> None:
    """Let nothing more be written: at its end Python would try once more, and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


__all__ = ["main", "parser"]
