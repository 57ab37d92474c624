"""Loggers of actions. `logging` is imported by the first use: its import takes longer than most actions."""

from svc import places

LINE_FORMAT = "%(name)-12s: %(levelname)-8s %(message)s"
AUDIT = 60

#: Name of the least important level that is written; set by the driver.
level = "DEBUG"


class ActionLogger:
    """Attribute that becomes a logger named for the class when it is first asked for."""

    def __get__(self, instance, owner):
        if instance is None:
            return self
        logger = get_logger("actions.python." + owner.__name__)
        instance.__dict__["logger"] = logger
        return logger


def get_logger(name):
    import logging

    logging.addLevelName(AUDIT, "AUDIT")
    logger = logging.getLogger(name)
    if not logger.handlers:
        handler = logging.StreamHandler()
        formatter = logging.Formatter(LINE_FORMAT)
        format_exception = formatter.formatException
        formatter.formatException = lambda info: places.hide(format_exception(info))
        handler.setFormatter(formatter)
        logger.addHandler(handler)
    logger.setLevel(level)
    # Otherwise a handler that the action gives to the root would write every line a second time.
    logger.propagate = False
    return logger
