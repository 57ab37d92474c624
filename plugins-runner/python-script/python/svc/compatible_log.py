"""The logging functions that packs of the compatible platform import."""

from svc.logs import get_logger


def getLogger(name):
    """A logger as actions have it."""
    return get_logger(name)
