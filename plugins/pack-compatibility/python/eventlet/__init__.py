"""A small stand-in for eventlet, found where it is not installed: what packs use of it, with threads."""

import time

from eventlet import event, greenpool, patcher, queue, semaphore, timeout
from eventlet.event import Event
from eventlet.greenpool import GreenPile, GreenPool
from eventlet.greenthread import GreenThread, spawn, spawn_after, spawn_n
from eventlet.queue import Queue
from eventlet.semaphore import Semaphore
from eventlet.timeout import Timeout

monkey_patch = patcher.monkey_patch


def sleep(seconds=0):
    """Let others go on."""
    time.sleep(seconds)


__all__ = [
    "Event",
    "GreenPile",
    "GreenPool",
    "GreenThread",
    "Queue",
    "Semaphore",
    "Timeout",
    "event",
    "greenpool",
    "monkey_patch",
    "patcher",
    "queue",
    "semaphore",
    "sleep",
    "spawn",
    "spawn_after",
    "spawn_n",
    "timeout",
]
