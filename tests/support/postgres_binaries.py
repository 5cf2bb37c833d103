"""Finds PostgreSQL's programs and the user to run them as.

PostgreSQL refuses to run as root, so root runs it under another identity.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO

PLACES = Path("/usr/lib/postgresql")
_OTHER_USER = ("unshare", "--user", "--map-user=1000", "--map-group=1000")


class PostgresMissing(RuntimeError):
    """PostgreSQL is not installed; on Debian: apt-get install postgresql."""

    def __init__(self) -> None:
        super().__init__(self.__doc__)


@cache
def find_binaries() -> Path:
    """Return the folder with initdb and postgres: Debian's newest version first, then PATH."""
    versions = [path for path in PLACES.glob("*/bin") if (path / "initdb").exists()]
    if versions:
        return max(versions, key=_version)
    on_path = shutil.which("initdb")
    if on_path is None:
        raise PostgresMissing
    return Path(on_path).resolve().parent


def _version(folder: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in folder.parent.name.split(".") if part.isdigit())


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The user of the server: ourselves, ourselves in a user namespace, or another user."""

    prefix: tuple[str, ...] = ()
    user: int | None = None
    group: int | None = None

    def own(self, path: Path) -> None:
        """Give a file to the server."""
        if self.user is not None and self.group is not None:
            os.chown(path, self.user, self.group)

    def run(self, command: Sequence[str], *, cwd: Path) -> None:
        """Run a program of PostgreSQL to its end; its output becomes the error."""
        ended = subprocess.run(
            [*self.prefix, *command],
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            user=self.user,
            group=self.group,
            extra_groups=self._extra_groups(),
        )
        if ended.returncode != 0:
            raise RuntimeError(f"{Path(command[0]).name} failed:\n{ended.stdout}{ended.stderr}")

    def popen(
        self, command: Sequence[str], *, cwd: Path, log: IO[bytes]
    ) -> subprocess.Popen[bytes]:
        """Start a server in a session of its own, so that Ctrl-C reaches only its maker."""
        return subprocess.Popen(
            [*self.prefix, *command],
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            user=self.user,
            group=self.group,
            extra_groups=self._extra_groups(),
        )

    def _extra_groups(self) -> list[int] | None:
        return None if self.user is None else []


@cache
def server_identity() -> Identity:
    """Return the first identity that works here, least intrusive first."""
    if os.geteuid() != 0:
        return Identity()
    if _has_user_namespaces():
        return Identity(prefix=_OTHER_USER)
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Identity(user=entry.pw_uid, group=entry.pw_gid)
    raise RuntimeError("PostgreSQL does not run as root, and there is no other user to run it as")


def _has_user_namespaces() -> bool:
    """Whether user namespaces work: files then stay root's own; containers often forbid them."""
    if shutil.which(_OTHER_USER[0]) is None:
        return False
    probe = subprocess.run([*_OTHER_USER, "true"], capture_output=True, check=False)
    return probe.returncode == 0
