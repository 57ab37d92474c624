"""Base classes of the unit tests that packs bring."""

from st2tests.base import BaseActionAliasTestCase, BaseActionTestCase, BaseSensorTestCase

__all__ = ["BaseActionAliasTestCase", "BaseActionTestCase", "BaseSensorTestCase"]
