"""Finds an action's class, runs it and reports how it went. The same for every engine."""

import os
import sys

from svc import actions, encoding, logs, pack, places, service

EXIT_RAISED = 1
EXIT_WRONG_STATUS = 220


def run(request, report):
    """Run the action that `request` (engine.ts, `PythonRequest`) describes; the exit code.

    `report` is called with JSON text (engine.ts, `PythonReport`) when the action came to its end.
    """
    logs.level = request["log_level"]
    pack.ref, pack.directory = request["pack"], request["pack_directory"]
    places.learn(pack.directory)
    try:
        result = _run_action(request)
    except SystemExit as error:
        return to_exit_code(error.code)
    except BaseException as error:
        print_traceback(error)
        return EXIT_RAISED
    return _report(result, report)


def _run_action(request):
    entry_point = request["entry_point"]
    add_paths(request, entry_point)
    # Behind everything else: a module of the pack, or one that is installed, is the one that it means.
    sys.path.extend(request.get("python_paths", ()))
    action_class = _find_class(load(entry_point), entry_point)
    action_service = service.ActionService(request["pack"], action_class.__name__)
    action = _construct(action_class, actions.Config(request["config"], request["pack"]), action_service)
    places.watch_threads()
    return action.run(**request["parameters"])


def add_paths(request, entry_point):
    """The pack's libraries come first; the directory of the entry point last, where it hides no package of that name."""
    sys.path[:0] = [os.path.join(request["pack_directory"], folder) for folder in request.get("libraries", ())]
    sys.path.append(os.path.dirname(entry_point))


def load(entry_point, prefix="svc_action_"):
    """The module of a file."""
    # Not its own name: a file called json.py or http.py must not stand in for the module.
    name = prefix + os.path.splitext(os.path.basename(entry_point))[0]
    module = type(sys)(name)
    module.__file__ = entry_point
    sys.modules[name] = module
    with open(entry_point, "rb") as file:
        code = compile(file.read(), entry_point, "exec", dont_inherit=True)
    exec(code, module.__dict__)
    return module


def _find_class(module, entry_point):
    for name, value in sorted(vars(module).items()):
        if isinstance(value, type) and value.__module__ == module.__name__ and _can_run(value):
            return value
    raise LookupError('"' + entry_point + '" defines no class with a method run, derived from svc.actions.Action')


def _can_run(candidate):
    method = getattr(candidate, "run", None)
    return callable(method) and method is not actions.Action.run and not getattr(method, "__isabstractmethod__", False)


def _construct(action_class, config, action_service):
    try:
        return action_class(config=config, action_service=action_service)
    except TypeError as error:
        if "unexpected keyword argument 'action_service'" not in str(error):
            raise
    action = action_class(config=config)
    action.action_service = action_service
    return action


def _report(returned, report):
    status, result = returned if isinstance(returned, tuple) and len(returned) == 2 else (None, returned)
    if status is not None and not isinstance(status, bool):
        report(encoding.encode({"failure": _describe_wrong_status(status)}))
        return EXIT_WRONG_STATUS
    # A part without a JSON form is reported as its text, which may fail in its turn: that is the action's failure.
    try:
        text = encoding.encode(result)
    except BaseException as error:
        print_traceback(error)
        return EXIT_RAISED
    report('{"status": ' + encoding.encode(status) + ', "result": ' + text + "}")
    return 0


def _describe_wrong_status(status):
    error = "the first of two values that run returns must be True, False or None, not " + repr(status)[:200]
    return {"error": error, "traceback": "TypeError: " + error}


def to_exit_code(code):
    if code is None:
        return 0
    if isinstance(code, int):
        return code
    print(code, file=sys.stderr)
    return EXIT_RAISED


def print_traceback(error):
    """Without the frames of this package that led to the action."""
    frame = error.__traceback__
    while frame is not None and os.path.dirname(frame.tb_frame.f_code.co_filename) == os.path.dirname(__file__):
        frame = frame.tb_next
    places.print_traceback(type(error), error.with_traceback(frame), frame)
