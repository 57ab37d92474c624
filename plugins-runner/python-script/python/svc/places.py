"""Paths in tracebacks: whoever reads a result learns where in the pack something failed, and nothing of the installation."""

import os
import sys

#: Pairs of a directory and what stands for it.
_places = []


def learn(pack_directory):
    """Know the directories of this run."""
    own_directory = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    # The pack may lie in one of the others.
    candidates = [(pack_directory, ""), (own_directory, "")]
    if sys.prefix != sys.base_prefix:
        candidates.insert(1, (sys.prefix, "virtualenv" + os.sep))
    _places[:] = [
        (spelling.rstrip(os.sep) + os.sep, shown)
        for directory, shown in candidates
        for spelling in dict.fromkeys((directory, os.path.realpath(directory)))
        if spelling.rstrip(os.sep)
    ]


def hide(text):
    """A text with paths from the pack's directory, or from the virtualenv's."""
    for directory, shown in _places:
        text = text.replace(directory, shown)
    return text


def print_traceback(kind, error, frame, file=None):
    """As the interpreter would."""
    import traceback

    print(hide("".join(traceback.format_exception(kind, error, frame))), file=file or sys.stderr, end="")


def watch_threads():
    """Threads of the action print their tracebacks themselves, unless the action has said how."""
    threading = sys.modules.get("threading")
    # Under its own name from Python 3.10 on; before that an action's own hook cannot be told from the first one.
    if threading is not None and threading.excepthook is getattr(threading, "__excepthook__", None):
        threading.excepthook = _print_of_thread


def _print_of_thread(args):
    if args.exc_type is SystemExit:
        return
    print("Exception in thread " + (args.thread.name if args.thread else "?") + ":", file=sys.stderr)
    print_traceback(args.exc_type, args.exc_value, args.exc_traceback)
