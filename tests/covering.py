"""A small set of cases in which every two options meet: most faults need no more than two options to show."""

import itertools

import numpy as np


def pairs(axes, seed=0):
    """Return cases, one option of every axis each, so that any two options of two axes meet in at least one of them.

    Parameters
    ----------
    axes
        Options by the name of their axis.
    seed
        The same seed gives the same cases.
    """
    rng = np.random.default_rng(seed)
    apart = dict.fromkeys(
        ((a, one), (b, other)) for a, b in itertools.combinations(axes, 2) for one in axes[a] for other in axes[b]
    )
    cases = []
    while apart:
        case = dict(next(iter(apart)))
        for axis in rng.permutation([axis for axis in axes if axis not in case]).tolist():
            options = [axes[axis][k] for k in rng.permutation(len(axes[axis]))]
            case[axis] = max(options, key=lambda option, axis=axis: _met(case, axes, axis, option, apart))
        cases.append({axis: case[axis] for axis in axes})
        for met in itertools.combinations(cases[-1].items(), 2):
            apart.pop(met, None)
    return cases


def name_of(case):
    """Return a case as a name for a test."""
    return "-".join(str(option) for option in case.values())


def _met(case, axes, axis, option, apart):
    """Count the pairs still apart that this option would bring together."""
    order = list(axes)
    return sum(tuple(sorted([(axis, option), item], key=lambda entry: order.index(entry[0]))) in apart for item in case.items())
