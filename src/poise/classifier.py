"""StreamClassifier and HGDClassifier, and reading them back from a file."""

import json
import os
from dataclasses import fields, replace
from typing import Any, Self

import numpy as np

from poise import files, learners, methods
from poise.columns import Setup
from poise.errors import FileError, ParameterError
from poise.learners import Learner
from poise.methods import HGD, Method
from poise.methods.parameters import require_ratio
from poise.model import Model
from poise.online import Online
from poise.settings import method_value, setup_of
from poise.version import __version__
from poise.written import UnknownMethodError, labels_of, plain, plain_labels, value_of


class _Saved(Online):
    """Adds saving: the parameters as JSON, the state as tensors."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that `poise.load` reads: plain numbers and text, whole or not at all.

        Parameters
        ----------
        path
            Where to; ``m.poise`` is a good ending.
        """
        files.write(path, to_bytes(self))


class StreamClassifier(_Saved):
    """Classifier for streams: any method with any learner, one pass, one row or a block at a time.

    Parameters
    ----------
    method
        How hard each row may pull: a name of `poise.methods.names` or a value such as ``HGD(memory=0.995)``.
    learner
        What is learned with which loss: "logistic" (also "log_loss"), "svm" ("hinge"), "perceptron", "softmax", "kernel",
        "fourier", or a value such as ``Kernel(budget=1000)``.
    standardize
        Running standardisation inside the loop, each value clipped at 5 deviations: "center" subtracts the mean and divides
        by the deviation, "scale" only divides, None leaves rows as they are. "auto" centres arrays, tables and numbers in
        dicts, and scales sparse and hashed input; it is decided at the first call.
    fit_intercept
        Whether the score has a constant.
    average
        Whether answers come from an exponential average of the weights (slowest rate 0.002); a number sets that rate. "auto":
        wherever there are weights to average, so not for kernels and dual averaging.
    unit_rows
        Whether each row is brought to length 1 (after standardising).
    eta0, learning_rate, power_t
        Step size: "constant" eta0, "sqrt" eta0 / sqrt(t), "invscaling" eta0 / t**power_t.
    radius
        Keeps the weights in a ball of this radius around 0; costs O(columns) a row. None: no ball.
    positive
        The label that counts as positive in metrics and methods; None is ``classes_[1]``. Scores keep their sign.
    missing
        "error" refuses NaN; "zero" takes a missing value as the column's mean (as 0 where columns are not centred).
    n_hash
        For dicts and tables: hash names onto this many columns (a power of two) instead of keeping a vocabulary.
    random_state
        Seed of methods and learners that draw; None is 0. OGD and HGD draw nothing.

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_, feature_names_in_, n_seen_, ledger_
        What was learned; ``feature_names_in_`` only where columns have names.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from poise import StreamClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = StreamClassifier("hgd", "svm")
    >>> scores = clf.learn(X, y)
    >>> round(float(((scores >= 0) == y).mean()), 3)
    0.902
    """

    def __init__(
        self,
        method: str | Method = "hgd",
        learner: str | Learner = "logistic",
        *,
        standardize: str | None = "auto",
        fit_intercept: bool = True,
        average: bool | float | str = "auto",
        unit_rows: bool = False,
        eta0: float = 0.3,
        learning_rate: str = "constant",
        power_t: float = 0.5,
        radius: float | None = None,
        positive: Any = None,
        missing: str = "error",
        n_hash: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.method = method
        self.learner = learner
        self.standardize = standardize
        self.fit_intercept = fit_intercept
        self.average = average
        self.unit_rows = unit_rows
        self.eta0 = eta0
        self.learning_rate = learning_rate
        self.power_t = power_t
        self.radius = radius
        self.positive = positive
        self.missing = missing
        self.n_hash = n_hash
        self.random_state = random_state

    @classmethod
    def paper(
        cls,
        method: str | Method = "hgd",
        learner: str | Learner = "perceptron",
        *,
        ir: float | None = None,
        **parameters: Any,
    ) -> Self:
        """Return the published setting: rows of length 1, no scaling, intercept, averaging or largest weight, eta0 0.3.

        Methods come in the paper's reading, which differs from the textbook's for most competitors of HGD.

        Parameters
        ----------
        method, learner
            As for the constructor; those given by name get their published parameters, a value keeps its own but for its
            reading.
        ir
            Negatives per positive of the whole stream, for the methods that need it; OGD and HGD do not.
        parameters
            Any parameter of the constructor, or of the method or learner when it is given by name.

        Examples
        --------
        >>> from poise import StreamClassifier
        >>> StreamClassifier.paper("hgd", "svm", eta0=1.0, learning_rate="sqrt", variant="ohgd").method
        HGD(reading='paper', clamp=None, variant='ohgd')
        """
        require_ratio(ir)
        if isinstance(method, str):
            entry = methods.get(method)
            own = {name: parameters.pop(name) for name in entry.parameters if name in parameters}
            method = entry(**{**entry.as_published, **own})
        elif isinstance(method, Method) and "reading" in method.entry.as_published and method.family != "weighting":
            method = replace(method, reading="paper")  # for weighting methods both readings are the same
        if isinstance(learner, str):
            kind = learners.get(learner)
            own = {field.name: parameters.pop(field.name) for field in fields(kind) if field.name in parameters}
            if own or kind.as_published:
                learner = kind(**{**kind.as_published, **own})
        if isinstance(method, Method) and method.needs_ratio and getattr(method, "ir", None) is None:
            if ir is None:
                raise ParameterError(
                    f"ir is None, and the published {method.name} needs it; give the negatives per positive of the whole stream."
                )
            method = replace(method, ir=ir)  # type: ignore[call-arg]
        setting: dict[str, Any] = {"standardize": None, "fit_intercept": False, "average": False, "unit_rows": True, "eta0": 0.3}
        return cls(method, learner, **{**setting, **parameters})

    def _setup(self) -> Setup:
        return setup_of(self, method_value(self.method))


class HGDClassifier(_Saved):
    """Harmonized gradient descent: each class gets an equal pull on the model; no counts needed in advance.

    Parameters
    ----------
    learner
        What is learned with which loss: "logistic" (also "log_loss"), "svm" ("hinge"), "perceptron", "softmax", or a value.
    clamp, norm, memory, multiclass, variant
        See `HGD`.
    standardize, fit_intercept, average, unit_rows, eta0, learning_rate, power_t, radius, positive, missing, n_hash, random_state
        See `StreamClassifier`.

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_, feature_names_in_, n_seen_, ledger_
        What was learned; ``feature_names_in_`` only where columns have names.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from poise import HGDClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> clf = HGDClassifier()
    >>> for start in range(0, len(X), 100):
    ...     _ = clf.partial_fit(X[start:start + 100], y[start:start + 100] == 8, classes=[False, True])
    >>> round(clf.score(X, y == 8), 3)
    0.905
    """

    def __init__(
        self,
        learner: str | Learner = "logistic",
        *,
        clamp: float | str | None = 100.0,
        norm: str = "plain",
        memory: float | None = None,
        multiclass: str = "complement",
        variant: str = "hgd",
        standardize: str | None = "auto",
        fit_intercept: bool = True,
        average: bool | float | str = "auto",
        unit_rows: bool = False,
        eta0: float = 0.3,
        learning_rate: str = "constant",
        power_t: float = 0.5,
        radius: float | None = None,
        positive: Any = None,
        missing: str = "error",
        n_hash: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.learner = learner
        self.clamp = clamp
        self.norm = norm
        self.memory = memory
        self.multiclass = multiclass
        self.variant = variant
        self.standardize = standardize
        self.fit_intercept = fit_intercept
        self.average = average
        self.unit_rows = unit_rows
        self.eta0 = eta0
        self.learning_rate = learning_rate
        self.power_t = power_t
        self.radius = radius
        self.positive = positive
        self.missing = missing
        self.n_hash = n_hash
        self.random_state = random_state

    def _setup(self) -> Setup:
        return setup_of(self, HGD(**{f.name: getattr(self, f.name) for f in fields(HGD) if f.name != "reading"}))


_ESTIMATORS: dict[str, type[StreamClassifier] | type[HGDClassifier]] = {
    "StreamClassifier": StreamClassifier,
    "HGDClassifier": HGDClassifier,
}


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that `save` wrote; it continues byte for byte where it stopped.

    Parameters
    ----------
    path
        The model file. Reading it never runs code; a method of your own must have been registered before.

    Returns
    -------
    The classifier.

    Examples
    --------
    >>> import os, tempfile
    >>> from poise import HGDClassifier, load
    >>> clf = HGDClassifier().partial_fit([[0.0], [1.0]], [0, 1], classes=[0, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     clf.save(os.path.join(folder, "m.poise"))
    ...     again = load(os.path.join(folder, "m.poise"))
    >>> again.n_seen_
    2
    """
    return from_bytes(files.read(path), os.fspath(path))


def to_bytes(classifier: Any) -> bytes:
    """Return the bytes of a classifier's file."""
    model: Model = classifier._fitted()
    kind = type(classifier)
    if _ESTIMATORS.get(kind.__name__) is not kind:
        raise FileError(
            f"A {kind.__module__}.{kind.__qualname__} cannot be read back by load(); use a {' or '.join(_ESTIMATORS)}."
        )
    parameters = {name: plain(name, value) for name, value in classifier.get_params(deep=False).items()}
    if classifier._setup() != model.setup:
        raise FileError(
            f"The parameters of this {kind.__name__} were changed after it began to learn, and a file holds one set of them; "
            "set them back, or call fit again before saving."
        )
    arrived, tensors = model.snapshot()
    tensors["labels"] = np.frombuffer(json.dumps(plain_labels(arrived)).encode(), dtype=np.uint8)
    facts = {"estimator": kind.__name__, "parameters": json.dumps(parameters), "poise": __version__}
    return files.pack(tensors, facts)


def from_bytes(data: bytes, name: str) -> Any:
    """Return the classifier of a file's bytes; `name` is used in messages."""
    tensors, facts = files.unpack(data, name)
    try:
        classifier = _classifier(facts)
        labels = labels_of(tensors.pop("labels", None))
        classifier._model = Model.restored(classifier._setup(), labels, tensors)
    except UnknownMethodError as error:
        raise FileError(f"{name}: {error}") from None
    except FileError as error:
        raise FileError(f"{name}: {error}; save the model again or use a backup.") from None
    except (TypeError, ValueError, OverflowError) as error:
        told = str(error).rstrip(".")
        raise FileError(f"{name}: its parameters cannot be used ({told}); save the model again or use a backup.") from None
    return classifier


def _classifier(facts: dict[str, str]) -> Any:
    """Return an unfitted classifier with the parameters of a file."""
    kind = _ESTIMATORS.get(facts.get("estimator", ""))
    if kind is None:
        raise FileError(f"it holds a {facts.get('estimator', '')[:40]!r}, which this poise {__version__} does not know")
    parameters = files.from_json(facts.get("parameters", ""), "its parameters")
    if not isinstance(parameters, dict):
        raise FileError("its parameters are no table")
    unknown = sorted(parameters.keys() - set(kind._get_param_names()))
    if unknown:
        raise FileError(f"it has a parameter {unknown[0][:40]!r}, which this poise {__version__} does not know")
    return kind(**{name: value_of(name, value) for name, value in parameters.items()})


__all__ = ["HGDClassifier", "StreamClassifier", "from_bytes", "load", "to_bytes"]
