"""Nothing needs to be patched: threads of actions and sensors are real ones."""

__all__ = ["is_use_debugger_flag_provided", "monkey_patch"]


def monkey_patch(patch_thread=None):
    pass


def is_use_debugger_flag_provided():
    return False
