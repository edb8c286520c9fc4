"""The C loops against a few lines of numpy each, one row at a time."""

import numpy as np
import speed_rows
from limit import Floats, Limit, Rows

TOLERANCE = {"f64": 1e-9, "f32": 1e-3}
ETA, CLAMP = 0.3, 100.0
DENSE_CASES = ("plain_hinge", "plain_logistic", "practical_logistic")


class Pull:
    """HGD's counts and pull sums of two classes, both from 1."""

    def __init__(self, clamp: float) -> None:
        self.seen, self.pulled, self.clamp = np.ones(2), np.ones(2), clamp

    def weight(self, c: int) -> float:
        ratio = self.seen.max() / self.seen[c]
        return float(min(self.clamp, ratio * 2 * self.pulled[1 - c] / self.pulled.sum()))

    def add(self, c: int, length: float) -> None:
        self.seen[c] += 1
        self.pulled[c] += length


def slope(loss: str, margin: float) -> float:
    """Minus the derivative of the loss in the margin."""
    return float(margin < 1) if loss == "hinge" else float(1 / (1 + np.exp(margin)))


def plain(loss: str, X: Floats, y: Floats) -> Floats:
    """Rows of length 1, no intercept, no average."""
    w, pull, scores = np.zeros(X.shape[1]), Pull(np.inf), np.zeros(len(X))
    for i, (x, c) in enumerate(zip(X, y.astype(int), strict=True)):
        z, sign = x / max(float(np.linalg.norm(x)), 1e-14), 2 * c - 1
        scores[i] = w @ z
        step = ETA * pull.weight(c) * slope(loss, sign * scores[i])
        w = w + sign * step * z
        pull.add(c, step * float(np.linalg.norm(z)))
    return scores


def practical(loss: str, X: Floats, y: Floats) -> Floats:
    """Standardised, clipped, with intercept; scores from the averaged weights."""
    d = X.shape[1]
    w, average, mean, m2 = np.zeros(d + 1), np.zeros(d + 1), np.zeros(d), np.zeros(d)
    pull, scores = Pull(CLAMP), np.zeros(len(X))
    for n, (x, c) in enumerate(zip(X, y.astype(int), strict=True)):
        sd = np.sqrt(m2 / max(n, 1))
        live, safe = sd > 0, np.where(sd > 0, sd, 1)
        z = np.append(np.where(live, np.clip((x - mean) / safe, -5, 5), 0) / np.sqrt(d), 1)
        scores[n] = average @ z
        seen = np.where(live & (n >= 20), np.clip(x, mean - 5 * sd, mean + 5 * sd), x)
        before = seen - mean
        mean = mean + before / (n + 1)
        m2 = m2 + before * (seen - mean)
        sign = 2 * c - 1
        step = ETA * pull.weight(c) * slope(loss, sign * (w @ z))
        w = w + sign * step * z
        pull.add(c, step * float(np.linalg.norm(z)))
        rate = max(1 / (n + 1), 0.002)
        average = (1 - rate) * average + rate * w
    return scores


def blocks() -> list[tuple[str, speed_rows.Block]]:
    """Make what is checked: widths, wild values, a constant column, rows enough to refold."""
    wild = speed_rows.dense(9, rows=1500)
    wild.X[::97] *= 40
    wild.X[:, 3] = 2.5
    wild.X[:, 5] += 3
    wild.X[20] *= 40  # the first row the guard holds for
    wild.X[200] = 0
    wild.y[:400] = 0  # a late class: the clamp bites
    found = [("wild", wild), ("narrow", speed_rows.dense(3, rows=60_000))]
    found += [(f"d = {d}", speed_rows.dense(d, rows=600)) for d in (1, 8, 20, 50, 100, 300)]
    return [*found, ("sparse", speed_rows.csr(rows=1000))]


def difference(found: Floats, wanted: Floats) -> float:
    """Divide the largest difference by the largest wanted score."""
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())


def check(limit: Limit) -> bool:
    """Print how far each C function is from its twin; True when all are close enough."""
    good = True
    for name, block in blocks():
        if name == "sparse":
            good &= _check_one(limit, ("csr_hinge", "csr_logistic"), name, block)
            continue
        for typed in block.both():
            good &= _check_one(limit, DENSE_CASES, name, typed)
    print("all C loops agree with numpy" if good else "SOME C LOOPS DIFFER FROM NUMPY")
    return good


def _check_one(limit: Limit, cases: tuple[str, ...], name: str, block: speed_rows.Block) -> bool:
    good = True
    for case in cases:
        setting, loss = case.split("_")
        twin = practical if setting == "practical" else plain
        wanted = twin(loss, _as_dense(block.X), block.y.astype(float))
        gap = difference(limit.run(case, block.X, block.codes).scores, wanted)
        close = gap <= TOLERANCE[block.name]
        good &= close
        print(f"{case:20} {block.name} {name:8} {gap:8.1e} {'ok' if close else 'DIFFERS'}")
    return good


def _as_dense(X: Rows) -> Floats:
    full = X.toarray() if hasattr(X, "toarray") else X
    return np.asarray(full, dtype=np.float64)
