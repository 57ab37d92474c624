"""The queues of the standard library."""

from queue import Empty, Full, LifoQueue, PriorityQueue, Queue

LightQueue = Queue

__all__ = ["Empty", "Full", "LifoQueue", "LightQueue", "PriorityQueue", "Queue"]
