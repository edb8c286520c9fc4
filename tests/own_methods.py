"""Functions of own methods, and how tests enter them."""

import bits
import poise
from poise import StreamClassifier

X, Y = bits.plain(200, 5, 2)
PLAIN = {"standardize": None, "fit_intercept": False, "average": False, "unit_rows": True}


def rarity(row, ledger, memo, p, rng):
    """Weight a row by the share of the largest class over the share of its own."""
    return min(ledger.top_share / ledger[row.y].share, p.ceiling)


def one(row, ledger, memo, p, rng):
    return 1.0


def drawn(row, ledger, memo, p, rng):
    return rng.uniform() + rng.poisson(1.5)


def alternating(row, ledger, memo, p, rng):
    memo[0] += 1.0
    return 1.0 + memo[0] % 3.0


def enter(function, name="own", **options):
    """Register a function and return a classifier that uses it."""
    settings = {key: options.pop(key) for key in ("learner", *PLAIN) if key in options}
    poise.method(name, **options)(function)
    return StreamClassifier(name, settings.pop("learner", "logistic"), random_state=0, **settings)
