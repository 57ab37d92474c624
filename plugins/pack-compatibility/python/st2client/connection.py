"""Calls of the API by HTTP."""

import json
import os
import ssl
from urllib import error, parse, request

from st2client.exceptions.operations import OperationFailureException

TIMEOUT = 60


class Connection:
    """Address, and who calls."""

    def __init__(self, api_url, token, api_key, cacert):
        self._address = api_url.rstrip("/")
        self._headers = {"Content-Type": "application/json"}
        if api_key:
            self._headers["Svc-Api-Key"] = api_key
        elif token:
            self._headers["X-Auth-Token"] = token
        self._cacert = cacert
        self._opener = None

    def _open(self, call):
        # The certificates are read with the first call: not every client makes one.
        if self._opener is None:
            self._opener = request.build_opener(*self._to_handlers(self._cacert))
        return self._opener.open(call, timeout=TIMEOUT)

    def _to_handlers(self, cacert):
        # The service that the action runs on is near, and its token is for nobody else.
        own = os.environ.get("SVC_ACTION_API_URL", "").rstrip("/") == self._address
        handlers = [request.ProxyHandler({})] if own else []
        if isinstance(cacert, str) and cacert:
            handlers.append(request.HTTPSHandler(context=ssl.create_default_context(cafile=cacert)))
        return handlers

    def call(self, method, path, query=None, body=None, headers=None):
        """The decoded answer; None where there is no such record. OperationFailureException for any other failure."""
        pairs = {name: _to_text(value) for name, value in (query or {}).items() if value is not None}
        address = self._address + path + ("?" + parse.urlencode(pairs) if pairs else "")
        data = None if body is None else json.dumps(body).encode("utf-8")
        try:
            with self._open(request.Request(address, data, dict(self._headers, **(headers or {})), method=method)) as answer:
                return _decode(answer.read())
        except error.HTTPError as refused:
            if refused.code == 404:
                return None
            raise OperationFailureException(_to_message(refused), refused.code) from None
        except (error.URLError, OSError) as failure:
            raise OperationFailureException("the service cannot be reached: {}".format(getattr(failure, "reason", failure))) from None


def quote(text):
    return parse.quote(str(text), safe="")


def _to_text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def _decode(data):
    return json.loads(data.decode("utf-8")) if data.strip() else {}


def _to_message(refused):
    try:
        message = json.loads(refused.read().decode("utf-8", "replace"))["faultstring"]
    except (ValueError, KeyError, TypeError):
        message = refused.reason
    return "{} ({})".format(message, refused.code)
