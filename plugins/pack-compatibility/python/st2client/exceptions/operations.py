"""What goes wrong in calls of the API."""


class OperationFailureException(Exception):
    """The service refused or did not answer. `status` is the HTTP status, 0 without an answer."""

    def __init__(self, message, status=0):
        super().__init__(message)
        self.status = status
