"""Whose turn it is: one call at a time may use a model, and none while that very call is still learning."""

import threading

from poise.errors import PoiseError


class Turns:
    """A lock that its holder may take again, but not from within its own learning.

    A signal handler, or a method of the user's own, runs in the middle of a call that learns; what it would find there is neither
    the model before the call nor the one after it.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        #: Set by the holder while the core learns.
        self.learning = False

    def __enter__(self) -> None:
        self._lock.acquire()
        if self.learning:  # so it is the holder itself that asks again
            self._lock.release()
            raise PoiseError(
                "This model is in the middle of learning, and was asked again from within that call, by a signal handler or a "
                "method of your own; ask it when the call is done, or ask a copy."
            )

    def __exit__(self, *_: object) -> None:
        self._lock.release()
