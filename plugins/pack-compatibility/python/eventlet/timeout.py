"""A limit of time that is looked at when it is left: a thread cannot be interrupted in its work."""

import time


class Timeout(BaseException):
    def __init__(self, seconds=None, exception=None):
        super().__init__(seconds)
        self.seconds = seconds
        self.exception = exception
        self._end = None
        self.start()

    def start(self):
        self._end = None if self.seconds is None else time.monotonic() + self.seconds

    @property
    def pending(self):
        return self._end is not None

    def cancel(self):
        self._end = None

    close = cancel

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        end, self._end = self._end, None
        if kind is not None or end is None or time.monotonic() < end:
            return False
        if self.exception is False:
            return True
        raise self if self.exception is None else self.exception

    def __str__(self):
        return "{} seconds".format(self.seconds)
