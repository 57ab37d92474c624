"""The standard library's mocks under the name of the package that tests of packs import, where that is not installed."""

from unittest.mock import *
from unittest.mock import __all__
