"""Methods: how hard each row may pull. Small values; the work is in the core."""

from poise.methods.bagging import OB, OEB, OKB, OUOB
from poise.methods.boosting import OCSB2, ORUSB, OAdaB, OAdaC2
from poise.methods.dual_averaging import CSRDA
from poise.methods.loading import load_entry_points, load_plugin
from poise.methods.plugins import method
from poise.methods.registry import Entry, Method, forget, get, names, offer, table
from poise.methods.resampling import OHR, OOR, OSMOTE, OUR
from poise.methods.sharing import OOB, OUB, OWOB, OWUB, WEOB
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
    "forget",
    "get",
    "load_plugin",
    "method",
    "names",
    "table",
]

offer(load_entry_points)
