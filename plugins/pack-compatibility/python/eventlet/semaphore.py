"""The semaphores of the standard library."""

from threading import BoundedSemaphore, Semaphore

__all__ = ["BoundedSemaphore", "Semaphore"]
