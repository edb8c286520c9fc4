"""Progress is a bar on a terminal, a few lines elsewhere, and silent on request."""

import io
import sys

import pytest

from poise.progress import Progress


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")


class Clock:
    """A clock that stands still until it is told to go on."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class Terminal(io.StringIO):
    def isatty(self):
        return True


def lines(stream):
    return stream.getvalue().splitlines()


def run(progress, clock, steps, rows, seconds):
    """Advance in equal steps."""
    with progress:
        for _ in range(steps):
            clock.now += seconds
            progress.advance(rows)


class TestInALog:
    def test_a_short_run_is_one_line(self):
        clock, log = Clock(), io.StringIO()
        run(Progress(100, "learn", stream=log, clock=clock), clock, 10, 10, 0.5)
        assert lines(log) == ["learn: 100 of 100 rows, 100 %, 20 rows/s, took 5 s"]

    def test_a_long_run_is_a_line_each_10_seconds_and_one_at_the_end(self):
        clock, log = Clock(), io.StringIO()
        run(Progress(6000, "learn", stream=log, clock=clock), clock, 60, 100, 0.5)
        assert lines(log) == [
            "learn: 2,000 of 6,000 rows, 33 %, 200 rows/s, 20 s to go",
            "learn: 4,000 of 6,000 rows, 66 %, 200 rows/s, 10 s to go",
            "learn: 6,000 of 6,000 rows, 100 %, 200 rows/s",
            "learn: 6,000 of 6,000 rows, 100 %, 200 rows/s, took 30 s",
        ]

    def test_nothing_in_it_needs_a_terminal(self):
        clock, log = Clock(), io.StringIO()
        run(Progress(6000, "learn", stream=log, clock=clock), clock, 60, 100, 0.5)
        assert not set(log.getvalue()) & {"\r", "\x1b", "\b"}


class TestOnATerminal:
    def test_one_line_is_drawn_again_and_again(self):
        clock, screen = Clock(), Terminal()
        run(Progress(100, "learn", stream=screen, clock=clock), clock, 4, 25, 1.0)
        drawn = screen.getvalue()
        assert drawn.count("\n") == 1
        assert drawn.endswith("\n")
        states = [state.rstrip() for state in drawn.split("\r")[1:]]
        half, full = "#" * 12 + "." * 12, "#" * 24
        assert states[1] == f"[{half}] learn: 50 of 100 rows, 50 %, 25 rows/s, 2 s to go"
        assert states[-1] == f"[{full}] learn: 100 of 100 rows, 100 %, 25 rows/s, took 4 s"

    @pytest.mark.parametrize("columns", [20, 60, 80, 120])
    def test_the_line_never_wraps(self, monkeypatch, columns):
        monkeypatch.setenv("COLUMNS", str(columns))
        clock, screen = Clock(), Terminal()
        run(Progress(10**9, "learn", stream=screen, clock=clock), clock, 10, 10**8, 777.0)
        assert max(len(state.strip()) for state in screen.getvalue().split("\r")) < columns

    def test_at_most_ten_times_a_second(self):
        clock, screen = Clock(), Terminal()
        run(Progress(1024, "learn", stream=screen, clock=clock), clock, 1024, 1, 1 / 1024)
        assert screen.getvalue().count("\r") <= 11

    def test_a_shorter_line_wipes_the_longer_one_before(self):
        clock, screen = Clock(), Terminal()
        run(Progress(10**6, "learn", stream=screen, clock=clock), clock, 2, 500_000, 3600.0)
        first, second, _ = screen.getvalue().rstrip("\n").split("\r")[1:]
        assert len(second.rstrip()) < len(first)
        assert len(second) == len(first)


class TestShow:
    def test_false_writes_nothing(self):
        clock, screen = Clock(), Terminal()
        run(Progress(100, "learn", show=False, stream=screen, clock=clock), clock, 5, 20, 60.0)
        assert screen.getvalue() == ""

    def test_true_draws_the_bar_anywhere(self):
        clock, log = Clock(), io.StringIO()
        run(Progress(100, "learn", show=True, stream=log, clock=clock), clock, 1, 100, 1.0)
        assert "[########################]" in log.getvalue()

    def test_by_default_it_goes_where_errors_go(self, monkeypatch):
        log = io.StringIO()
        monkeypatch.setattr(sys, "stderr", log)
        with Progress(1, "learn") as progress:
            progress.advance()
        assert lines(log)[0].startswith("learn: 1 of 1 rows, 100 %")


class TestOddRuns:
    def test_an_unknown_total_shows_rows_and_rate_only(self):
        clock, log = Clock(), io.StringIO()
        run(Progress(None, "read", stream=log, clock=clock), clock, 3, 1000, 10.0)
        assert lines(log)[0] == "read: 1,000 rows, 100 rows/s"
        assert lines(log)[-1] == "read: 3,000 rows, 100 rows/s, took 30 s"

    def test_no_rows_at_all(self):
        clock, log = Clock(), io.StringIO()
        run(Progress(0, "learn", stream=log, clock=clock), clock, 0, 0, 0.0)
        assert lines(log) == ["learn: 0 of 0 rows, 0 rows/s, took 0 s"]

    def test_more_rows_than_announced_stay_at_100_per_cent(self):
        clock, screen = Clock(), Terminal()
        run(Progress(10, "learn", stream=screen, clock=clock), clock, 2, 10, 1.0)
        ending = "[" + "#" * 24 + "] learn: 20 of 10 rows, 100 %, 10 rows/s, took 2 s\n"
        assert screen.getvalue().endswith(ending)

    def test_a_run_that_breaks_off_says_so_and_lets_the_error_through(self):
        def break_off(progress, clock):
            with progress:
                clock.now += 2.0
                progress.advance(4)
                raise KeyboardInterrupt

        clock, log = Clock(), io.StringIO()
        with pytest.raises(KeyboardInterrupt):
            break_off(Progress(10, "learn", stream=log, clock=clock), clock)
        assert lines(log) == ["learn: 4 of 10 rows, 40 %, 2 rows/s, stopped: took 2 s"]

    @pytest.mark.parametrize(
        ("seconds", "words"),
        [(59.4, "59 s"), (59.6, "1 min 00 s"), (3599, "59 min 59 s"), (7260, "2 h 01 min")],
    )
    def test_long_times_are_told_in_minutes_and_hours(self, seconds, words):
        clock, log = Clock(), io.StringIO()
        run(Progress(1, "learn", stream=log, clock=clock), clock, 1, 1, seconds)
        assert lines(log)[-1].endswith(f"took {words}")
