"""What an action reaches of the service: the datastore and its own user, over the API with the execution's token."""

from svc import transport


class ActionService:
    """Given to actions as `action_service`. The methods of the datastore can be called here or on `datastore_service`."""

    def __init__(self, pack, class_name):
        self._prefix = pack + "." + class_name + ":"

    @property
    def datastore_service(self):
        return self

    def get_user_info(self):
        """The user whom the action runs for, as a dict."""
        return _expect(transport.call("GET", "/user"), "user")

    def list_values(self, local=True, prefix=None, limit=None, offset=0):
        """Items whose names begin with `prefix`, as objects with the attributes `name`, `value`, `scope` and so on."""
        full_prefix = (self._prefix if local else "") + (prefix or "")
        query = {"prefix": full_prefix, "limit": limit, "offset": offset or None}
        items = _expect(transport.call("GET", "/keys", query), "list of values")
        return [DatastoreItem(item) for item in items]

    def get_value(self, name, local=True, scope="system", decrypt=False):
        """The value, or None when there is none or it cannot be read (which is then logged)."""
        full_name = self._full_name(name, local, scope)
        query = {"scope": scope, "decrypt": "true" if decrypt else None}
        status, answer = transport.call("GET", _path(full_name), query)
        if status == 200:
            return answer["value"]
        if status != 404:
            _log("value %r cannot be read: %s", full_name, _reason(status, answer))
        return None

    def set_value(self, name, value, ttl=None, local=True, scope="system", encrypt=False):
        """Keep a value, as text. `ttl` in seconds. Always True: a failure is raised."""
        full_name = self._full_name(name, local, scope)
        body = {"name": full_name, "value": str(value), "scope": scope}
        if ttl is not None:
            body["ttl"] = ttl
        if encrypt:
            body["secret"] = True
        _expect(transport.call("PUT", _path(full_name), body=body), "value " + repr(full_name))
        return True

    def delete_value(self, name, local=True, scope="system"):
        """Whether there was one."""
        full_name = self._full_name(name, local, scope)
        status, answer = transport.call("DELETE", _path(full_name), {"scope": scope})
        if status == 404:
            return False
        _expect((status, answer), "value " + repr(full_name))
        return True

    def _full_name(self, name, local, scope):
        if scope not in ("system", "svckv.system"):
            raise ValueError("scope {!r} cannot be used by actions: only system can".format(scope))
        return (self._prefix if local else "") + name


class DatastoreItem:
    """An item of the datastore; its members are attributes."""

    def __init__(self, members):
        self.__dict__.update(members)

    def __repr__(self):
        return "DatastoreItem(" + repr(self.__dict__.get("name")) + ")"


class ServiceError(Exception):
    """The service refused or did not answer. `status` is the HTTP status, 0 without an answer."""

    def __init__(self, message, status):
        super().__init__(message)
        self.status = status


def _path(name):
    return "/keys/" + transport.quote(name)


def _expect(answer, subject):
    status, value = answer
    if not 200 <= status < 300:
        raise ServiceError("{}: {}".format(subject, _reason(status, value)), status)
    return value


def _reason(status, answer):
    message = answer.get("faultstring") if isinstance(answer, dict) else answer
    return "{} ({})".format(message, status) if status else str(message)


def _log(message, *values):
    from svc import logs

    logs.get_logger("actions.python.service").error(message, *values)
