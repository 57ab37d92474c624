"""Base classes of unit tests in packs: `from svc.testing import ActionTestCase, SensorTestCase`. No service is needed."""

import logging
import unittest

from svc.actions import Config
from svc.service import DatastoreItem

#: Ref of the pack whose tests run; set by the runner.
PACK = "tests"


class ActionTestCase(unittest.TestCase):
    """Tests of a class of actions, which stands in `action_class`."""

    action_class = None
    #: What the pack's configuration holds, unless a test says something else.
    config = {}

    def setUp(self):
        super().setUp()
        #: The datastore that actions of this test have, a `MockService`.
        self.service = MockService(PACK, _name_of(self.action_class))

    def make_action(self, config=None):
        """An action as the runner makes it."""
        values = Config(self.config if config is None else config, PACK)
        try:
            return self.action_class(config=values, action_service=self.service)
        except TypeError as error:
            if "unexpected keyword argument 'action_service'" not in str(error):
                raise
        action = self.action_class(config=values)
        action.action_service = self.service
        return action

    def run_action(self, **parameters):
        """Run one; gives `(succeeded, result)`, which the return value becomes in the service too."""
        returned = self.make_action().run(**parameters)
        if isinstance(returned, tuple) and len(returned) == 2:
            succeeded, result = returned
            self.assertIn(succeeded, (True, False, None), "the first of two values that run returns must be True, False or None")
            return succeeded is not False, result
        return True, returned


class SensorTestCase(unittest.TestCase):
    """Tests of a class of sensors, which stands in `sensor_class`."""

    sensor_class = None
    #: What the pack's configuration holds, unless a test says something else.
    config = {}

    def setUp(self):
        super().setUp()
        #: What sensors of this test reach of the service, a `MockSensorService`.
        self.service = MockSensorService(PACK, _name_of(self.sensor_class))

    def make_sensor(self, config=None, poll_interval=None):
        """A sensor as the service makes it. `setup` has not been called."""
        values = Config(self.config if config is None else config, PACK)
        more = {} if poll_interval is None else {"poll_interval": poll_interval}
        return self.sensor_class(sensor_service=self.service, config=values, **more)

    def dispatched(self, trigger=None):
        """Payloads of the events that were dispatched: all, or those of one trigger."""
        return [event["payload"] for event in self.service.events if trigger in (None, event["trigger"])]

    def assert_dispatched(self, trigger, payload=None):
        """Some event of the trigger was dispatched; with that payload when one is given."""
        payloads = self.dispatched(trigger)
        self.assertTrue(payloads, "no event of {} was dispatched, but of {}".format(trigger, [event["trigger"] for event in self.service.events]))
        if payload is not None:
            self.assertIn(payload, payloads)


class MockService:
    """Stands in for what actions reach of the service: a datastore in memory. As there, values become texts."""

    def __init__(self, pack, class_name):
        self._prefix = pack + "." + class_name + ":"
        #: Values by their full names. Names of local ones begin with `<pack>.<class>:`.
        self.values = {}

    @property
    def datastore_service(self):
        return self

    def get_user_info(self):
        return {"username": "tester", "rbac": {"enabled": False, "is_admin": True, "roles": []}, "authentication": {"method": "none"}}

    def list_values(self, local=True, prefix=None, limit=None, offset=0):
        start = (self._prefix if local else "") + (prefix or "")
        names = sorted(name for name in self.values if name.startswith(start))
        end = None if limit is None or limit < 0 else offset + limit
        return [DatastoreItem({"name": name, "value": self.values[name], "scope": "system"}) for name in names[offset:end]]

    def get_value(self, name, local=True, scope="system", decrypt=False):
        return self.values.get(self._full_name(name, local, scope))

    def set_value(self, name, value, ttl=None, local=True, scope="system", encrypt=False):
        self.values[self._full_name(name, local, scope)] = str(value)
        return True

    def delete_value(self, name, local=True, scope="system"):
        return self.values.pop(self._full_name(name, local, scope), None) is not None

    def _full_name(self, name, local, scope):
        if scope not in ("system", "svckv.system"):
            raise ValueError("scope {!r} cannot be used: only system can".format(scope))
        return (self._prefix if local else "") + name


class MockSensorService(MockService):
    """Stands in for what sensors reach of the service; keeps the events that they dispatch."""

    def __init__(self, pack, class_name):
        super().__init__(pack, class_name)
        #: Events in their order, as dicts with `trigger`, `payload` and `trace_tag`.
        self.events = []

    def dispatch(self, trigger, payload=None, trace_tag=None):
        if payload is not None and not isinstance(payload, dict):
            raise TypeError("payload must be a dict, not " + type(payload).__name__)
        self.events.append({"trigger": _to_ref(trigger), "payload": payload or {}, "trace_tag": trace_tag})
        return "{:024x}".format(len(self.events))

    def dispatch_with_context(self, trigger, payload=None, trace_context=None):
        tag = trace_context.get("trace_tag") if isinstance(trace_context, dict) else getattr(trace_context, "trace_tag", None)
        return self.dispatch(trigger, payload, tag)

    def get_logger(self, name):
        return logging.getLogger(self._prefix[:-1] + "." + name)


def _to_ref(trigger):
    if isinstance(trigger, dict):
        return trigger.get("ref") or trigger.get("type")
    return trigger


def _name_of(tested):
    return "Test" if tested is None else tested.__name__
