"""One line that says how far a long run has come, how fast it goes and how long it will take."""

import shutil
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self, TextIO

_REDRAW_SECONDS = 0.1
_PLAIN_SECONDS = 10.0
_BAR_WIDTH = 24


class Progress:
    """Show how many rows are done: a bar on a terminal, a few plain lines in a log.

    A terminal gets one line that is redrawn at most ten times a second. Anything else (a file, a
    pipe) gets a plain line at most every 10 seconds and one at the end.

    Parameters
    ----------
    total
        How many rows there will be, or None when that is not known.
    label
        What is being done, in a word or two.
    show
        None draws what suits the stream, True always draws the bar, False nothing at all.
    stream
        Where to write; by default the standard error stream.
    clock
        Gives the time in seconds.

    Examples
    --------
    >>> import io
    >>> from poise.progress import Progress
    >>> log = io.StringIO()
    >>> ticks = iter([0.0, 1.0, 2.0])
    >>> with Progress(2000, "learn", stream=log, clock=lambda: next(ticks)) as progress:
    ...     progress.advance(2000)
    >>> print(log.getvalue(), end="")
    learn: 2,000 of 2,000 rows, 100 %, 1,000 rows/s, took 2 s
    """

    def __init__(
        self,
        total: int | None,
        label: str,
        *,
        show: bool | None = None,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._total = total
        self._label = label
        # Looked up now, not when the module was read: tests and notebooks replace sys.stderr.
        self._stream = sys.stderr if stream is None else stream
        self._clock = clock
        self._shown = show is not False
        self._bar = show is True or (show is None and self._stream.isatty())
        self._done = 0
        self._width = 0
        self._started = self._drawn = clock()

    def __enter__(self) -> Self:
        """Give the progress itself; the clock has been running since it was made."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Write the last line, also when the run was broken off."""
        if self._shown:
            seconds = self._clock() - self._started
            ending = f"took {_duration(seconds)}"
            self._write(seconds, ending if kind is None else f"stopped: {ending}")
            if self._bar:
                self._stream.write("\n")
            self._stream.flush()

    def advance(self, n: int = 1) -> None:
        """Say that `n` more rows are done.

        Parameters
        ----------
        n
            Rows done since the last call.
        """
        self._done += n
        if not self._shown:
            return
        now = self._clock()
        if now - self._drawn >= (_REDRAW_SECONDS if self._bar else _PLAIN_SECONDS):
            self._drawn = now
            seconds = now - self._started
            self._write(seconds, self._remaining(seconds))
            self._stream.flush()

    def _write(self, seconds: float, ending: str) -> None:
        rate = self._done / seconds if seconds > 0 else 0.0
        parts = [f"{self._count()} rows", f"{rate:,.0f} rows/s", ending]
        if self._total:
            parts.insert(1, f"{min(100, 100 * self._done // self._total)} %")
        line = f"{self._label}: " + ", ".join(part for part in parts if part)
        if not self._bar:
            self._stream.write(line + "\n")
            return
        # A line that is broken in two could not be drawn over.
        room = shutil.get_terminal_size().columns - 1
        if self._total and len(line) + _BAR_WIDTH + 3 <= room:
            filled = int(_BAR_WIDTH * min(1.0, self._done / self._total))
            line = f"[{'#' * filled}{'.' * (_BAR_WIDTH - filled)}] {line}"
        line = line[:room]
        # Blanks wipe what is left of a longer line drawn before.
        self._stream.write("\r" + line.ljust(self._width))
        self._width = len(line)

    def _count(self) -> str:
        return f"{self._done:,}" + (f" of {self._total:,}" if self._total is not None else "")

    def _remaining(self, seconds: float) -> str:
        if not self._total or not self._done or self._done >= self._total:
            return ""
        return f"{_duration(seconds * (self._total - self._done) / self._done)} to go"


def _duration(seconds: float) -> str:
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
