"""Streams that are made up: rows from a simulation, the same ones each time."""

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from poise.errors import ParameterError

Floats: TypeAlias = npt.NDArray[np.float64]
Block: TypeAlias = tuple[Floats, npt.NDArray[np.int64]]
"""Rows and their labels."""

_COLUMNS = (
    "amount",
    "amount_over_usual",
    "hour",
    "weekday",
    "seconds_since_last",
    "purchases_last_day",
    "km_from_home",
    "merchant_risk",
    "account_age_days",
    "card_present",
)

_WEEKS = 12
_PIECE_ROWS = 10_000
"""Rows drawn at once. Each piece has its own random numbers, so blocks of any size agree."""

# How busy the shops are: by hour from midnight, and by day from Monday.
_HOUR_TRADE = np.array([3, 2, 1, 1, 1, 2, 5, 9, 12, 14, 16, 18, 20, 18, 16, 16, 18, 21, 22, 20, 16, 12, 8, 5], float)
_DAY_TRADE = np.array([0.9, 0.9, 0.95, 1.0, 1.25, 1.35, 0.75])

# Where a purchase stands on its hidden, normally distributed traits, in standard deviations:
# spending, spending against habit, pause, pace, distance, merchant, newness of account, absence
# of the card. A fraud is moved by its habit's row; the habits take over from each other.
_HABITS = np.array(
    [
        [1.35, 1.50, -0.95, 0.70, 1.60, 1.20, 0.40, 1.10],  # a big purchase, far away
        [-1.20, 0.30, -1.60, 2.20, 0.40, 1.35, 0.70, 1.35],  # many small ones on the net
        [0.50, 1.75, 0.15, -0.15, -0.30, 2.00, -0.55, 1.75],  # an account taken over
    ]
)
_TRAVELLER = np.array([0.5, 0.6, -0.2, 0.2, 1.8, 0.4, 0.0, -0.2])
_TRAVELLER_SHARE = 0.04
_HIDDEN_FRAUD_SHARE = 0.04
"""Frauds that look like any other purchase."""


