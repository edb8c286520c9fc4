"""Makes the model files of this folder; run it only when there is a new format or a new kind of model.

    .venv/bin/python tests/golden/make.py

It adds what is missing and refuses to touch what is there: the files stand for the models that people have saved.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from poise import HGD, HGDClassifier, StreamClassifier, load
from poise.files import FORMAT

FOLDER = Path(__file__).parent
EXPECTED = FOLDER / "expected.json"
LEARNED, ROWS = 40, 60  # rows a model has learned in its file; the others are learned later


def array(kind=np.asarray):
    """Rows of five numbers that any machine makes alike, a third of them 0."""
    i, j = np.ogrid[:ROWS, :5]
    cells = ((37 * i + 101 * j + 13 * i * j) % 97 - 48) / 8.0 * (j + 1)
    cells[(i + 2 * j) % 3 == 0] = 0.0
    return kind(cells)


def dicts():
    """Rows of numbers, texts and truths, some of them absent, under names that come later and later."""
    places = ("Paris", "", "Köln", "東京", "a=b")
    rows = []
    for i, row in enumerate(array().tolist()):
        record = {f"c{j}": x for j, x in enumerate(row) if x or j == i % 5}
        rows.append(record | {"place": places[i * i % 5], "night": i % 4 == 1, f"late{i // 15}": i / 4, 7: 1.5})
    return rows


def labels(classes):
    """Labels of which the last is rare, in an order of arrival that is not the sorted one."""
    return [classes[-1] if i % 11 == 5 else classes[i * i % (len(classes) - 1)] for i in range(ROWS)]


#: kind: (the model before its first row, its rows, their labels)
KINDS = {
    "binary_array": (HGDClassifier, array, [0, 1]),
    "four_classes_softmax": (lambda: HGDClassifier("softmax"), array, ["pear", "fig", "apple", "plum"]),
    "dicts_with_texts": (lambda: StreamClassifier(missing="zero"), dicts, [False, True]),
    "hashed": (lambda: StreamClassifier("ogd", "logistic", n_hash=32), dicts, [3, -1, 2]),
    "csr_scaled": (lambda: HGDClassifier("svm", clamp="assumption4"), lambda: array(sp.csr_array), [0, 1]),
    "paper_svm_ohgd": (lambda: StreamClassifier.paper("hgd", "svm", variant="ohgd"), array, [-1, 1]),
    "radius_invscaling_memory": (
        lambda: StreamClassifier(
            HGD(memory=0.9, norm="squared"), "perceptron", radius=0.5, learning_rate="invscaling", power_t=0.25, average=0.1
        ),
        array,
        [2, 1],
    ),
}


def parts(kind):
    """Return rows and labels of a kind: those in its file, and those learned later."""
    _, rows, classes = KINDS[kind]
    X, y = rows(), labels(classes)
    return (X[:LEARNED], y[:LEARNED]), (X[LEARNED:], y[LEARNED:])


def taught(kind):
    """Return the model of a kind with what it has learned in its file."""
    clf = KINDS[kind][0]()
    clf.learn(*parts(kind)[0])
    return clf


def answers(clf, kind):
    """Return the scores of the rows learned later, in hexadecimal."""
    scores = clf.decision_function(parts(kind)[1][0])
    return [" ".join(value.hex() for value in row) for row in scores.reshape(len(scores), -1).tolist()]


def fingerprint(clf):
    """Return the sha256 of all that a model has learned."""
    known, tensors = clf._model.snapshot()
    total = hashlib.sha256(json.dumps(known).encode())
    for name in sorted(tensors):
        little = tensors[name].astype(tensors[name].dtype.newbyteorder("<"))
        total.update(f"{name} {little.dtype.str} {little.shape}".encode() + little.tobytes())
    return total.hexdigest()


def expected_of(path, kind):
    """Return what a file must lead to."""
    clf = load(path)
    found = {"kind": kind, "sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "answers": answers(clf, kind)}
    clf.learn(*parts(kind)[1])
    return found | {"later answers": answers(clf, kind), "later state": fingerprint(clf)}


def main():
    """Add the files that are missing."""
    known = json.loads(EXPECTED.read_text(encoding="utf-8")) if EXPECTED.exists() else {}
    added = 0
    for kind in KINDS:
        path = FOLDER / f"{kind}.format{FORMAT}.poise"
        if path.exists() or path.name in known:
            print(f"{path.name} is there already: left as it is")
            continue
        taught(kind).save(path)
        known[path.name] = expected_of(path, kind)
        added += 1
        print(f"{path.name} added")
    if added:
        EXPECTED.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
