"""The last release as people install it: built from its commit into a folder of its own."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from typing import NamedTuple

from tests.support.source import ROOT

FACTS = ROOT / "tests" / "upgrade" / "last_release.toml"
_NO_PAGES = 'def has_node() -> bool:\n    """The web UI is not needed here."""\n    return True\n'


class ReleaseMissing(Exception):
    """The history of this clone does not reach back to the release."""


class LastRelease(NamedTuple):
    """Where it was installed, and its version; dependencies are those of the tests."""

    version: str
    folder: Path

    @property
    def env(self) -> dict[str, str]:
        """Variables with which the Python of the tests imports the release instead of the tree."""
        return {"PYTHONPATH": str(self.folder)}


def recorded() -> tuple[str, str]:
    """Return version and commit of the last release."""
    facts = tomllib.loads(FACTS.read_text())
    return facts["version"], facts["commit"]


def install(folder: Path) -> LastRelease:
    """Build its wheel and install that; takes some seconds and no network."""
    version, commit = recorded()
    source, wheels, target = (folder / name for name in ("source", "wheels", "installed"))
    with tarfile.open(fileobj=io.BytesIO(_archive(commit))) as archive:
        archive.extractall(source, filter="data")
    pages = source / "src" / "rota" / "web" / "dist"
    pages.mkdir(parents=True)
    (pages / "index.html").touch()
    (source / "web" / "build.py").write_text(_NO_PAGES)
    quiet = ("--quiet", "--no-deps", "--no-index", "--disable-pip-version-check")
    _pip("wheel", *quiet, "--no-build-isolation", "--wheel-dir", str(wheels), str(source))
    (wheel,) = wheels.glob("rota-*.whl")
    _pip("install", *quiet, "--target", str(target), str(wheel))
    return LastRelease(version, target)


def is_there(commit: str) -> bool:
    """Whether this clone has the commit; a shallow one may not."""
    return _git("cat-file", "-e", f"{commit}^{{commit}}").returncode == 0


def is_ancestor(commit: str) -> bool:
    return _git("merge-base", "--is-ancestor", commit, "HEAD").returncode == 0


def _git(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=False)


def _archive(commit: str) -> bytes:
    done = _git("archive", "--format=tar", commit)
    if done.returncode != 0:
        raise ReleaseMissing(
            f"commit {commit[:12]} of the last release is not in this clone; fetch the whole "
            f"history (git fetch --unshallow): {done.stderr.decode().strip()}"
        )
    return done.stdout


def _pip(*arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"pip {arguments[0]} of the last release: {done.stderr}")
