"""Records of which packs use no more than their path."""

from st2client.models.core import Resource


def _kind(name, path):
    """The class of the records below a path."""
    return type(name, (Resource,), {"path": path, "__module__": __name__})


ActionAlias = _kind("ActionAlias", "/actionalias")
Inquiry = _kind("Inquiry", "/inquiries")
Pack = _kind("Pack", "/packs")
Policy = _kind("Policy", "/policies")
Rule = _kind("Rule", "/rules")
Sensor = _kind("Sensor", "/sensortypes")
Trace = _kind("Trace", "/traces")
Trigger = _kind("Trigger", "/triggers")
TriggerInstance = _kind("TriggerInstance", "/triggerinstances")
TriggerType = _kind("TriggerType", "/triggertypes")
