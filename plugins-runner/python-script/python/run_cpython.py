"""Runs one action in a process of its own: the request comes over standard input, the report leaves over descriptor 3."""

import os
import sys

REPORT_DESCRIPTOR = 3
NO_REPORT_CHANNEL = 221


def main():
    # Programs that the action starts have no business with it.
    os.set_inheritable(REPORT_DESCRIPTOR, False)
    process = os.getpid()
    channel = _identity()
    # Not there under PYTHONSAFEPATH. Afterwards what stands here must not be in the way of the action's modules.
    own_directory = os.path.dirname(os.path.realpath(__file__))
    sys.path.insert(0, own_directory)
    from svc import driver, encoding

    sys.path[:] = [directory for directory in sys.path if directory != own_directory]
    request = encoding.decode(sys.stdin.buffer.read().decode("utf-8"))

    def report(text):
        # A forked child that came back from the action is not the action.
        if os.getpid() != process:
            return
        if _identity() != channel:
            sys.stderr.write("the action closed descriptor 3, which is reserved for its result\n")
            sys.exit(NO_REPORT_CHANNEL)
        data = memoryview(text.encode("ascii"))
        while data:
            data = data[os.write(REPORT_DESCRIPTOR, data) :]

    sys.exit(driver.run(request, report))


def _identity():
    try:
        status = os.fstat(REPORT_DESCRIPTOR)
    except OSError:
        return None
    return (status.st_dev, status.st_ino)


if __name__ == "__main__":
    main()
