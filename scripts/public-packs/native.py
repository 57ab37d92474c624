"""Runs an action of a pack without the service: what its class returns, as JSON. Only the base class is given, and that does nothing."""

import importlib.util
import json
import logging
import os
import sys
import types


class Action:
    def __init__(self, config=None, action_service=None):
        self.config = config or {}
        self.action_service = action_service
        self.logger = types.SimpleNamespace(**{name: lambda *_: None for name in ("debug", "info", "warning", "error", "exception")})


def give(name, **members):
    """A module of the platform, with those above it."""
    parts = name.split(".")
    for end in range(1, len(parts) + 1):
        known = sys.modules.setdefault(".".join(parts[:end]), types.ModuleType(".".join(parts[:end])))
        known.__path__ = []
    for member, value in members.items():
        setattr(sys.modules[name], member, value)


def main():
    entry_point, parameters, config = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])
    give("st2common.runners.base_action", Action=Action)
    give("st2common.log", getLogger=logging.getLogger)
    give("st2common", log=sys.modules["st2common.log"])
    give("st2common.exceptions.action", InvalidActionParameterException=type("InvalidActionParameterException", (Exception,), {}))
    directory = os.path.dirname(entry_point)
    sys.path[:0] = [os.path.join(directory, "lib"), directory]
    try:
        spec = importlib.util.spec_from_file_location("native_action", entry_point)
        module = importlib.util.module_from_spec(spec)
        sys.modules["native_action"] = module
        spec.loader.exec_module(module)
        [found] = [value for value in vars(module).values() if isinstance(value, type) and value.__module__ == "native_action" and hasattr(value, "run")]
        outcome = {"returned": found(config).run(**parameters)}
    except Exception as error:
        outcome = {"raised": type(error).__name__}
    sys.stdout.write("\n" + json.dumps(outcome, default=str))


main()
