"""Calls of the service's API. An engine without sockets puts its own function in the place of `send`."""

import os

from svc import encoding

TIMEOUT = 60


def call(method, path, query=None, body=None):
    """Status (0 without an answer) and decoded body of the answer, or a text when it is no JSON."""
    pairs = [(name, value) for name, value in (query or {}).items() if value is not None]
    if pairs:
        path += "?" + "&".join(name + "=" + quote(str(value)) for name, value in pairs)
    status, text = send(method, path, None if body is None else encoding.encode(body))
    try:
        return status, encoding.decode(text.strip())
    except (StopIteration, ValueError):
        return status, text


def quote(text):
    from urllib.parse import quote as quote_text

    return quote_text(text, safe="")


def _send_over_http(method, path, body):
    from urllib import error, request

    headers = {"Content-Type": "application/json", "X-Auth-Token": os.environ.get("SVC_ACTION_AUTH_TOKEN", "")}
    data = None if body is None else body.encode("ascii")
    address = os.environ.get("SVC_ACTION_API_URL", "")
    try:
        # Never over a proxy: the service is near, and its token is for nobody else.
        opener = request.build_opener(request.ProxyHandler({}))
        with opener.open(request.Request(address + path, data, headers, method=method), timeout=TIMEOUT) as answer:
            return answer.status, answer.read().decode("utf-8")
    except error.HTTPError as answer:
        return answer.code, answer.read().decode("utf-8", "replace")
    except (error.URLError, OSError, ValueError) as failure:
        return 0, "the service cannot be reached: " + str(getattr(failure, "reason", failure))


#: Takes method, path below the API's address with its query, and JSON text or None; gives status (0 without an answer) and text.
send = _send_over_http
