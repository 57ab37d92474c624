"""JSON without the package `json`, whose import costs as much as half the start of the interpreter."""

try:
    from _json import encode_basestring_ascii, make_encoder, make_scanner
except ImportError:
    make_encoder = None


# Collections within collections that a result keeps. More would pass the limit of Python's recursion.
_MOST_LEVELS = 200


def decode(text):
    """The value of a JSON text that the service made: without white space around it."""
    if make_encoder is None:
        return _package().loads(text)
    value, _end = make_scanner(_ScannerOptions)(text, 0)
    return value


def encode(value):
    """ASCII JSON of a value, whose parts without a JSON form are replaced one by one (`_to_plain`)."""
    try:
        text = _encode(value)
    except (TypeError, ValueError, RecursionError):
        return _encode(_to_plain(value, ()))
    # How deep an encoder can go depends on the engine; what a result keeps does not. Each level opens a bracket.
    if text.count("[") + text.count("{") > _MOST_LEVELS and _is_too_deep(value):
        return _encode(_to_plain(value, ()))
    return text


def _is_too_deep(value):
    collections = (dict, list, tuple)
    level = [value]
    for _ in range(_MOST_LEVELS):
        items = (each.values() if isinstance(each, dict) else each for each in level)
        level = [item for inner in items for item in inner if isinstance(item, collections)]
        if not level:
            return False
    return True


def _encode(value):
    if make_encoder is None:
        return _package().dumps(value, allow_nan=False)
    encoder = make_encoder({}, _refuse, encode_basestring_ascii, None, ": ", ", ", False, False, False)
    return "".join(encoder(value, 0))


def _to_plain(value, parents):
    """The value with its parts that JSON lacks replaced: numbers such as `nan` by null, times by ISO 8601, enumerations by their values,
    collections by lists, bytes by text, everything else, and what holds itself, by its text."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).decode("utf-8", "backslashreplace")
    if hasattr(type(value), "isoformat"):
        return value.isoformat()
    import enum
    from _collections_abc import Collection, Mapping

    if len(parents) == _MOST_LEVELS:
        return "(nested too deep)"
    if id(value) in parents:
        return str(value)
    inner = parents + (id(value),)
    if isinstance(value, enum.Enum):
        return _to_plain(value.value, inner)
    if isinstance(value, Mapping):
        return {_to_key(key): _to_plain(item, inner) for key, item in value.items()}
    if isinstance(value, Collection):
        return [_to_plain(item, inner) for item in value]
    return str(value)


def _to_key(key):
    if key is None or isinstance(key, (str, bool, int, float)):
        return key
    plain = _to_plain(key, ())
    return plain if isinstance(plain, str) else str(key)


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
