"""Records of the API as objects."""

from st2client.models.action import Action, Execution, LiveAction, RunnerType
from st2client.models.content import ActionAlias, Inquiry, Pack, Policy, Trace
from st2client.models.core import Resource
from st2client.models.keyvalue import KeyValuePair
from st2client.models.reactor import Rule, Sensor, Trigger, TriggerInstance, TriggerType

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
