"""JSON without the package `json`, whose import costs as much as half the start of the interpreter."""

try:
    from _json import encode_basestring_ascii, make_encoder, make_scanner
except ImportError:
    make_encoder = None


def decode(text):
    """The value of a JSON text that the service made: without white space around it."""
    if make_encoder is None:
        return _package().loads(text)
    value, _end = make_scanner(_ScannerOptions)(text, 0)
    return value


def encode(value):
    """ASCII JSON of a value, or None when it has no such form. Numbers that JSON lacks become null."""
    try:
        return _encode(value)
    except (TypeError, ValueError, RecursionError):
        pass
    try:
        return _encode(without_strange_numbers(value))
    except (TypeError, ValueError, RecursionError):
        return None


def _encode(value):
    if make_encoder is None:
        return _package().dumps(value, allow_nan=False)
    encoder = make_encoder({}, _refuse, encode_basestring_ascii, None, ": ", ", ", False, False, False)
    return "".join(encoder(value, 0))


def without_strange_numbers(value):
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {key: without_strange_numbers(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_strange_numbers(item) for item in value]
    return value


def _refuse(value):
    raise TypeError("a value of type " + type(value).__name__ + " has no JSON form")


def _package():
    import json

    return json


class _ScannerOptions:
    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo = {}
