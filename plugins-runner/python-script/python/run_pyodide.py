"""Runs one action inside pyodide, in memory since the snapshot was made. The worker process calls `run` (pyodide/worker/main.ts)."""

import atexit
import errno
import io
import os
import random
import sys

from svc import driver, encoding, transport


def run(request, environment, host):
    """Run the action that the JSON text describes; the exit code. `host` has `report` and `call`."""
    # The engine's stack is made for this (pyodide/worker/main.ts): Python is to say that recursion goes too deep, not the engine.
    sys.setrecursionlimit(1000)
    # What the snapshot froze: otherwise every run would draw the same numbers.
    random.seed()
    os.environ.clear()
    os.environ.update(encoding.decode(environment))
    sys.stdout = _open_unbuffered(1, "surrogateescape")
    sys.stderr = _open_unbuffered(2, "backslashreplace")
    os.system = _refuse_program
    transport.send = lambda method, path, body: tuple(host.call(method, path, body))
    code = driver.run(encoding.decode(request), host.report)
    # The interpreter does not end by itself, so that nobody else would.
    atexit._run_exitfuncs()
    return code


def _refuse_program(command):
    # The interpreter would ask Node to start it, is refused, and could not go on.
    raise OSError(errno.ENOSYS, "programs cannot be started here")


def warm_up(host):
    """Run an action that does nothing: the interpreter's functions are compiled when they are first called, which takes long."""
    path, modules, finders = sys.path[:], set(sys.modules), sys.meta_path[:]
    directory = "/tmp/warm"
    entry_point = directory + "/warm.py"
    os.mkdir(directory)
    with open(entry_point, "w") as file:
        file.write(_WARM_ACTION)
    request = {"entry_point": entry_point, "pack_directory": directory, "pack": "", "parameters": {"text": "x"}, "config": {}}
    run(encoding.encode(dict(request, log_level="DEBUG")), "{}", host)
    os.remove(entry_point)
    os.rmdir(directory)
    sys.path[:], sys.meta_path[:] = path, finders
    for name in set(sys.modules) - modules:
        del sys.modules[name]


_WARM_ACTION = """
import os, sys
from svc.actions import Action

class Warm(Action):
    def run(self, text):
        print(text, file=sys.stderr)
        self.logger.debug("%s", text)
        try:
            raise ValueError(text)
        except ValueError as error:
            return {"text": str(error), "files": os.listdir("/tmp")}
"""


def _open_unbuffered(descriptor, errors):
    return io.TextIOWrapper(io.FileIO(descriptor, "w", closefd=False), "utf-8", errors, "\n", write_through=True)
