"""Something that happens once."""

import threading


class Event:
    def __init__(self):
        self._happened = threading.Event()
        self._result = None
        self._error = None

    def ready(self):
        return self._happened.is_set()

    def send(self, result=None, exc=None):
        self._result, self._error = result, exc
        self._happened.set()

    def send_exception(self, *args):
        self.send(exc=args[0] if isinstance(args[0], BaseException) else args[0](*args[1:]))

    def wait(self, timeout=None):
        if not self._happened.wait(timeout):
            return None
        if self._error is not None:
            raise self._error
        return self._result
