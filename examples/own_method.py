"""A method of your own in one function, beside OGD and HGD on simulated card payments, 1 fraud in 500.

    python examples/own_method.py
    python examples/own_method.py --rows 40000    fewer rows

Other programs can use it too: poise methods --plugin examples/own_method.py
"""

import argparse

import numpy as np

import poise
from poise import metrics
from poise.streams import FraudStream


@poise.method("rarity", paper="an example", ceiling=100.0)
def rarity(row, ledger, memo, p, rng):  # noqa: ANN001, ANN201 - as short as can be
    """Weight a row by the share of the largest class over the share of its own.

    Parameters
    ----------
    ceiling
        Largest weight.
    """
    return min(ledger.top_share / ledger[row.y].share, p.ceiling)


def measures(method: str, rows: int) -> tuple[float, float, float, float]:
    """Test, then train: AUC, G-mean, F1 and the share of frauds found."""
    clf = poise.StreamClassifier(method)
    blocks = [(y, clf.learn(X, y, classes=[0, 1])) for X, y in FraudStream(n=rows)]
    labels, scores = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    table = metrics.confusion_table(labels, (scores >= 0).astype(int), np.arange(2))
    recall = metrics.recall_per_class(table)[1]
    return float(metrics.auc(labels, scores)), float(metrics.gmean(table)), float(metrics.f1(table)), float(recall)


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--rows", type=int, default=400_000)
    rows = options.parse_args().rows
    print(f"{'method':8} {'AUC':>6} {'G-mean':>7} {'F1':>6} {'fraud recall':>13}")
    for method in ("ogd", "hgd", "rarity"):
        auc, gmean, f1, recall = measures(method, rows)
        print(f"{method:8} {auc:6.3f} {gmean:7.3f} {f1:6.3f} {recall:13.3f}")


if __name__ == "__main__":
    main()
