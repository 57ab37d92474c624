"""Runs the unit tests of a pack in a process of their own: the request comes over standard input, results leave over descriptor 3 in lines of JSON."""

import json
import os
import sys
import time
import traceback
import unittest

REPORT_DESCRIPTOR = 3
#: Folders of a pack whose modules tests import by name, as actions and sensors find them.
#: Tests come last: what they import is what runs, also where folders beside them are called the same.
FOLDERS = ("actions/lib", "actions", "sensors", "lib", "etc", "tests")


def main():
    request = json.load(sys.stdin)
    # Programs that tests start have no business with it.
    os.set_inheritable(REPORT_DESCRIPTOR, False)
    directory = request["pack_directory"]
    # Module names of the pack must not be hidden by those of this directory, whose package `svc` is needed all the same.
    own_directory = os.path.dirname(os.path.realpath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.realpath(path or ".") != own_directory]
    sys.path[:0] = [os.path.join(directory, *folder.split("/")) for folder in FOLDERS]
    sys.path.extend([directory, own_directory] + request["python_paths"])
    from svc import pack, testing

    testing.PACK = pack.ref = request["pack"]
    pack.directory = directory
    tests = os.path.join(directory, "tests")
    result = ReportingResult(directory)
    wanted = [test for test in sorted_tests(tests) if any(request["only"] in text for text in describe(test, directory))]
    # A suite sees to what is set up once for a class or a module.
    unittest.TestSuite(wanted).run(result)
    report({"end": True})


def sorted_tests(tests):
    suite = unittest.defaultTestLoader.discover(tests, pattern="test*.py", top_level_dir=tests)
    return list(flatten(suite))


def flatten(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            for inner in flatten(test):
                yield inner
        else:
            yield test


def describe(test, directory):
    """What the report calls a test, and the file that it stands in."""
    kind = type(test)
    module = sys.modules.get(kind.__module__)
    if kind.__name__ in ("_FailedTest", "ModuleImportFailure", "LoadTestsFailure"):
        # A module that cannot be imported: the loader has made a test that says so.
        name = test._testMethodName if hasattr(test, "_testMethodName") else str(test)
        return name + " can be imported", os.path.join("tests", *name.split(".")) + ".py"
    file = getattr(module, "__file__", None) or os.path.join(directory, "tests")
    return kind.__name__ + "." + getattr(test, "_testMethodName", str(test)), os.path.relpath(os.path.realpath(file), os.path.realpath(directory))


class ReportingResult(unittest.TestResult):
    """Reports each test when it has ended."""

    def __init__(self, directory):
        super().__init__()
        self._directory = directory
        self._began = 0
        self._problems = []
        self._skipped = None

    def startTest(self, test):
        super().startTest(test)
        self._began = time.time()
        self._problems = []
        self._skipped = None

    def stopTest(self, test):
        super().stopTest(test)
        name, file = describe(test, self._directory)
        record = {"file": file, "name": name, "problems": self._problems, "milliseconds": int((time.time() - self._began) * 1000)}
        if self._skipped is not None:
            record["skipped"] = self._skipped
        report(record)

    def addError(self, test, err):
        super().addError(test, err)
        self._fail(test, err)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._fail(test, err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._problems.append(str(dict(subtest.params)) + ": " + self._text(err))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._skipped = str(reason)

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self._problems.append("the test was expected to fail, and did not")

    def _fail(self, test, err):
        # What is set up for a class or a module fails outside of any test.
        if not hasattr(test, "_testMethodName"):
            report({"file": "tests", "name": str(test), "problems": [self._text(err)], "milliseconds": 0})
            return
        self._problems.append(self._text(err))

    def _text(self, err):
        kind, error, frame = err
        if isinstance(error, ImportError) and "Failed to import test module" in str(error):
            return str(error).strip()
        while frame is not None and "__unittest" in frame.tb_frame.f_globals:
            frame = frame.tb_next
        text = "".join(traceback.format_exception(kind, error, frame)).strip()
        return text.replace(os.path.realpath(self._directory) + os.sep, "")


def report(record):
    data = memoryview(json.dumps(record).encode("ascii") + b"\n")
    while data:
        data = data[os.write(REPORT_DESCRIPTOR, data) :]


if __name__ == "__main__":
    main()
