"""Scopes of the datastore, with the values that this service has for them."""

SYSTEM_SCOPE = "system"
USER_SCOPE = "user"
ALL_SCOPE = "all"
DATASTORE_PARENT_SCOPE = "svckv"
FULL_SYSTEM_SCOPE = "svckv.system"
FULL_USER_SCOPE = "svckv.user"
DATASTORE_SCOPE_SEPARATOR = "."
DATASTORE_KEY_SEPARATOR = ":"
ALLOWED_SCOPES = [SYSTEM_SCOPE, USER_SCOPE, FULL_SYSTEM_SCOPE, FULL_USER_SCOPE]
