"""So many calls beside one another, and no more."""

import threading

from eventlet.greenthread import GreenThread


class GreenPool:
    def __init__(self, size=1000):
        self.size = size
        self._room = threading.BoundedSemaphore(size)
        self._threads = set()

    def spawn(self, function, *args, **kwargs):
        """Wait for room, and call it."""
        self._room.acquire()

        def call():
            try:
                return function(*args, **kwargs)
            finally:
                self._room.release()

        thread = GreenThread(call, (), {})
        self._threads = {known for known in self._threads if not known.dead} | {thread}
        return thread

    spawn_n = spawn

    def running(self):
        return sum(not thread.dead for thread in self._threads)

    def free(self):
        return self.size - self.running()

    def waitall(self):
        for thread in list(self._threads):
            thread._thread.join()

    def imap(self, function, *iterables):
        """Results in the order of what they are made of."""
        threads = [self.spawn(function, *values) for values in zip(*iterables)]
        return (thread.wait() for thread in threads)

    def starmap(self, function, iterable):
        threads = [self.spawn(function, *values) for values in iterable]
        return (thread.wait() for thread in threads)


class GreenPile:
    """Results in the order in which calls were made."""

    def __init__(self, size_or_pool=1000):
        self.pool = size_or_pool if isinstance(size_or_pool, GreenPool) else GreenPool(size_or_pool)
        self._threads = []

    def spawn(self, function, *args, **kwargs):
        self._threads.append(self.pool.spawn(function, *args, **kwargs))

    def __iter__(self):
        return self

    def __next__(self):
        if not self._threads:
            raise StopIteration
        return self._threads.pop(0).wait()
