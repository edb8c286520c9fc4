"""One small generator of random numbers: splitmix64, uniform numbers, Poisson counts."""

import math

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
MOST = 1e6  # of a Poisson rate
PART = 500.0  # exp(-rate) would vanish at rates far above


def mix64(a: int) -> int:
    """Return the output part of splitmix64 for the state a."""
    z = a & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def fnv1a64(text: str) -> int:
    """Return the FNV-1a hash of the UTF-8 bytes of a text."""
    h = 0xCBF29CE484222325
    for byte in text.encode():
        h = ((h ^ byte) * 0x100000001B3) & MASK
    return h


def start(name: str, seed: int) -> int:
    """Return the first state of the generator of a method (or of what else has a name)."""
    return mix64(mix64((seed + GOLDEN) & MASK) ^ fnv1a64(name))


class Draws:
    """Random numbers from a state of 64 bits."""

    def __init__(self, state: int) -> None:
        self.state = state & MASK

    def next(self) -> int:
        """Return the next 64 bits."""
        self.state = (self.state + GOLDEN) & MASK
        return mix64(self.state)

    def uniform(self) -> float:
        """Return a number in [0, 1)."""
        return (self.next() >> 11) * 2.0**-53

    def poisson(self, rate: float) -> int:
        """Return a Poisson count; a rate of 0 or less draws nothing."""
        rate = min(rate, MOST)
        total = 0
        while rate > PART:
            total += self._one_poisson(PART)
            rate -= PART
        return total + self._one_poisson(rate) if rate > 0 else total

    def _one_poisson(self, rate: float) -> int:
        u = self.uniform()
        k, p = 0, math.exp(-rate)
        s = p
        while u >= s:
            k += 1
            p *= rate / k
            if s + p == s:  # nothing is left in the tail
                break
            s += p
        return k
