"""Scripts: a file that is run and a module that is imported share one name.

Python names the file that it runs `__main__`. Rota stores its functions, exceptions and types under
the name that an import would give it, so `python shop.py` and `rota up shop.py` agree.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

CHILD = "__rota_child__"
"""The name of a script in a child process, so that `if __name__ == "__main__"` does not run."""

_ALIAS = re.compile(rf"(?<![\w.])(__main__|__mp_main__|{CHILD}[0-9]*)(?=\.)")


def is_script(module: str) -> bool:
    """Whether only its own process knows a module by this name."""
    return module in ("__main__", "__mp_main__") or module.startswith(CHILD)


def module_name(module: str) -> str:
    """Return the name under which others import the module; code typed in stays `__main__`."""
    if not is_script(module):
        return module
    loaded = sys.modules.get(module)
    spec = getattr(loaded, "__spec__", None)
    if module == "__main__" and spec is not None:  # python -m shop
        return str(spec.name)
    path = getattr(loaded, "__file__", None)
    return module if path is None else name_of_file(Path(path))


def script_path() -> str | None:
    """Return the file that this process runs; None for code that was typed in."""
    path = getattr(sys.modules.get("__main__"), "__file__", None)
    return str(Path(path).resolve()) if path else None


def name_of_file(path: Path) -> str:
    """Return the name under which an import finds the file, with its packages."""
    return ".".join(place_of_file(path)[1])


def place_of_file(path: Path) -> tuple[Path, list[str]]:
    """Return the folder from which to import the file, and the parts of its name."""
    path = path.resolve()
    folder, parts = path.parent, [path.stem]
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    return folder, parts


def class_name(cls: type) -> str:
    """Return `package.module.Name`, equal in every process."""
    return f"{module_name(str(cls.__module__))}.{cls.__qualname__}"


def without_alias(text: str) -> str:
    """Return a text with classes named by their modules, equal in every process."""
    return _ALIAS.sub(lambda match: module_name(match[1]), text)
