"""The base classes under the names by which packs import them."""

from st2tests.actions import BaseActionTestCase
from st2tests.aliases import BaseActionAliasTestCase
from st2tests.pack_resource import BasePackResourceTestCase
from st2tests.sensors import BaseSensorTestCase

__all__ = ["BaseActionAliasTestCase", "BaseActionTestCase", "BasePackResourceTestCase", "BaseSensorTestCase"]
