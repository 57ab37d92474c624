"""Base classes of the exceptions that packs raise and catch."""


class StackStormBaseException(Exception):
    """Of everything that goes wrong."""


class StackStormPluginException(StackStormBaseException):
    """Of what goes wrong in a plugin."""
