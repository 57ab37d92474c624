"""Runs one sensor in a process of its own: what the service says comes over standard input, what is for it leaves over descriptor 3."""

import os
import sys

OUTPUT_DESCRIPTOR = 3


def main():
    # Programs that the sensor starts have no business with either.
    os.set_inheritable(OUTPUT_DESCRIPTOR, False)
    input_descriptor = os.dup(0)
    os.set_blocking(input_descriptor, True)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    # Not there under PYTHONSAFEPATH. Afterwards what stands here must not be in the way of the sensor's modules.
    own_directory = os.path.dirname(os.path.realpath(__file__))
    sys.path.insert(0, own_directory)
    from svc import host, sensor_driver

    sys.path[:] = [directory for directory in sys.path if directory != own_directory]
    line = host.Host(input_descriptor, OUTPUT_DESCRIPTOR)
    sensor_driver.run(line.receive(), line)


if __name__ == "__main__":
    main()
