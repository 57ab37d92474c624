"""The base class of actions."""

from svc.actions import Action

__all__ = ["Action"]
