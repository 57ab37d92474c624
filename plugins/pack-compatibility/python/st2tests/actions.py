"""Tests of actions."""

from st2tests.pack_resource import BasePackResourceTestCase
from svc import testing
from svc.actions import Config

__all__ = ["BaseActionTestCase"]


class BaseActionTestCase(BasePackResourceTestCase):
    """Tests of the action class `action_cls`."""

    action_cls = None
    _tested = "action_cls"

    def setUp(self):
        super().setUp()
        self.action_service = testing.MockService(testing.PACK, self.action_cls.__name__)

    def get_action_instance(self, config=None):
        """The action as a run would have it, with a datastore in memory."""
        config = Config(config or {}, testing.PACK)
        try:
            return self.action_cls(config=config, action_service=self.action_service)
        except TypeError as error:
            if "unexpected keyword argument 'action_service'" not in str(error):
                raise
        action = self.action_cls(config=config)
        action.action_service = self.action_service
        return action
