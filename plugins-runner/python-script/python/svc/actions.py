"""The base class of actions: `from svc.actions import Action`."""

from svc import logs


class Action:
    """One run of an action. The runner makes an instance and calls `run` with the action's parameters."""

    #: Writes to standard error, which the service streams live.
    logger = logs.ActionLogger()

    def __init__(self, config=None, action_service=None):
        """`config` is the pack's configuration, `action_service` reaches the datastore."""
        self.config = {} if config is None else config
        self.action_service = action_service

    def run(self, **parameters):
        """Do the work. Return the result, or a tuple `(succeeded, result)`."""
        raise NotImplementedError("class " + type(self).__name__ + " has no method run")


class Config(dict):
    """A pack's configuration: a dict that says which file lacks the key."""

    def __init__(self, values, pack):
        super().__init__(values)
        self._pack = pack

    def __missing__(self, key):
        raise ConfigKeyError(key, self._pack)


class ConfigKeyError(KeyError):
    """A key that the pack's configuration lacks."""

    def __init__(self, key, pack):
        super().__init__(key)
        self._pack = pack

    def __str__(self):
        return 'the configuration of pack "{0}" has no key {1!r}: set it in {0}.yaml in the directory of pack configurations'.format(
            self._pack, self.args[0]
        )
