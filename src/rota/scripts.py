"""Scripts: a file that is run and a module that is imported are one code, with one name.

Python calls the file that it runs `__main__`. What is kept of it (functions, exceptions, types)
goes by the name that an import would give it: `python shop.py` and `rota up shop.py` agree.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

CHILD = "__rota_child__"
"""What a script is called in a child, so that its `if __name__ == "__main__"` stays quiet."""

_ALIAS = re.compile(rf"(?<![\w.])(__main__|__mp_main__|{CHILD}[0-9]*)(?=\.)")


def is_script(module: str) -> bool:
    """Whether a module has a name that only its own process knows."""
    return module in ("__main__", "__mp_main__") or module.startswith(CHILD)


def module_name(module: str) -> str:
    """The name under which others import it; what was typed in by hand stays `__main__`."""
    if not is_script(module):
        return module
    found = sys.modules.get(module)
    spec = getattr(found, "__spec__", None)
    if module == "__main__" and spec is not None:  # python -m shop
        return str(spec.name)
    path = getattr(found, "__file__", None)
    return module if path is None else name_of_file(Path(path))


def script_path() -> str | None:
    """The file that this process runs; None for one that was typed in."""
    path = getattr(sys.modules.get("__main__"), "__file__", None)
    return str(Path(path).resolve()) if path else None


def name_of_file(path: Path) -> str:
    """As an import calls it: with the packages that it lies in."""
    return ".".join(place_of_file(path)[1])


def place_of_file(path: Path) -> tuple[Path, list[str]]:
    """The folder to import it from, and the parts of its name."""
    path = path.resolve()
    folder, parts = path.parent, [path.stem]
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    return folder, parts


def class_name(cls: type) -> str:
    """`package.module.Name`, the same in every process."""
    return f"{module_name(str(cls.__module__))}.{cls.__qualname__}"


def without_alias(text: str) -> str:
    """A text that mentions classes by their modules, the same in every process."""
    return _ALIAS.sub(lambda match: module_name(match[1]), text)
