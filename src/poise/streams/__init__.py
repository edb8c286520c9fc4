"""Streams: things that bring rows, block after block."""

from poise.streams.generators import FraudStream

__all__ = ["FraudStream"]
