"""Finds a handler by its reference, in a process that has not imported it yet."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from rota.errors import AppNotFound
from rota.scripts import CHILD, script_path


def portable_ref(ref: str) -> str:
    """Return the reference in a form another process understands: `__main__` becomes its path."""
    module, _, name = ref.rpartition(":")
    path = script_path()
    return f"{path}:{name}" if module == "__main__" and path is not None else ref


def is_findable(ref: str) -> bool:
    """Whether another process could find the function: not a local one, not typed in by hand."""
    module, _, name = portable_ref(ref).rpartition(":")
    return module not in ("", "__main__") and "<" not in name


def find_function(ref: str) -> Callable[..., Any]:
    """Import `module:name` or run `path/to/script.py:name`, and return the plain function.

    Raises AppNotFound with a message, or whatever the user's module raises.
    """
    module_name, _, name = ref.rpartition(":")
    if not module_name or "<" in name:
        raise AppNotFound(
            f"{ref} cannot be imported; a job in its own process is a function of a module"
        )
    if module_name == "__main__":
        raise AppNotFound(f"{name} was typed in by hand; put it into a file to run it in a process")
    target: Any = _load(module_name)
    for part in name.split("."):
        if not hasattr(target, part):
            raise AppNotFound(f"{module_name} has no {name}")
        target = getattr(target, part)
    function = getattr(target, "handler", target)
    if not callable(function):
        raise AppNotFound(f"{ref} is not a function")
    return function  # type: ignore[no-any-return]  # callable() narrows to object


def _load(module_name: str) -> ModuleType:
    if module_name.endswith(".py"):
        return _load_script(Path(module_name).resolve())
    return importlib.import_module(module_name)


def _load_script(path: Path) -> ModuleType:
    for module in tuple(sys.modules.values()):
        if getattr(module, "__rota_script__", None) == path:
            return module
    count = sum(hasattr(module, "__rota_script__") for module in tuple(sys.modules.values()))
    name = f"{CHILD}{count or ''}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise AppNotFound(f"there is no script {path}")
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    module = importlib.util.module_from_spec(spec)
    # In sys.modules while it runs and afterwards: dataclasses and annotations look it up.
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    module.__dict__["__rota_script__"] = path
    return module
