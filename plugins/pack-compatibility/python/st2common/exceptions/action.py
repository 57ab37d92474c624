"""Exceptions about actions."""

from st2common.exceptions import StackStormBaseException


class InvalidActionParameterException(StackStormBaseException):
    """A parameter has a value that the action cannot use."""


class ParameterRenderingFailedException(StackStormBaseException):
    """A template among the parameters cannot be rendered."""
