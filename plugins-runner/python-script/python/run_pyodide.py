"""Runs one action inside pyodide, in memory since the snapshot was made. The worker process calls `run` (pyodide/worker/main.ts)."""

import atexit
import io
import os
import random
import sys

from svc import driver, encoding, transport


def run(request, environment, host):
    """Run the action that the JSON text describes; the exit code. `host` has `report` and `call`."""
    # What the snapshot froze: otherwise every run would draw the same numbers.
    random.seed()
    os.environ.clear()
    os.environ.update(encoding.decode(environment))
    sys.stdout = _open_unbuffered(1, "surrogateescape")
    sys.stderr = _open_unbuffered(2, "backslashreplace")
    transport.send = lambda method, path, body: tuple(host.call(method, path, body))
    code = driver.run(encoding.decode(request), host.report)
    # The interpreter does not end by itself, so that nobody else would.
    atexit._run_exitfuncs()
    return code


def _open_unbuffered(descriptor, errors):
    return io.TextIOWrapper(io.FileIO(descriptor, "w", closefd=False), "utf-8", errors, "\n", write_through=True)
