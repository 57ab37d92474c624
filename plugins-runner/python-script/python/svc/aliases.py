"""Second names of modules: packs written for the platform this service is compatible with import these."""

import sys

#: Name that packs import, to the module that they get.
ALIASES = {
    "st2common.runners.base_action": "svc.actions",
    "st2common.log": "svc.compatible_log",
}


def install():
    """Make the names importable, behind real modules of those names where there are any."""
    sys.meta_path.append(_AliasFinder)


class _AliasFinder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in ALIASES and not any(alias.startswith(name + ".") for alias in ALIASES):
            return None
        # Without the import of `importlib`, which is seldom there yet.
        return type(sys.__spec__)(name, _AliasLoader, is_package=name not in ALIASES)


class _AliasLoader:
    @staticmethod
    def create_module(spec):
        if spec.name not in ALIASES:
            return None
        __import__(ALIASES[spec.name])
        return sys.modules[ALIASES[spec.name]]

    @staticmethod
    def exec_module(module):
        """It is there already."""