@dataclass(frozen=True)
class FraudStream:
    """Card purchases in the order of time, one in about 500 of them a fraud.

    Twelve weeks of purchases with the rhythm of day and week. Frauds are more likely at night and
    come in waves; fraudsters change their habits half-way, and once more from 70 to 80 % of the
    stream. Some customers travel and look suspicious, and some frauds look like any purchase, so
    that no model gets everything right: a good linear one reaches an AUC of about 0.93.

    Every pass over the stream gives the same rows, whatever the size of the blocks.

    Parameters
    ----------
    n
        How many rows.
    ratio
        Honest purchases for each fraud, on average over the whole stream.
    drift
        Whether the share and the habits of fraud change; without, both stay as at the start.
    seed
        Another seed, another stream.
    block
        How many rows a block has; the last one has what is left.

    Examples
    --------
    >>> from poise.streams import FraudStream
    >>> stream = FraudStream(n=50_000)
    >>> stream.columns[:2]
    ('amount', 'amount_over_usual')
    >>> sum(int(y.sum()) for X, y in stream)  # frauds
    101
    """

    n: int = 200_000
    ratio: float = 500.0
    drift: bool = True
    seed: int = 0
    block: int = 10_000

    def __post_init__(self) -> None:
        """Refuse sizes that make no stream."""
        for name, least in (("n", 1), ("block", 1), ("seed", 0)):
            value = getattr(self, name)
            if not isinstance(value, Integral) or value < least:
                raise ParameterError(f"{name} is {value}: give a whole number of at least {least}.")
        if not 1 <= self.ratio < np.inf:
            raise ParameterError(f"ratio is {self.ratio}: give a finite number of at least 1.")

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of X."""
        return _COLUMNS

    def __iter__(self) -> Iterator[Block]:
        """Bring the rows from the first on, in blocks (X, y); y is 1 for a fraud."""
        held: list[Block] = []
        for start in range(0, self.n, _PIECE_ROWS):
            held.append(self._piece(start))
            waiting = sum(len(y) for _, y in held)
            if waiting < self.block and start + _PIECE_ROWS < self.n:
                continue
            X = np.concatenate([X for X, _ in held])
            y = np.concatenate([y for _, y in held])
            ready = waiting - waiting % self.block if start + _PIECE_ROWS < self.n else waiting
            for first in range(0, ready, self.block):
                last = min(first + self.block, ready)
                # Copies, so that a block that is kept does not keep its neighbours too.
                yield X[first:last].copy(), y[first:last].copy()
            held = [(X[ready:], y[ready:])]

    def _piece(self, start: int) -> Block:
        rows = min(_PIECE_ROWS, self.n - start)
        rng = np.random.default_rng([self.seed, start // _PIECE_ROWS])
        # One row falls in each n-th part of the stream, so the rows come in the order of time.
        at = (start + np.arange(rows) + rng.random(rows)) / self.n
        y = (rng.random(rows) < self._fraud_share(at)).astype(np.int64)
        return _observe(self._traits(at, y, rng), at, rng), y

    def _fraud_share(self, at: Floats) -> Floats:
        middle = (np.arange(20_000) + 0.5) / 20_000
        level = self._fraud_level(middle).mean() * (1.0 + self.ratio)
        share: Floats = self._fraud_level(at) / level
        return share

    def _fraud_level(self, at: Floats) -> Floats:
        hour = _clock(at)[0]
        night: Floats = 1.0 + 1.5 * np.exp(-0.5 * (((hour - 3.0 + 12.0) % 24.0 - 12.0) / 2.5) ** 2)
        if not self.drift:
            return night
        waves = [(0.20, 0.03, 3.0), (0.53, 0.02, 5.0), (0.86, 0.04, 2.5)]
        bumps = [high * np.exp(-0.5 * ((at - when) / wide) ** 2) for when, wide, high in waves]
        level: Floats = night * (1.0 + np.sum(bumps, axis=0))
        return level

    def _traits(self, at: Floats, y: npt.NDArray[np.int64], rng: np.random.Generator) -> Floats:
        traits = rng.standard_normal((len(at), _HABITS.shape[1]))
        traits[:, 1] = 0.6 * traits[:, 0] + 0.8 * traits[:, 1]
        chance = rng.random((len(at), 2))
        travels = (y == 0) & (chance[:, 0] < _TRAVELLER_SHARE)
        traits[travels] += _TRAVELLER
        shows = np.flatnonzero((y == 1) & (chance[:, 0] >= _HIDDEN_FRAUD_SHARE))
        now = at[shows] if self.drift else np.zeros(len(shows))
        third = chance[shows, 1] < np.clip((now - 0.7) / 0.1, 0.0, 1.0)
        habit = np.where(third, 2, np.where(now >= 0.5, 1, 0))
        traits[shows] += _HABITS[habit]
        return traits


def _clock(at: Floats) -> tuple[Floats, Floats]:
    """Turn a place in the stream into the hour of the day and the day of the week."""
    trade = np.concatenate([[0.0], np.cumsum(np.outer(_DAY_TRADE, _HOUR_TRADE))])
    hours = np.interp((at * _WEEKS) % 1.0, trade / trade[-1], np.arange(len(trade)))
    return hours % 24.0, hours // 24.0 % 7.0


def _observe(traits: Floats, at: Floats, rng: np.random.Generator) -> Floats:
    spending, against_habit, pause, pace, distance, merchant, newness, absence = traits.T
    hour, weekday = _clock(at)
    return np.column_stack(
        [
            np.round(np.exp(3.4 + 0.9 * spending), 2),
            np.exp(0.5 * against_habit),
            hour,
            np.floor(weekday),
            np.round(np.exp(10.5 + 1.0 * pause)),
            rng.poisson(np.exp(0.6 + 0.4 * pace)),
            np.round(np.exp(1.8 + 0.9 * distance), 1),
            1.0 / (1.0 + np.exp(1.5 - 0.9 * merchant)),
            np.ceil(np.exp(6.3 - 0.8 * newness)),
            absence < 0.3,
        ]
    )
