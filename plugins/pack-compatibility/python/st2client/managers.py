"""What can be done with the records of each kind."""

from st2client.connection import quote
from st2client.models.core import Resource


class ResourceManager:
    """The records of one kind."""

    def __init__(self, resource, connection):
        self.resource = resource
        self._connection = connection

    def get_all(self, **query):
        """All records, or those that `limit`, `pack`, `prefix` and so on choose."""
        return [self.resource.deserialize(record) for record in self._call("GET", "", query) or []]

    query = get_all

    def get_by_id(self, id, **query):
        """The record with this id, or ref; None when there is none."""
        return self._to_resource(self._call("GET", "/" + quote(id), query))

    def get_by_ref_or_id(self, ref_or_id, **query):
        return self.get_by_id(ref_or_id, **query)

    def get_by_name(self, name, **query):
        """The only record with this name; None when there is none."""
        found = self.get_all(name=name, **query)
        if len(found) > 1:
            raise Exception('{} records are called "{}": say more about the one that is meant'.format(len(found), name))
        return found[0] if found else None

    def create(self, instance, **query):
        return self._to_resource(self._call("POST", "", query, instance.serialize()))

    def update(self, instance, **query):
        return self._to_resource(self._call("PUT", "/" + quote(self._key_of(instance)), query, instance.serialize()))

    def delete(self, instance, **query):
        """Whether there was one."""
        return self.delete_by_id(self._key_of(instance), **query) is not None

    def delete_by_id(self, instance_id, **query):
        """What the service answers; None when there is none."""
        return self._call("DELETE", "/" + quote(instance_id), query)

    def _key_of(self, instance):
        return getattr(instance, self.resource.key)

    def _call(self, method, path, query=None, body=None):
        return self._connection.call(method, self.resource.path + path, query, body)

    def _to_resource(self, record):
        return None if record is None else self.resource.deserialize(record)


class ExecutionManager(ResourceManager):
    """Executions; live actions are the same."""

    def re_run(self, execution_id, parameters=None, tasks=None, no_reset=None, delay=0):
        body = {"parameters": parameters or {}, "tasks": tasks or [], "reset": [task for task in tasks or [] if task not in (no_reset or [])]}
        if delay:
            body["delay"] = delay
        return self._to_resource(self._call("POST", "/" + quote(execution_id) + "/re_run", body=body))

    def pause(self, execution_id):
        return self._to_resource(self._call("PUT", "/" + quote(execution_id), body={"status": "pausing"}))

    def resume(self, execution_id):
        return self._to_resource(self._call("PUT", "/" + quote(execution_id), body={"status": "resuming"}))

    def get_children(self, execution_id, depth=-1, **query):
        found = self._call("GET", "/" + quote(execution_id) + "/children", {"depth": depth, **query})
        return [self.resource.deserialize(record) for record in found or []]

    def get_output(self, execution_id, output_type=None):
        return self._call("GET", "/" + quote(execution_id) + "/output", {"output_type": output_type, "output_format": "raw"})


class KeyManager(ResourceManager):
    """Items of the datastore, which have names and no ids."""

    def get_by_name(self, name, **query):
        return self.get_by_id(name, **query)

    def create(self, instance, **query):
        return self.update(instance, **query)


class InquiryManager(ResourceManager):
    """Questions, and answers to them."""

    def respond(self, inquiry_id, inquiry_response):
        return self._to_resource(self._call("PUT", "/" + quote(inquiry_id), body={"id": inquiry_id, "response": inquiry_response}))


class TriggerInstanceManager(ResourceManager):
    """Events."""

    def re_emit(self, trigger_instance_id):
        return self._call("POST", "/" + quote(trigger_instance_id) + "/re_emit", body={})


class PackManager(ResourceManager):
    """Packs, and what changes them."""

    def install(self, packs, force=False, **_others):
        return self._post("install", {"packs": packs, "force": force})

    def remove(self, packs):
        return self._post("uninstall", {"packs": packs})

    def register(self, packs=None, types=None):
        return self._post("register", {name: value for name, value in (("packs", packs), ("types", types)) if value})

    def _post(self, name, body):
        answer = self._call("POST", "/" + name, body=body)
        return None if answer is None else Resource.deserialize(answer)


class WebhookManager:
    """Events by HTTP."""

    def __init__(self, connection):
        self._connection = connection

    def post_generic_webhook(self, trigger, payload=None, trace_tag=None):
        """Make an event of a trigger type."""
        body = {"trigger": trigger, "payload": payload or {}}
        headers = {"Svc-Trace-Tag": trace_tag} if trace_tag else None
        return self._connection.call("POST", "/webhooks/svc", body=body, headers=headers)
