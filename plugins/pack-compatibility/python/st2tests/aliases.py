"""Tests of action aliases."""

import os

from st2tests.formats import ParseException, extract_parameters
from st2tests.pack_resource import BasePackResourceTestCase

__all__ = ["ActionAlias", "BaseActionAliasTestCase"]


class ActionAlias:
    """What the file of an alias says."""

    def __init__(self, members):
        self.name = members.get("name")
        self.action_ref = members.get("action_ref")
        self.description = members.get("description")
        self.formats = members.get("formats") or []
        self.ack = members.get("ack")
        self.result = members.get("result")

    def get_format_strings(self):
        """All formats as texts, in order."""
        found = []
        for entry in self.formats:
            texts = entry.get("representation", []) if isinstance(entry, dict) else [entry]
            found.extend([texts] if isinstance(texts, str) else texts)
        return found


class BaseActionAliasTestCase(BasePackResourceTestCase):
    """Tests of the alias called `action_alias_name`."""

    action_alias_name = None
    _tested = "action_alias_name"

    def setUp(self):
        super().setUp()
        self.action_alias_db = self._load()

    def assertCommandMatchesExactlyOneFormatString(self, format_strings, command):
        matched = [text for text in format_strings if _matches(text, command)]
        if len(matched) != 1:
            raise AssertionError('command "{}" matches {} formats: {}'.format(command, len(matched), matched))

    def assertExtractedParametersMatch(self, format_string, command, parameters):
        self.assertEqual(extract_parameters(format_string, command), parameters)

    def _load(self):
        try:
            import yaml
        except ImportError:
            raise ImportError("tests of action aliases need the package PyYAML: name it in requirements-tests.txt") from None
        directory = os.path.join(self._pack_directory(), "aliases")
        for name in sorted(os.listdir(directory)):
            if not name.endswith((".yaml", ".yml")):
                continue
            with open(os.path.join(directory, name), encoding="utf-8") as file:
                members = yaml.safe_load(file)
            if isinstance(members, dict) and members.get("name") == self.action_alias_name:
                return ActionAlias(members)
        raise ValueError('the pack has no action alias "{}"'.format(self.action_alias_name))


def _matches(format_string, command):
    try:
        extract_parameters(format_string, command)
    except ParseException:
        return False
    return True
