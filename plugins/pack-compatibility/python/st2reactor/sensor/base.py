"""The base classes of sensors."""

from svc.sensors import PollingSensor, Sensor

__all__ = ["PollingSensor", "Sensor"]
