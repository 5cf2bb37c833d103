"""The artifact store: reads and writes values, whether a row holds the value or a pointer to it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from threading import Lock

from rota.clock import to_datetime
from rota.engine.values.artifacts import load_kept, lost
from rota.errors import ArtifactLost
from rota.model.values.artifact import LARGE, Pointer, digest_of, is_pointer, read_pointer
from rota.notices import emit
from rota.runtime.values.backends import ArtifactBackend
from rota.store.base import Store

REMEMBERED = 32 * 1024 * 1024
"""Bytes of values kept in memory for other runs that need the same ones."""


class ArtifactStore:
    """Reads and writes large values, outside of transactions; safe in any thread."""

    def __init__(self, store: Callable[[], Store], artifacts: ArtifactBackend | None) -> None:
        self._store = store
        self.artifacts = artifacts
        self._known: OrderedDict[str, str] = OrderedDict()
        self._held = 0
        self._lock = Lock()

    def takes(self, text: str) -> bool:
        """Whether the value belongs in the artifact store; otherwise the database keeps it."""
        return self.artifacts is not None and len(text) > LARGE

    def put(self, text: str, *, now_ms: int) -> str:
        """Store the value and return a pointer to it, or return the text unchanged.

        If the store does not take it, no result is lost: the database keeps it.
        """
        if self.artifacts is None:
            return text
        data = text.encode()
        day = to_datetime(now_ms).date().isoformat()
        pointer = Pointer("a", digest_of(data), day)
        try:
            self.artifacts.put(day, pointer.digest, data)
        except OSError as error:
            emit("artifact.refused", where=self.artifacts.where, error=error)
            return text
        return str(pointer)

    def value(self, text: str, whose: str) -> str:
        """Return the value itself; ArtifactLost if missing or damaged, OSError if not reachable."""
        return self.values((text,), whose)[text]

    def values(self, texts: Iterable[str], whose: str) -> dict[str, str]:
        """Return the values of all these texts."""
        values: dict[str, str] = {}
        pointers: set[str] = set()
        for text in texts:
            if not is_pointer(text):
                values[text] = text
            elif (cached := self._recall(text)) is not None:
                values[text] = cached
            elif read_pointer(text).place == "a":
                values[text] = self._fetch(text, whose)
            else:
                pointers.add(text)
        if pointers:
            read = self._store().read(lambda tx: load_kept(tx, pointers))
            for text in sorted(pointers - read.keys()):
                raise lost(text, whose)
            values |= read
        return values

    def _fetch(self, text: str, whose: str) -> str:
        pointer = read_pointer(text)
        if self.artifacts is None:
            problem = "was kept in an artifact store, and ROTA_ARTIFACTS does not name it"
            raise ArtifactLost(pointer.digest, problem, whose=whose)
        data = self.artifacts.get(pointer.day, pointer.digest)
        where = f"{self.artifacts.where}, day {pointer.day}"
        if data is None:
            raise ArtifactLost(pointer.digest, f"is not in {where}", whose=whose)
        if digest_of(data) != pointer.digest:
            problem = f"is damaged in {where}: {len(data):,} bytes with sha256 {digest_of(data)}"
            raise ArtifactLost(pointer.digest, problem, whose=whose)
        value = data.decode()
        self._remember(text, value)
        return value

    def _recall(self, text: str) -> str | None:
        with self._lock:
            cached = self._known.get(text)
            if cached is not None:
                self._known.move_to_end(text)
            return cached

    def _remember(self, text: str, value: str) -> None:
        with self._lock:
            if text not in self._known:
                self._known[text] = value
                self._held += len(value)
            while self._held > REMEMBERED:
                _, forgotten = self._known.popitem(last=False)
                self._held -= len(forgotten)
