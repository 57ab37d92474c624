"""Makes a sensor, has it run, and ends it."""

import inspect
import logging
import os
import signal
import sys
import threading
import time
import traceback

from svc import actions, driver, logs, pack, places, sensor_service
from svc.sensors import PollingSensor

EXIT_RAISED = 1
#: Seconds that `run` may take to notice that it is over.
_UNWINDING = 1.0
#: Seconds for what is still to be written at the end.
_WRITING = 1.0

# Before a sensor may put another in its place.
_sleep = time.sleep


class _Stopped(SystemExit):
    """Raised in `run` when the sensor is to end."""


class Ending:
    """The end of this process, however it comes about."""

    def __init__(self, host):
        self._host = host
        self._process = os.getpid()
        # Taken by the handler of a signal too, which interrupts whoever has it in the main thread.
        self._lock = threading.RLock()
        self._is_asked = False
        self._has_raised = False
        self._is_over = False
        self._is_finishing = False
        self.code = 0
        self.sensor = None

    def ask(self, code=0):
        """End it, from any thread."""
        if self._insist(code):
            os.kill(self._process, signal.SIGTERM)

    def on_signal(self, number, _frame):
        if os.getpid() != self._process:
            # A process that was forked from the sensor ends as any other.
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        self._insist(0)
        # Once: what the sensor does while it unwinds is not to be interrupted.
        if not self._is_over and not self._has_raised:
            self._has_raised = True
            raise _Stopped(0)

    def finish(self, code):
        """Clean up and end the process. Threads of the sensor do not keep it. Does not return."""
        self._is_over = True
        with self._lock:
            is_first = not self._is_finishing
            self._is_finishing = True
        while not is_first:
            _sleep(60)
        try:
            if self.sensor is not None:
                self.sensor.cleanup()
        except BaseException as error:
            driver.print_traceback(error)
            code = code or EXIT_RAISED
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                pass
        self._host.close(_WRITING)
        os._exit(code)

    def _insist(self, code):
        """`run` may wait in a place where it notices nothing, or catch everything. Whether nobody has asked before."""
        with self._lock:
            if self._is_asked:
                return False
            self._is_asked = True
            self.code = code
        threading.Thread(target=self._finish_later, daemon=True).start()
        return True

    def _finish_later(self):
        _sleep(_UNWINDING)
        self.finish(self.code)


def run(request, host):
    """Run the sensor that `request` (sensor/request.ts) describes, until its end. Does not return."""
    logs.level = request["log_level"]
    pack.ref, pack.directory = request["pack"], request["pack_directory"]
    places.learn(pack.directory)
    ending = Ending(host)
    host.on_end = ending.ask
    signal.signal(signal.SIGTERM, ending.on_signal)
    code = 0
    try:
        host.start()
        ending.sensor = sensor = _make(request, host)
        sensor.setup()
        _take_changes(sensor, host.changes.get(), host)
        threading.Thread(target=_follow, args=(sensor, host, ending), daemon=True).start()
        sensor.run()
    except _Stopped:
        code = ending.code
    except SystemExit as error:
        code = driver.to_exit_code(error.code)
    except BaseException as error:
        driver.print_traceback(error)
        code = EXIT_RAISED
    ending.finish(code)


def _make(request, host):
    entry_point, class_name = request["entry_point"], request["class_name"]
    service = sensor_service.SensorService(host, request["ref"], request["user"])
    logging.addLevelName(logs.AUDIT, "AUDIT")
    sensor_service.get_logger(host, None, "WARNING")
    driver.add_paths(request, entry_point)
    # As for actions: behind everything else.
    sys.path.extend(request["python_paths"])
    module = driver.load(entry_point, "svc_sensor_")
    sensor_class = getattr(module, class_name, None)
    if not isinstance(sensor_class, type):
        raise LookupError('"' + entry_point + '" defines no class ' + class_name)
    config = actions.Config(request["config"], request["pack"])
    return _construct(sensor_class, service, config, request["poll_interval"])


def _construct(sensor_class, service, config, poll_interval):
    if poll_interval is not None and _takes(sensor_class, "poll_interval"):
        return sensor_class(sensor_service=service, config=config, poll_interval=poll_interval)
    sensor = sensor_class(sensor_service=service, config=config)
    if poll_interval is not None and isinstance(sensor, PollingSensor):
        sensor.set_poll_interval(poll_interval)
    return sensor


def _takes(sensor_class, name):
    parameters = inspect.signature(sensor_class.__init__).parameters.values()
    return any(parameter.name == name or parameter.kind == parameter.VAR_KEYWORD for parameter in parameters)


def _follow(sensor, host, ending):
    while True:
        changes = host.changes.get()
        try:
            _take_changes(sensor, changes, host)
        except BaseException:
            # A trigger that it does not know would never be watched: the next start tells of it again.
            print(places.hide(traceback.format_exc()), file=sys.stderr, end="")
            return ending.ask(EXIT_RAISED)


def _take_changes(sensor, message, host):
    for change in message["changes"]:
        tell = getattr(sensor, change["kind"] + "_trigger")
        if isinstance(sensor, PollingSensor):
            with sensor._turn:
                tell(change["trigger"])
        else:
            tell(change["trigger"])
    host.tell({"told": message["number"]})
