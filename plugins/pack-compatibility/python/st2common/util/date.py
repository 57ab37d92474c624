"""The time now, in UTC."""

import datetime


def get_datetime_utc_now():
    return datetime.datetime.now(datetime.timezone.utc)
