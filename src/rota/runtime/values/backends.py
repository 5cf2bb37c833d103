"""Artifact backends: objects named by the day they were written and the SHA-256 of their content.

A retry writes the same object again. An object is written before the row that refers to it, so that
a crash leaves at most an object without references, which the sweeper removes.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlsplit

from rota.errors import BadUrl

DATABASE = "database"
"""The setting that keeps all values in the database."""
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_DIGEST = re.compile(r"[0-9a-f]{64}")


class ArtifactBackend(Protocol):
    """A backend for large results; all errors of a store that does not answer are OSError."""

    where: str
    """The place in words, for people."""

    def put(self, day: str, digest: str, data: bytes) -> None:
        """Write the object to disk before returning; the same object again is no error."""
        ...

    def get(self, day: str, digest: str) -> bytes | None:
        """Return the object; None if it is not there."""
        ...

    def days(self) -> list[str]:
        """Return the days on which something was written, oldest first."""
        ...

    def digests(self, day: str) -> Iterator[Sequence[str]]:
        """Yield the digests of a day, in pages."""
        ...

    def delete(self, day: str, digests: Sequence[str]) -> None:
        """Delete these objects; missing ones are no error."""
        ...


class Folder:
    """Files on this machine, or on a disk that all machines share."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.where = str(root)

    def put(self, day: str, digest: str, data: bytes) -> None:
        path = self._path(day, digest)
        self._root.parent.mkdir(parents=True, exist_ok=True)
        folders = (self._root, path.parent.parent, path.parent)
        for folder in folders:
            folder.mkdir(mode=0o700, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(handle)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        for folder in reversed(folders):
            _sync(folder)

    def get(self, day: str, digest: str) -> bytes | None:
        try:
            return self._path(day, digest).read_bytes()
        except FileNotFoundError:
            return None

    def days(self) -> list[str]:
        try:
            return sorted(each.name for each in self._root.iterdir() if _DAY.fullmatch(each.name))
        except FileNotFoundError:
            return []

    def digests(self, day: str) -> Iterator[Sequence[str]]:
        for folder in sorted((self._root / day).iterdir()):
            names = [each.name for each in folder.iterdir()]
            yield sorted(name for name in names if _DIGEST.fullmatch(name))
            for name in names:
                if name.startswith(".new-"):  # its writer died, more than a day ago
                    (folder / name).unlink(missing_ok=True)

    def delete(self, day: str, digests: Sequence[str]) -> None:
        for digest in digests:
            path = self._path(day, digest)
            path.unlink(missing_ok=True)
            with suppress(OSError):  # not empty yet
                path.parent.rmdir()
        with suppress(OSError):
            (self._root / day).rmdir()

    def _path(self, day: str, digest: str) -> Path:
        return self._root / day / digest[:2] / digest


def _sync(folder: Path) -> None:
    """Sync the folder: a new name is on disk only when its folder is."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def open_artifacts(place: str | None, *, beside: Path | None) -> ArtifactBackend | None:
    """Return the store that the setting names; None when values stay in the database.

    Without a setting: a folder `beside` the file of SQLite, and the database on a server, as its
    workers need not share a disk.
    """
    if place is None:
        if beside is None:
            return None
        return Folder(beside.with_name(f"{beside.name}.artifacts").absolute())
    if place == DATABASE:
        return None
    parts = urlsplit(place)
    if parts.scheme == "file" and not parts.netloc and parts.path not in ("", "/"):
        return Folder(Path(unquote(parts.path)))
    if parts.scheme == "s3" and parts.netloc:
        from rota.runtime.values.object_store import ObjectStore  # noqa: PLC0415  # an extra

        return ObjectStore(place)
    if not parts.scheme and place.startswith(("/", "~", ".")):
        return Folder(Path(place).expanduser().absolute())
    raise BadUrl(
        f"{place!r:.80} is not a place for artifacts: use a folder such as /srv/rota-artifacts, "
        f"s3://bucket/prefix, or {DATABASE}"
    )
