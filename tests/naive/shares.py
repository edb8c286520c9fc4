"""Decayed shares of the classes, as HGD's memory and the rebalancing ensembles keep them."""

from .ledger import Label

PHANTOM = object()  # stands for the second class until it arrives
Shares = dict[Label, float]


def admitted(shares: Shares, label: Label) -> Shares:
    """Return the shares with a place for a label: the phantom's, or 1/C for later classes."""
    if label in shares:
        return shares
    if not shares:
        return {label: 0.5, PHANTOM: 0.5}
    if PHANTOM in shares:
        return {(label if k is PHANTOM else k): p for k, p in shares.items()}
    c = len(shares) + 1
    return {k: p * (c - 1) / c for k, p in shares.items()} | {label: 1 / c}


def decayed(shares: Shares, label: Label, decay: float) -> Shares:
    """Return s_c = decay s_c + (1 - decay) [c = label]."""
    return {k: decay * p + (1 - decay) * (k == label) for k, p in shares.items()}
