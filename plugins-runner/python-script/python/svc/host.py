"""The line to the service that a sensor has: JSON lines, requests and log on one descriptor, answers and triggers on another."""

import _thread
import json
import os
import queue
import threading

from svc import encoding

#: Most bytes of a line; the service reads no longer ones (sensor/dialogue.ts).
LONGEST_LINE = 4 * 1024 * 1024
#: Lines that wait for the service before whoever writes has to.
_WAITING_LINES = 64

# Before a sensor may put others in their places.
_read = os.read
_write = os.write


class HostError(Exception):
    """The service refused, or it has gone."""


class Host:
    """The service, as this process reaches it. Safe to be used by several threads."""

    def __init__(self, input_descriptor, output_descriptor):
        self._input = input_descriptor
        self._output = output_descriptor
        self._process = os.getpid()
        self._lock = _thread.allocate_lock()
        self._last = 0
        self._waiting = {}
        self._lines = queue.Queue(_WAITING_LINES)
        self._writer = threading.Thread(target=self._write_lines, daemon=True)
        #: What has changed among the triggers; the first entry holds those that exist.
        self.changes = queue.SimpleQueue()
        #: Called in a thread of its own when the service ends the sensor, or has gone.
        self.on_end = None

    def receive(self):
        """The first line: what to do. Nobody else reads before `start`."""
        rest = b""
        while b"\n" not in rest:
            piece = _read(self._input, 65536)
            if not piece:
                raise HostError("the service has ended")
            rest += piece
        line, self._rest = rest.split(b"\n", 1)
        return json.loads(line)

    def start(self):
        self._writer.start()
        threading.Thread(target=self._read_lines, daemon=True).start()

    def call(self, method, **arguments):
        """Have the service do something; what it answers. `HostError` with why it would not."""
        slot = [_thread.allocate_lock(), None]
        slot[0].acquire()
        with self._lock:
            self._last += 1
            number = self._last
            self._waiting[number] = slot
        try:
            self.tell({"call": number, "method": method, "arguments": arguments})
            slot[0].acquire()
        finally:
            self._waiting.pop(number, None)
        if slot[1] is None:
            raise HostError("the service has ended")
        if "error" in slot[1]:
            raise HostError(slot[1]["error"])
        return slot[1].get("value")

    def tell(self, message):
        """Write a line, without waiting for what becomes of it."""
        if os.getpid() != self._process:
            raise HostError("only the process that the service has started can reach it, and no process that was forked from it")
        line = encoding.encode(message).encode("ascii") + b"\n"
        if len(line) > LONGEST_LINE:
            raise HostError("{} bytes are more than the {} that can be told at once".format(len(line), LONGEST_LINE))
        self._lines.put(line)

    def close(self, seconds):
        """Write what still waits."""
        try:
            self._lines.put(None, timeout=seconds)
        except queue.Full:
            return
        self._writer.join(seconds)

    def _write_lines(self):
        while True:
            line = self._lines.get()
            if line is None:
                return
            data = memoryview(line)
            try:
                while data:
                    data = data[_write(self._output, data) :]
            except OSError:
                # Nobody reads any more. Whoever waits for an answer is told by the end of the other direction.
                return

    def _read_lines(self):
        rest = self._rest
        while True:
            while b"\n" in rest:
                line, rest = rest.split(b"\n", 1)
                self._take(json.loads(line))
            try:
                piece = _read(self._input, 65536)
            except OSError:
                piece = b""
            if not piece:
                return self._end()
            rest += piece

    def _take(self, message):
        if "answer" in message:
            slot = self._waiting.get(message["answer"])
            if slot is not None:
                slot[1] = message
                slot[0].release()
        elif "changes" in message:
            self.changes.put(message)
        elif "stop" in message:
            self._end()

    def _end(self):
        if self.on_end is not None:
            self.on_end()
