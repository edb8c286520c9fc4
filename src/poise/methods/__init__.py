"""Methods: how hard each row may pull. Small values; the work is in the core."""

from poise.methods.registry import Method, get, names
from poise.methods.weighting import HGD, OGD

__all__ = ["HGD", "OGD", "Method", "get", "names"]
