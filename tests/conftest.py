"""Options of the whole suite, and what it measured."""

import os
import sys

import pytest

# scripts/check --sanitize tests a build of its own, not the installed one.
if folder := os.environ.get("POISE_SANITIZED"):
    sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__name__ != "ScikitBuildRedirectingFinder"]
    sys.path.insert(0, folder)


def pytest_addoption(parser):
    parser.addoption(
        "--all",
        action="store_true",
        help="compare with the slow twin on 20,000 rows of every set instead of a sample; takes some minutes",
    )


def pytest_terminal_summary(terminalreporter):
    largest = {}
    for report in [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]:
        for measured in (value for name, value in report.user_properties if name == "off the twin"):
            for what, size in measured.items():
                largest[what] = max(size, largest.get(what, 0.0))
    if largest:
        told = ", ".join(f"{what} {size:.1e}" for what, size in largest.items())
        terminalreporter.write_line(f"Largest difference between the core and its slow twin: {told}")


@pytest.fixture
def forget_own_methods():
    """Forget the methods that a test registers."""
    from poise import methods  # not before --sanitize has chosen the build

    known = set(methods.names())
    yield
    for name in set(methods.names()) - known:
        methods.forget(name)
