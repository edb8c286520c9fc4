"""Methods: how hard each row may pull. Small values; the work is in the core."""

from poise.methods.bagging import OB, OEB, OKB, OOB, OUB, OUOB, OWOB, OWUB, WEOB
from poise.methods.boosting import OCSB2, ORUSB, OAdaB, OAdaC2
from poise.methods.dual_averaging import CSRDA
from poise.methods.registry import Entry, Method, entry, forget, get, names, table
from poise.methods.resampling import OHR, OOR, OSMOTE, OUR
from poise.methods.weighting import CSOGD, HGD, OGD

__all__ = [
    "CSOGD",
    "CSRDA",
    "HGD",
    "OB",
    "OCSB2",
    "OEB",
    "OGD",
    "OHR",
    "OKB",
    "OOB",
    "OOR",
    "ORUSB",
    "OSMOTE",
    "OUB",
    "OUOB",
    "OUR",
    "OWOB",
    "OWUB",
    "WEOB",
    "Entry",
    "Method",
    "OAdaB",
    "OAdaC2",
    "entry",
    "forget",
    "get",
    "names",
    "table",
]
