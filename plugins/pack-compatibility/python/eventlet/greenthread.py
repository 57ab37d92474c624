"""Functions that run beside what called them."""

import threading
import time


class GreenThread:
    """A call in a thread of its own, which does not keep the process from ending."""

    def __init__(self, function, args, kwargs, delay=0):
        self._call = (function, args, kwargs)
        self._result = None
        self._error = None
        self._canceled = threading.Event()
        self._delay = delay
        self._links = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def dead(self):
        return not self._thread.is_alive()

    def wait(self):
        """What the call returned; what it raised is raised."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._result

    def cancel(self, *_throw):
        """Leave out a call that has not begun."""
        self._canceled.set()

    #: A thread cannot be ended from outside; one that has begun goes on.
    kill = cancel

    def link(self, function, *args, **kwargs):
        """Have a function called with this thread at its end."""
        if self.dead:
            function(self, *args, **kwargs)
        else:
            self._links.append((function, args, kwargs))

    def _run(self):
        if self._canceled.wait(self._delay) if self._delay else self._canceled.is_set():
            return
        function, args, kwargs = self._call
        try:
            self._result = function(*args, **kwargs)
        except BaseException as error:
            self._error = error
        for linked, linked_args, linked_kwargs in self._links:
            linked(self, *linked_args, **linked_kwargs)


def spawn(function, *args, **kwargs):
    return GreenThread(function, args, kwargs)


def spawn_n(function, *args, **kwargs):
    return GreenThread(function, args, kwargs)


def spawn_after(seconds, function, *args, **kwargs):
    return GreenThread(function, args, kwargs, delay=seconds)


def sleep(seconds=0):
    time.sleep(seconds)
