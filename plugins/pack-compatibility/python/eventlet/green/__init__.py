"""The modules of the standard library, as `from eventlet.green import time` asks for them."""

import importlib

_MODULES = ("asynchat", "asyncore", "os", "select", "socket", "ssl", "subprocess", "threading", "time", "urllib")


def __getattr__(name):
    if name not in _MODULES:
        raise AttributeError(name)
    return importlib.import_module(name)
