"""The base classes of sensors: `from svc.sensors import Sensor, PollingSensor`."""

import threading
import time


class Sensor:
    """A source of events. The service makes one instance and calls `setup`, then `run`, and `cleanup` at the end.

    What raises in one of them ends the sensor as failed, and it is started again after a pause. `run` that returns has nothing more to do.
    """

    def __init__(self, sensor_service, config=None):
        """`sensor_service` reaches the service, `config` is the pack's configuration."""
        self.sensor_service = self._sensor_service = sensor_service
        self.config = self._config = {} if config is None else config

    def setup(self):
        """Open what is needed. Called once, before the triggers are told of."""

    def run(self):
        """Look, and dispatch events, for as long as the sensor runs."""
        raise NotImplementedError("class " + type(self).__name__ + " has no method run")

    def cleanup(self):
        """Close what was opened. There are seconds for it."""

    def add_trigger(self, trigger):
        """A trigger of one of the sensor's types is there, as a dict with `ref`, `type`, `parameters` and so on: at the start each that exists.

        Later ones come in another thread than the one that `run` has.
        """

    def update_trigger(self, trigger):
        """A trigger has other parameters than before."""

    def remove_trigger(self, trigger):
        """A trigger has gone."""


class PollingSensor(Sensor):
    """A sensor that looks now and then: `poll` is called, and triggers are told of between two looks."""

    def __init__(self, sensor_service, config=None, poll_interval=5):
        super().__init__(sensor_service, config)
        self._poll_interval = poll_interval
        #: Held while it looks, or is told of a trigger.
        self._turn = threading.RLock()

    def poll(self):
        """Look once."""
        raise NotImplementedError("class " + type(self).__name__ + " has no method poll")

    def run(self):
        while True:
            with self._turn:
                self.poll()
            time.sleep(self.get_poll_interval())

    def get_poll_interval(self):
        """Seconds between two looks."""
        return self._poll_interval

    def set_poll_interval(self, poll_interval):
        self._poll_interval = poll_interval
