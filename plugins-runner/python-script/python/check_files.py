"""Compiles Python files without running them: names come over standard input, what is wrong leaves over descriptor 3 in lines of JSON."""

import json
import os
import sys
import warnings

REPORT_DESCRIPTOR = 3
LARGEST_FILE = 5000000


def main():
    warnings.simplefilter("ignore")
    for name in json.load(sys.stdin)["files"]:
        problem = check(name)
        if problem is not None:
            os.write(REPORT_DESCRIPTOR, json.dumps(dict(problem, file=name)).encode("ascii") + b"\n")


def check(name):
    try:
        if os.path.getsize(name) > LARGEST_FILE:
            return {"line": None, "message": "must be at most {} bytes".format(LARGEST_FILE)}
        with open(name, "rb") as file:
            compile(file.read(), name, "exec", dont_inherit=True)
    except SyntaxError as error:
        return {"line": error.lineno, "message": "{}: {}".format(type(error).__name__, error.msg)}
    except (ValueError, OSError, RecursionError, MemoryError, OverflowError) as error:
        return {"line": None, "message": "cannot be compiled: {}".format(error)}
    return None


if __name__ == "__main__":
    main()
