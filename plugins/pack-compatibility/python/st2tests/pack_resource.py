"""What tests of all parts of a pack have."""

import inspect
import os
import sys
import unittest

__all__ = ["BasePackResourceTestCase"]


class BasePackResourceTestCase(unittest.TestCase):
    """A test with files beside it. A class with `__test__ = False` is a base of others: its tests are left out."""

    #: Attribute that must name what is tested, in the classes whose tests run.
    _tested = None

    # Names that newer versions of Python no longer have.
    if sys.version_info >= (3, 12):
        assertEquals = unittest.TestCase.assertEqual
        assertNotEquals = unittest.TestCase.assertNotEqual
        assertItemsEqual = unittest.TestCase.assertCountEqual
        assertRaisesRegexp = unittest.TestCase.assertRaisesRegex
        assertRegexpMatches = unittest.TestCase.assertRegex
        assert_ = unittest.TestCase.assertTrue

    def run(self, result=None):
        if not self._is_base():
            return super().run(result)
        # However it came to be run: here, and not in `setUp`, which bases of packs build upon.
        result = self.defaultTestResult() if result is None else result
        result.startTest(self)
        result.addSkip(self, "a base of other tests")
        result.stopTest(self)
        return result

    def get_fixture_content(self, fixture_path):
        """Text of a file in the folder `fixtures` beside the test."""
        directory = os.path.dirname(os.path.abspath(inspect.getfile(type(self))))
        with open(os.path.join(directory, "fixtures", fixture_path), encoding="utf-8") as file:
            return file.read()

    def _is_base(self):
        untested = self._tested is not None and getattr(self, self._tested, None) is None
        return untested or not getattr(self, "__test__", True)

    def _pack_directory(self):
        """The directory above the test that has a `pack.yaml`."""
        directory = os.path.dirname(os.path.abspath(inspect.getfile(type(self))))
        while not os.path.exists(os.path.join(directory, "pack.yaml")):
            above = os.path.dirname(directory)
            if above == directory:
                raise ValueError("the test stands in no pack: no directory above it has a pack.yaml")
            directory = above
        return directory
