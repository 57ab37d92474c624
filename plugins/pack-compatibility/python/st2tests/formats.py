"""Formats of action aliases, as far as tests of packs need them: what a command gives for a format."""

import re

_FIELD = re.compile(r"{{\s*(\w+)\s*(?:=\s*([^{}]*?)\s*)?}}")
_PAIR = re.compile(r"\s(\w+)=(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|\S+)", re.DOTALL)
_QUOTES = "\"'"


class ParseException(ValueError):
    """A command does not match a format."""


def extract_parameters(format_string, command):
    """The parameters that a command gives. ParseException where it does not match."""
    parameters = {}
    fields = list(_FIELD.finditer(format_string))
    rest = " " + command.strip()
    if fields or not _matches(format_string, command):
        rest, pairs = _take_pairs(rest)
        parameters.update(pairs)
    found = re.match(_to_pattern(format_string, fields), rest.strip(), re.DOTALL | re.IGNORECASE)
    if found is None:
        raise ParseException('command "{}" does not match format "{}"'.format(command, format_string))
    for index, field in enumerate(fields):
        name, default = field.groups()
        value = found.group("f{}".format(index))
        if value is not None:
            parameters[name] = _unquote(value)
        elif name not in parameters:
            parameters[name] = default
    return parameters


def _matches(format_string, command):
    return re.match(r"^{}$".format(format_string), command.strip(), re.DOTALL | re.IGNORECASE) is not None


def _take_pairs(text):
    """The pairs `name=value` at the end of a command, and what stands before them."""
    pairs = {}
    while True:
        last = None
        for last in _PAIR.finditer(text):
            pass
        if last is None or text[last.end() :].strip():
            return text, pairs
        pairs[last.group(1)] = _unquote(last.group(2))
        text = text[: last.start()]


def _to_pattern(format_string, fields):
    pattern, end = "", 0
    for index, field in enumerate(fields):
        before = format_string[end : field.start()]
        value = r"(?P<f{}>\"[^\"]*\"|'[^']*'|{{.*?}}|.+?)".format(index)
        if field.group(2) is None:
            pattern += before + value
        else:
            # With the blanks before it: what is left out leaves none behind.
            stripped = before.rstrip()
            pattern += stripped + r"(?:{}{})?".format(r"\s+" if stripped != before else "", value)
        end = field.end()
    return r"^\s*" + pattern + format_string[end:] + r"\s*$"


def _unquote(value):
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in _QUOTES else value
