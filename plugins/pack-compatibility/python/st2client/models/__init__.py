"""Records of the API as objects."""

from st2client.models.action import Action, Execution, LiveAction, RunnerType
from st2client.models.core import Resource
from st2client.models.keyvalue import KeyValuePair
from st2client.models.records import (
    ActionAlias,
    Inquiry,
    Pack,
    Policy,
    Rule,
    Sensor,
    Trace,
    Trigger,
    TriggerInstance,
    TriggerType,
)

__all__ = [
    "Action",
    "ActionAlias",
    "Execution",
    "Inquiry",
    "KeyValuePair",
    "LiveAction",
    "Pack",
    "Policy",
    "Resource",
    "Rule",
    "RunnerType",
    "Sensor",
    "Trace",
    "Trigger",
    "TriggerInstance",
    "TriggerType",
]
