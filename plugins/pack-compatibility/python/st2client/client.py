"""The client that packs import: the calls that they use, with the token of the run unless they give something else."""

import os

from st2client import managers, models
from st2client.connection import Connection

_KINDS = {
    "Action": (models.Action, managers.ResourceManager),
    "ActionAlias": (models.ActionAlias, managers.ResourceManager),
    "Execution": (models.Execution, managers.ExecutionManager),
    "Inquiry": (models.Inquiry, managers.InquiryManager),
    "KeyValuePair": (models.KeyValuePair, managers.KeyManager),
    "LiveAction": (models.Execution, managers.ExecutionManager),
    "Pack": (models.Pack, managers.PackManager),
    "Policy": (models.Policy, managers.ResourceManager),
    "Rule": (models.Rule, managers.ResourceManager),
    "RunnerType": (models.RunnerType, managers.ResourceManager),
    "Sensor": (models.Sensor, managers.ResourceManager),
    "Trace": (models.Trace, managers.ResourceManager),
    "Trigger": (models.Trigger, managers.ResourceManager),
    "TriggerInstance": (models.TriggerInstance, managers.TriggerInstanceManager),
    "TriggerType": (models.TriggerType, managers.ResourceManager),
}


class Client:
    """`base_url` is the service's address, `api_url` the API's; default both of the service that the action runs on."""

    def __init__(self, base_url=None, auth_url=None, api_url=None, token=None, api_key=None, cacert=None, debug=False, **_others):
        given = bool(base_url or api_url)
        address = api_url or (base_url and base_url.rstrip("/") + ":9101/v1") or os.environ.get("SVC_ACTION_API_URL", "")
        own_token = None if given else os.environ.get("SVC_ACTION_AUTH_TOKEN")
        self.token = token or (None if api_key else own_token)
        self.endpoints = {"base": base_url, "api": address, "auth": auth_url}
        connection = Connection(address, self.token, api_key, cacert)
        self.managers = {name: manager(resource, connection) for name, (resource, manager) in _KINDS.items()}
        self.managers["Webhook"] = managers.WebhookManager(connection)

    actionaliases = property(lambda self: self.managers["ActionAlias"])
    actions = property(lambda self: self.managers["Action"])
    executions = property(lambda self: self.managers["Execution"])
    inquiries = property(lambda self: self.managers["Inquiry"])
    keys = property(lambda self: self.managers["KeyValuePair"])
    liveactions = property(lambda self: self.managers["LiveAction"])
    packs = property(lambda self: self.managers["Pack"])
    policies = property(lambda self: self.managers["Policy"])
    rules = property(lambda self: self.managers["Rule"])
    runners = property(lambda self: self.managers["RunnerType"])
    sensors = property(lambda self: self.managers["Sensor"])
    traces = property(lambda self: self.managers["Trace"])
    trigger_instances = property(lambda self: self.managers["TriggerInstance"])
    triggerinstances = property(lambda self: self.managers["TriggerInstance"])
    triggers = property(lambda self: self.managers["Trigger"])
    triggertypes = property(lambda self: self.managers["TriggerType"])
    webhooks = property(lambda self: self.managers["Webhook"])
