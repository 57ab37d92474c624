"""Times as texts: `2026-01-31T12:00:00.000000+00:00`, with `Z` or an offset at the end."""

import datetime
import re

_TEXT = re.compile(
    r"^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,6})\d*)?\s*(Z|[+-]\d\d:?\d\d)?$", re.ASCII
)


def add_utc_tz(time):
    """A time without a zone, as one of UTC."""
    return time.replace(tzinfo=datetime.timezone.utc)


def parse(value):
    """The time that a text says, in UTC; one without a zone is of UTC. ValueError for another text."""
    found = _TEXT.match(str(value))
    if found is None:
        raise ValueError("{!r} is no time such as 2026-01-31T12:00:00Z".format(value))
    fraction, zone = found.group(7), found.group(8)
    numbers = [int(number) for number in found.groups()[:6]]
    time = add_utc_tz(datetime.datetime(*numbers, int((fraction or "0").ljust(6, "0"))))
    return time - _to_offset(zone)


def format(value, usec=True, offset=True):
    """The text of a time: a datetime, a text, or seconds since 1970. With `offset` it ends with the zone's, else with `Z`."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = datetime.datetime.fromtimestamp(value, datetime.timezone.utc)
    time = value if isinstance(value, datetime.datetime) else parse(value)
    zone = time.strftime("%z") or "+0000"
    text = time.strftime("%Y-%m-%dT%H:%M:%S.%f" if usec else "%Y-%m-%dT%H:%M:%S")
    return text + (zone[:3] + ":" + zone[3:5] if offset else "Z")


def validate(value, raise_exception=True):
    """Whether a text is a time; ValueError if not, where that is wanted."""
    try:
        parse(value)
    except ValueError:
        if raise_exception:
            raise
        return False
    return True


def _to_offset(zone):
    if zone is None or zone == "Z":
        return datetime.timedelta()
    minutes = int(zone[1:3]) * 60 + int(zone[-2:])
    return datetime.timedelta(minutes=-minutes if zone[0] == "-" else minutes)
