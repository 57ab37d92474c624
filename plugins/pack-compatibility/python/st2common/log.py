"""Loggers under the name by which packs ask for them, and the levels of `logging`."""

from logging import CRITICAL, DEBUG, ERROR, INFO, NOTSET, WARN, WARNING

from svc.logs import AUDIT
from svc.logs import get_logger as getLogger

__all__ = ["AUDIT", "CRITICAL", "DEBUG", "ERROR", "INFO", "NOTSET", "WARN", "WARNING", "getLogger"]
