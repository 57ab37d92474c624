"""Paths of packs and of their files. The directory of the running pack is exact; other packs are found where they lie beside it."""

import os

from svc import pack as running_pack

__all__ = [
    "check_pack_content_directory_exists",
    "check_pack_directory_exists",
    "get_entry_point_abs_path",
    "get_pack_base_path",
    "get_pack_directory",
    "get_pack_file_abs_path",
    "get_pack_resource_file_abs_path",
    "get_packs_base_paths",
    "get_relative_path_to_pack_file",
    "get_system_packs_base_path",
]

_RESOURCE_FOLDERS = {"action": "actions", "rule": "rules", "sensor": "sensors"}


def get_system_packs_base_path():
    """Returns the directory that holds the running pack."""
    return os.path.dirname(os.path.abspath(running_pack.directory))


def get_packs_base_paths():
    """Returns a list with the directory that holds the running pack."""
    return [get_system_packs_base_path()]


def get_pack_base_path(pack_name, include_trailing_slash=False, use_pack_cache=False):
    """Returns the directory of a pack, or where it would lie beside the running pack if it does not exist; None without a name."""
    if not pack_name:
        return None
    if pack_name == running_pack.ref:
        path = os.path.abspath(running_pack.directory)
    else:
        path = os.path.abspath(os.path.join(get_system_packs_base_path(), pack_name))
    return os.path.join(path, "") if include_trailing_slash else path


def get_pack_directory(pack_name):
    """Returns the directory of a pack, or None if it does not exist."""
    path = get_pack_base_path(pack_name)
    return path if path and os.path.isdir(path) else None


def check_pack_directory_exists(pack):
    """Returns True if the pack has a directory."""
    return get_pack_directory(pack) is not None


def check_pack_content_directory_exists(pack, content_type):
    """Returns True if the pack has a folder of that name, such as `actions`."""
    path = get_pack_directory(pack)
    return path is not None and os.path.exists(os.path.join(path, content_type))


def get_pack_file_abs_path(pack_ref, file_path, resource_type=None, use_pack_cache=False):
    """Returns the absolute path of a file of a pack. Raises ValueError unless the path is relative, in its shortest form and inside the pack."""
    if os.path.normpath("/" + file_path).lstrip("/") != file_path:
        raise ValueError("Invalid file path: {!r}. It must be relative to the directory of pack {!r}.".format(file_path, pack_ref))
    return os.path.join(get_pack_base_path(pack_ref), file_path)


def get_pack_resource_file_abs_path(pack_ref, resource_type, file_path):
    """Returns the absolute path of a file of an action, a rule or a sensor. Raises ValueError for other types and for paths out of their folder."""
    folder = _RESOURCE_FOLDERS.get(resource_type)
    if folder is None:
        raise ValueError("Invalid resource type: {}".format(resource_type))
    return get_pack_file_abs_path(pack_ref, os.path.join(folder, file_path))


def get_entry_point_abs_path(pack=None, entry_point=None, use_pack_cache=False):
    """Returns the absolute path of an action's entry point; None without one. Raises ValueError if it lies outside of the pack."""
    if not entry_point:
        return None
    if not os.path.isabs(entry_point):
        return get_pack_resource_file_abs_path(pack, "action", entry_point)
    get_relative_path_to_pack_file(pack, entry_point)
    return entry_point


def get_relative_path_to_pack_file(pack_ref, file_path, use_pack_cache=False):
    """Returns the path of a file relative to its pack. Raises ValueError if an absolute path lies outside of the pack."""
    if not os.path.isabs(file_path):
        return file_path
    base = get_pack_base_path(pack_ref)
    path = os.path.abspath(file_path)
    if path != base and not path.startswith(os.path.join(base, "")):
        raise ValueError("file_path ({}) is not located inside the pack directory ({})".format(file_path, base))
    return os.path.relpath(path, base)
