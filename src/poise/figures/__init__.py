"""Every figure: its numbers with ``frame()``, its picture with ``plot()`` and ``save()``."""

from poise.figures.over_time import OverTime

__all__ = ["OverTime"]
