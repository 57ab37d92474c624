"""Where packs look for records of events and rules."""

from st2client.models.records import Rule, Sensor, Trigger, TriggerInstance, TriggerType

__all__ = ["Rule", "Sensor", "Trigger", "TriggerInstance", "TriggerType"]
