"""The C loops of limit.c, compiled into a temporary folder and called through ctypes."""

import ctypes
import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

SOURCE = Path(__file__).with_name("limit.c")
COMPILER = os.environ.get("CC", "gcc")
FLAGS = ("-O3", "-march=native", "-ffast-math", "-fPIC")

# How many arrays of d numbers each case keeps as its state.
STATE = {"plain": 1, "practical": 5, "csr": 1}

ALL = "_all_float"  # ending of a case whose weights and arithmetic are float too

Floats = npt.NDArray[np.float64]
Dense = npt.NDArray[np.floating[Any]]
Rows = Any  # a dense array or a sparse.csr_matrix, which has no generic type to name here
Codes = npt.NDArray[np.int32]


class Timed(NamedTuple):
    """One timed call: its seconds and the score of each row before it was learned."""

    seconds: float
    scores: Floats


class Limit:
    """The compiled loops by case name: "plain_hinge", "practical_logistic", "csr_logistic" ...

    With the ending "_all_float" (float data only) the weights and the arithmetic are float too.
    """

    def __init__(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self._library = ctypes.CDLL(str(_compile(Path(folder))))

    def run(self, case: str, X: Rows, codes: Codes, scores: Floats | None = None) -> Timed:
        """Run one case from fresh weights; only the C function itself is timed.

        Pass `scores` to write into an array whose pages were touched before.
        """
        if scores is None:
            scores = np.zeros(X.shape[0])
        kind = "f32" if X.dtype == np.float32 else "f64"
        name = f"{case.removesuffix(ALL)}_f32_all" if case.endswith(ALL) else f"{case}_{kind}"
        call = self._library[name]
        call.restype = None
        state = [
            np.zeros(X.shape[1], np.float32 if case.endswith(ALL) else np.float64) for _ in range(STATE[case.partition("_")[0]])
        ]
        arguments = [ctypes.c_int64(X.shape[0]), *_data(X)]
        arguments += [_pointer(array) for array in (codes, *state, scores)]
        begin = time.perf_counter()
        call(*arguments)
        return Timed(time.perf_counter() - begin, scores)


def compiler_version() -> str:
    """Return the first line the compiler prints about itself."""
    shown = subprocess.run([COMPILER, "--version"], capture_output=True, text=True, check=True)
    return shown.stdout.splitlines()[0]


def _compile(folder: Path) -> Path:
    """Compile and link in two steps.

    Linking with -ffast-math would switch off subnormal numbers in the whole process, and with it in
    the libraries the loops are compared to.
    """
    compiled, library = folder / "limit.o", folder / "limit.so"
    subprocess.run([COMPILER, *FLAGS, "-c", str(SOURCE), "-o", str(compiled)], check=True)
    linked = [COMPILER, "-shared", str(compiled), "-o", str(library), "-lm"]
    subprocess.run(linked, check=True)
    return library


def _data(X: Rows) -> list[Any]:
    if hasattr(X, "indptr"):
        if X.indices.dtype != np.int32 or X.indptr.dtype != np.int32:
            raise TypeError(f"the C loop reads int32 indices, not {X.indices.dtype}")
        return [_pointer(X.indptr), _pointer(X.indices), _pointer(X.data)]
    if not X.flags.c_contiguous:
        raise ValueError("the C loop reads rows that lie one behind the other (C order)")
    return [ctypes.c_int64(X.shape[1]), _pointer(X)]


def _pointer(array: npt.NDArray[Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)
