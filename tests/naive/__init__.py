"""The slow, obvious twin of the online classifier: an oracle that shares no code with it."""

from .classifier import NaiveClassifier

__all__ = ["NaiveClassifier"]
