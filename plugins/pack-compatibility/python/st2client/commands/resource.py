"""Exceptions that packs raise and catch about records."""


class ResourceCommandError(Exception):
    """Something cannot be done with a record."""


class ResourceNotFoundError(Exception):
    """There is no such record."""
