"""Methods from elsewhere: files that a user names, and what installed packages offer."""

import importlib.util
import sys
import warnings
from importlib import metadata
from pathlib import Path

from poise.errors import ParameterError, PoiseError
from poise.methods.registry import forget, names

GROUP = "poise.methods"


def load_plugin(path: str | Path) -> list[str]:
    r"""Run a Python file that registers methods; returns their names.

    Parameters
    ----------
    path
        The file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from poise import methods
    >>> text = "import poise\n@poise.method('two')\ndef two(row, ledger, memo, p, rng):\n    return 2.0\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "two.py")
    ...     _ = path.write_text(text)
    ...     methods.load_plugin(path)
    ['two']
    >>> methods.forget("two")
    """
    file = Path(path)
    if not file.is_file():
        raise ParameterError(f"plugin {str(path)!r} is no file; give the path of a Python file that registers a method.")
    before = set(names())
    spec = importlib.util.spec_from_file_location(f"poise_plugin_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise ParameterError(f"plugin {str(path)!r} is no Python file; its name must end in .py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[spec.name]
        for name in set(names()) - before:
            forget(name)
        told = str(error) if isinstance(error, PoiseError) else f"{type(error).__name__}: {error}"
        raise ParameterError(f"plugin {str(path)!r} fails ({told.rstrip('.')}); repair it.") from error
    new = sorted(set(names()) - before)
    if not new:
        raise ParameterError(f"plugin {str(path)!r} registers no method; decorate a function with @poise.method('name').")
    return new


def load_entry_points() -> None:
    """Load the methods that installed packages offer as entry points of the group "poise.methods".

    One that fails is left out with a warning, so that it does not stand in the way of the others.
    """
    for point in metadata.entry_points(group=GROUP):
        try:
            point.load()
        except Exception as error:  # noqa: BLE001 - it is somebody else's code
            told = f"{type(error).__name__}: {error}"
            warnings.warn(
                f"Entry point {point.name!r} of {GROUP} fails ({told}) and is left out; repair or remove its package.",
                UserWarning,
                stacklevel=2,
            )
