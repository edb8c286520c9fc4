"""The 72 real data sets of the published tables: what they are, and how to read your copy."""

from poise.datasets.plans import Phase, Schedule, schedules
from poise.datasets.scaling import scale_columns
from poise.datasets.table import DataSet, describe, load, names

__all__ = ["DataSet", "Phase", "Schedule", "describe", "load", "names", "scale_columns", "schedules"]
