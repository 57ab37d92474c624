"""What a sensor reaches of the service: given to it as `sensor_service`."""

import logging

from svc import host as hosts
from svc import logs
from svc.service import DatastoreItem

_LEVELS = {"DEBUG": "debug", "INFO": "info", "WARNING": "warn", "ERROR": "error", "CRITICAL": "error", "AUDIT": "info"}
#: Most characters of a line in the log.
_LONGEST_TEXT = 16000


class SensorService:
    """Dispatches events, keeps values, writes to the log. The methods of the datastore can be called here or on `datastore_service`."""

    def __init__(self, host, ref, user):
        self._host = host
        self._prefix = ref + ":"
        self._user = user

    @property
    def datastore_service(self):
        return self

    def dispatch(self, trigger, payload=None, trace_tag=None):
        """Tell of an event. It is on disk when this returns; the id of the trigger instance, or None where nobody can take it (which is logged).

        `trigger` is the ref of a trigger type or trigger, or a trigger as `add_trigger` gets it.
        """
        return self._dispatch(trigger, payload, trace_tag=trace_tag)

    def dispatch_with_context(self, trigger, payload=None, trace_context=None):
        """As `dispatch`, in the trace that `trace_context` names by `id_`, or in a new one with its `trace_tag`; members or attributes."""
        return self._dispatch(trigger, payload, trace_tag=_member(trace_context, "trace_tag"), trace_id=_member(trace_context, "id_"))

    def _dispatch(self, trigger, payload, **trace):
        if payload is not None and not isinstance(payload, dict):
            raise TypeError("payload must be a dict, not " + type(payload).__name__)
        return self._host.call("dispatch", trigger=_to_reference(trigger), payload=payload or {}, **trace)

    def get_logger(self, name):
        """A logger that writes to the log of the service."""
        return get_logger(self._host, name, logs.level)

    def get_user_info(self):
        """The user whom the sensor runs as, as a dict."""
        return self._user

    def list_values(self, local=True, prefix=None, limit=None, offset=0):
        """Items whose names begin with `prefix`, as objects with the attributes `name`, `value` and `scope`."""
        items = self._host.call("list", local=bool(local), prefix=prefix or "")
        end = None if limit is None or limit < 0 else offset + limit
        start = self._prefix if local else ""
        return [DatastoreItem({"name": start + item["name"], "value": item["value"], "scope": "system"}) for item in items[offset:end]]

    def get_value(self, name, local=True, scope="system", decrypt=False):
        """The value, or None when there is none. A secret one comes in clear, with `decrypt` or without."""
        _assert_system(scope)
        return self._host.call("get", local=bool(local), name=name)

    def set_value(self, name, value, ttl=None, local=True, scope="system", encrypt=False):
        """Keep a value, as text. `ttl` in seconds. Always True: a failure is raised."""
        _assert_system(scope)
        self._host.call("set", local=bool(local), name=name, value=str(value), ttl=ttl, secret=bool(encrypt))
        return True

    def delete_value(self, name, local=True, scope="system"):
        """Whether there was one."""
        _assert_system(scope)
        return self._host.call("delete", local=bool(local), name=name)


def get_logger(host, name, level):
    logger = logging.getLogger(name)
    if not any(isinstance(handler, HostHandler) for handler in logger.handlers):
        logger.addHandler(HostHandler(host))
    logger.setLevel(level)
    # Otherwise the root would write every line a second time.
    logger.propagate = False
    return logger


class HostHandler(logging.Handler):
    """Writes to the log of the service."""

    def __init__(self, host):
        super().__init__()
        self._host = host

    def emit(self, record):
        try:
            text = self.format(record)[:_LONGEST_TEXT]
            self._host.tell({"log": _LEVELS.get(record.levelname, "info"), "name": record.name, "text": text})
        except hosts.HostError:
            # In a process that was forked from the sensor.
            self.handleError(record)


def _to_reference(trigger):
    if isinstance(trigger, str):
        return trigger
    if isinstance(trigger, dict) and isinstance(trigger.get("ref"), str):
        return trigger["ref"]
    if isinstance(trigger, dict) and isinstance(trigger.get("type"), str):
        return {"type": trigger["type"], "parameters": trigger.get("parameters") or {}}
    if isinstance(trigger, dict) and isinstance(trigger.get("name"), str) and isinstance(trigger.get("pack"), str):
        return trigger["pack"] + "." + trigger["name"]
    raise TypeError("trigger must be a ref, or a dict with ref, with type and parameters, or with name and pack")


def _member(context, name):
    return context.get(name) if isinstance(context, dict) else getattr(context, name, None)


def _assert_system(scope):
    if scope not in ("system", "svckv.system"):
        raise ValueError("scope {!r} cannot be used by sensors: only system can".format(scope))
