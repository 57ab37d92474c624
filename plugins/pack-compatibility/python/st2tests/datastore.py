"""A datastore in memory, with the methods that actions and sensors have of the service's."""


class Item:
    """A value and its name."""

    def __init__(self, name, value):
        self.name = name
        self.value = value


class MockDatastoreService:
    """Stands in for the service. Values become texts, as they do there."""

    def __init__(self, pack, class_name):
        self._prefix = "{}.{}:".format(pack, class_name)
        #: Values by their full names.
        self.values = {}

    @property
    def datastore_service(self):
        return self

    def get_user_info(self):
        return {"username": "admin", "rbac": {"roles": [], "is_admin": True, "enabled": False}, "authentication": {"method": "test"}}

    def list_values(self, local=True, prefix=None, limit=None, offset=0):
        begin = (self._prefix if local else "") + (prefix or "")
        names = sorted(name for name in self.values if name.startswith(begin))
        return [Item(name, self.values[name]) for name in names[offset:][:limit]]

    def get_value(self, name, local=True, scope="system", decrypt=False):
        return self.values.get(self._full_name(name, local))

    def set_value(self, name, value, ttl=None, local=True, scope="system", encrypt=False):
        self.values[self._full_name(name, local)] = str(value)
        return True

    def delete_value(self, name, local=True, scope="system"):
        return self.values.pop(self._full_name(name, local), None) is not None

    def _full_name(self, name, local):
        return (self._prefix if local else "") + name
