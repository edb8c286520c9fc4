"""Made-up rows for the speed benchmark: Gaussian columns, a noisy linear label, 1:20 unless told."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

SEED = 20
CELLS = 2_000_000  # 16 MB in f64
IMBALANCE = 20
CSR_COLUMNS, CSR_NONZEROS, CSR_ROWS = 123, 14, 100_000


@dataclass(frozen=True)
class Block:
    """Rows with their labels: int64 as a user has them, int32 codes as the C loops read them."""

    X: Any
    y: npt.NDArray[np.int64]

    @property
    def codes(self) -> npt.NDArray[np.int32]:
        return self.y.astype(np.int32)

    @property
    def name(self) -> str:
        return "f32" if self.X.dtype == np.float32 else "f64"

    def both(self) -> tuple["Block", "Block"]:
        """Give the block as it is and with f32 data."""
        return self, Block(self.X.astype(np.float32), self.y)


def dense(d: int, rows: int | None = None, share: float = 1.0, imbalance: int = IMBALANCE) -> Block:
    """Make rows of `d` Gaussian columns: `rows` of them, or `share` of what fills 16 MB."""
    rng = np.random.default_rng(SEED)
    count = rows if rows is not None else int(CELLS // d * share)
    X = rng.standard_normal((count, d))
    return Block(X, _labels(X @ rng.standard_normal(d) / np.sqrt(d), rng, imbalance))


def csr(rows: int | None = None, share: float = 1.0) -> Block:
    """Make sparse rows of 14 Gaussian values in 123 columns."""
    rng = np.random.default_rng(SEED)
    count = rows if rows is not None else int(CSR_ROWS * share)
    keys = rng.random((count, CSR_COLUMNS))
    columns = np.argpartition(keys, CSR_NONZEROS, axis=1)[:, :CSR_NONZEROS]
    indices = np.sort(columns, axis=1).astype(np.int32).ravel()
    indptr = np.arange(0, count * CSR_NONZEROS + 1, CSR_NONZEROS, dtype=np.int32)
    values = rng.standard_normal(count * CSR_NONZEROS)
    X = sparse.csr_matrix((values, indices, indptr), shape=(count, CSR_COLUMNS))
    signal = X @ rng.standard_normal(CSR_COLUMNS) / np.sqrt(CSR_NONZEROS)
    return Block(X, _labels(signal, rng, IMBALANCE))


def _labels(signal: npt.NDArray[np.float64], rng: np.random.Generator, imbalance: int) -> npt.NDArray[np.int64]:
    noisy = signal + 0.3 * rng.standard_normal(len(signal))
    return (noisy > np.quantile(noisy, 1 - 1 / (imbalance + 1))).astype(np.int64)
