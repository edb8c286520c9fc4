"""What a method of one's own costs: compiled beside the built-in that weighs alike, and called back by the row."""

import importlib
import importlib.util
from functools import partial
from typing import Any

import speed_rows
from speed_methods import IMBALANCE, ROWS, SETTINGS, Ratio, learning, ratio_of
from speed_pairs import alternate
from speed_peers import Peer

COLUMNS, COMPILED_LIMIT, CALLED_BACK_LIMIT_NS = 20, 1.3, 1500.0
PAPER = {"standardize": None, "fit_intercept": False, "average": False, "unit_rows": True}
NAMES = ("rarity", "rarity_called_back")


def rarity(row: Any, ledger: Any, memo: Any, p: Any, rng: Any) -> Any:
    """Weight a row by the share of the largest class over the share of its own."""
    return min(ledger.top_share / ledger[row.y].share, p.ceiling)


def own(rounds: int) -> tuple[list[Ratio], Peer, str]:
    """Time `rarity` compiled beside csogd_sum2, and called back; without numba only the latter, and the reason."""
    poise = importlib.import_module("poise")
    for name, compiled in zip(NAMES, (True, False), strict=True):
        poise.method(name, compile=compiled, ceiling=100.0)(rarity)
    block = speed_rows.dense(COLUMNS, ROWS, imbalance=IMBALANCE)
    try:
        numba = importlib.util.find_spec("numba") is not None
        ratios = [_beside_built_in(setting, block, rounds) for setting in SETTINGS] if numba else []
        call = learning(lambda: poise.StreamClassifier(NAMES[1]), block)
        fastest = float(alternate([call], rounds).min()) * 1e9 / len(block.y)
        peer = Peer(f"a method of one's own, called back, {COLUMNS} columns", fastest, CALLED_BACK_LIMIT_NS)
        return ratios, peer, "" if numba else "numba is not installed: no compiled method measured"
    finally:
        for name in NAMES:
            poise.methods.forget(name)


def _beside_built_in(setting: str, block: speed_rows.Block, rounds: int) -> Ratio:
    poise = importlib.import_module("poise")
    settings: dict[str, Any] = PAPER if setting == "paper" else {}
    makers = [partial(poise.StreamClassifier, name, SETTINGS[setting], **settings) for name in ("csogd_sum2", NAMES[0])]
    makers[1]().learn(block.X[:10], block.y[:10], classes=[0, 1])  # compiles
    times = alternate([learning(make, block) for make in makers], rounds) * 1e9 / len(block.y)
    return ratio_of((f"{NAMES[0]}, compiled / csogd_sum2", f"{setting}, {SETTINGS[setting]}", COLUMNS), times, COMPILED_LIMIT)
