"""Where a model's random numbers start: a number that follows from its seed and from what draws."""

_ALL = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


def scrambled(z: int) -> int:
    """Return the output function of splitmix64, the core's generator."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _ALL
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _ALL
    return z ^ (z >> 31)


def start(name: str, seed: int) -> int:
    """Return the generator's first state for the method called `name`."""
    digest = 0xCBF29CE484222325
    for byte in name.encode():
        digest = ((digest ^ byte) * 0x100000001B3) & _ALL
    return scrambled(scrambled((seed + _GOLDEN) & _ALL) ^ digest)
