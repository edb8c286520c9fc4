"""Exact comparison of models, and rows that lead through the rare branches of the loop.

Run as a program it prints what the build of the loop that POISE_CPU names makes of them.
"""

import hashlib

import numpy as np
import scipy.sparse as sp

from poise import HGD, StreamClassifier, _core

WIDTHS = [*range(1, 18), 20, 31, 50, 100, 123]

#: Settings under which rows of any size can be learned.
SETTINGS = {
    "center": {"standardize": "center"},
    "scale": {"standardize": "scale"},
    "unit rows": {"standardize": None, "unit_rows": True},
    "center ball": {"standardize": "center", "radius": 0.5, "method": HGD(memory=0.9, clamp="assumption4")},
    "scale published": {"standardize": "scale", "unit_rows": True, "average": False, "fit_intercept": False, "learner": "svm"},
    "softmax sqrt": {"standardize": "center", "learner": "softmax", "learning_rate": "sqrt", "average": 0.1},
    "published": {
        "standardize": None,
        "unit_rows": True,
        "average": False,
        "fit_intercept": False,
        "learner": "perceptron",
        "method": HGD(clamp=None, norm="squared"),
    },
    "unit rows power": {"standardize": None, "unit_rows": True, "learning_rate": "invscaling", "power_t": 0.3},
}


def plain(rows, width, classes, seed=0):
    """Rows of ordinary numbers with many zeros, and labels that arrive out of order."""
    rng = np.random.default_rng([seed, width, classes])
    X = rng.normal(size=(rows, width)) * rng.integers(1, 100, size=width) + rng.integers(-3, 4, size=width)
    X[rng.random(X.shape) < 0.4] = 0.0
    return X, labels_of(rng, rows, classes)


def special(rows, width, classes, seed=0):
    """Constant, huge and tiny columns, so that variances lie outside of 1e-30 to 1e30, and single wild rows."""
    X, y = plain(rows, width, classes, seed)
    rng = np.random.default_rng([seed, width, classes, 1])
    sizes = [0.0, 1.0, 1e100, 1e-200, 1e120, 1e-20, 1e20, 1e-100, 1e60, 1e-160, 1e12]
    X *= rng.choice(sizes, size=width)
    X[:, rng.random(width) < 0.1] = 7.5
    X[rng.random(X.shape) < 0.05] *= -1.0
    wild = rng.integers(rows // 4, rows, size=4)
    X[wild, rng.integers(0, width, size=4)] = [1e9, -1e150, 1e130, 1e-300]
    return X, y


def labels_of(rng, rows, classes):
    """Labels of which the last class is rare and the largest comes first."""
    chance = np.arange(classes, 0, -1.0) ** 2
    y = rng.choice(classes, size=rows, p=chance / chance.sum())
    y[0] = classes - 1
    y[rows // 2 : rows // 2 + classes] = np.arange(classes)
    return y


def model(setting, **more):
    """Return a fresh classifier with a named setting."""
    settings = {"method": "hgd", "learner": "logistic", **SETTINGS[setting], **more}
    return StreamClassifier(settings.pop("method"), settings.pop("learner"), **settings)


def state_of(clf):
    """Return every byte of what a classifier has learned, with its labels."""
    if not clf.__sklearn_is_fitted__():
        return {}
    tensors = clf._model.tensors()
    return {"labels": list(clf._model.labels.arrived)} | {
        name: (array.dtype.str, array.shape, array.tobytes()) for name, array in tensors.items()
    }


def assert_same_state(one, other, *, but=()):
    """Compare all state bit by bit, except for the tensors named in `but`."""
    left, right = state_of(one), state_of(other)
    assert left.keys() - set(but) == right.keys() - set(but)
    assert [name for name in left if name not in but and left[name] != right[name]] == []


def assert_same_numbers(one, other):
    """Compare numbers bit by bit; NaN equals NaN, and 0 is not -0."""
    one, other = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    assert one.shape == other.shape
    different = np.flatnonzero(one.view(np.uint64).ravel() != other.view(np.uint64).ravel())
    assert different.tolist() == []


def wide_csr(X):
    """Return a CSR array with 64-bit indices, which scipy itself would make 32-bit ones."""
    matrix = sp.csr_array(X)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return matrix


def digest():
    """Return a hash of the scores and states of many models."""
    total = hashlib.sha256()
    for width in WIDTHS:
        for classes in (2, 4):
            for kind in (plain, special):
                X, y = kind(60, width, classes)
                for setting in SETTINGS:
                    for rows in (X, sp.csr_array(X)):
                        clf = model(setting)
                        total.update(clf.learn(rows, y).tobytes())
                        total.update(clf.predict_proba(rows).tobytes())
                        total.update(repr(state_of(clf)).encode())
    return total.hexdigest()


if __name__ == "__main__":
    print(_core.build(), digest())
