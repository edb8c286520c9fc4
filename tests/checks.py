"""What a method keeps with a learner: one check is one promise, said by its docstring.

`every` yields the checks and `run` runs them all on one pair. A method and a learner are names or values, the user's own too;
further keywords are settings of `StreamClassifier` under which the promise is to hold. A broken promise is an error with a note::

    checks.run("hgd", "svm")
    checks.run(MyMethod(strength=2.0), "logistic", unit_rows=True)
"""

import checks_of_answers  # noqa: F401 - enters its checks
import checks_of_input  # noqa: F401
from checks_of_refusals import check_an_undefined_pair_is_refused_with_a_remedy
from promises import every, is_defined, run

__all__ = ["check_an_undefined_pair_is_refused_with_a_remedy", "every", "is_defined", "run"]
