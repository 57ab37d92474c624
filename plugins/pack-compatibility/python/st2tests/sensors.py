"""Tests of sensors."""

from st2tests.pack_resource import BasePackResourceTestCase
from svc import testing

__all__ = ["BaseSensorTestCase"]


class SensorService(testing.MockSensorService):
    """Keeps what a sensor dispatches."""

    def __init__(self, class_name):
        super().__init__(testing.PACK, class_name)
        #: `trigger`, `payload` and `trace_context` of each, in order.
        self.dispatched_triggers = []

    def dispatch(self, trigger, payload=None, trace_tag=None):
        self.dispatch_with_context(trigger, payload, {"trace_tag": trace_tag} if trace_tag else {})

    def dispatch_with_context(self, trigger, payload=None, trace_context=None):
        self.dispatched_triggers.append({"trigger": trigger, "payload": payload, "trace_context": trace_context or {}})


class BaseSensorTestCase(BasePackResourceTestCase):
    """Tests of the sensor class `sensor_cls`."""

    sensor_cls = None
    _tested = "sensor_cls"

    def setUp(self):
        super().setUp()
        self.sensor_service = SensorService(self.sensor_cls.__name__)

    def get_sensor_instance(self, config=None, poll_interval=None):
        """The sensor as the service would make it."""
        more = {} if poll_interval is None else {"poll_interval": poll_interval}
        return self.sensor_cls(sensor_service=self.sensor_service, config=config, **more)

    def get_dispatched_triggers(self):
        return self.sensor_service.dispatched_triggers

    def get_last_dispatched_trigger(self):
        return self.sensor_service.dispatched_triggers[-1]

    def assertTriggerDispatched(self, trigger, payload=None, trace_context=None):
        """Fail unless the sensor has dispatched it, with this payload and trace where they are given."""
        wanted = {"trigger": trigger, "payload": payload, "trace_context": trace_context}
        for dispatched in self.get_dispatched_triggers():
            if all(value is None or dispatched[name] == value for name, value in wanted.items()):
                return True
        raise AssertionError('trigger "{}" has not been dispatched so'.format(trigger))
