"""Artifacts: keep values too large for the rows of runs in a table, in the same transaction.

A writer to the artifact store has stored its value before and passes only the pointer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import msgspec

from rota.errors import ArtifactLost
from rota.model.runs.run import NewRun, Verdict
from rota.model.values.artifact import LARGE, Pointer, digest_of, is_pointer, read_pointer
from rota.store.base import Tx

DAY_MS = 86_400_000
SWEPT = 500


class _Kept(msgspec.Struct, frozen=True):
    digest: str
    body: str


def keep(tx: Tx, texts: Iterable[str]) -> dict[str, str]:
    """Store the large texts in this transaction; return their pointers, by text."""
    pointers: dict[str, str] = {}
    rows: dict[str, _Kept] = {}
    for text in texts:
        if len(text) > LARGE and text not in pointers:
            digest = digest_of(text.encode())
            rows[digest] = _Kept(digest, text)
            pointers[text] = str(Pointer("d", digest))
    if rows:
        # In order: two batches with the same values must not deadlock.
        ordered = [rows[digest] for digest in sorted(rows)]
        tx.execute("keep_artifacts", batch=msgspec.json.encode(ordered).decode())
    return pointers


def store_large_args(tx: Tx, runs: Sequence[NewRun]) -> Sequence[NewRun]:
    """The runs, with large arguments stored and replaced by pointers."""
    for run in runs:
        if len(run.args) > LARGE:
            break
    else:
        return runs
    pointers = keep(tx, (run.args for run in runs))
    return [
        msgspec.structs.replace(run, args=pointers[run.args]) if run.args in pointers else run
        for run in runs
    ]


def store_large_results(tx: Tx, verdicts: Sequence[Verdict]) -> Sequence[Verdict]:
    """The verdicts, with large results stored and replaced by pointers."""
    if all(verdict.result is None or len(verdict.result) <= LARGE for verdict in verdicts):
        return verdicts
    pointers = keep(tx, (verdict.result or "" for verdict in verdicts))
    return [
        msgspec.structs.replace(verdict, result=pointers[verdict.result])
        if verdict.result in pointers
        else verdict
        for verdict in verdicts
    ]


def load_kept(tx: Tx, texts: Iterable[str]) -> dict[str, str]:
    """The values behind pointers into the database, by pointer; leaves out missing or damaged ones.

    A caller that needs a missing value raises the error that `lost` returns.
    """
    pointers = {
        text: pointer
        for text in texts
        if is_pointer(text) and (pointer := read_pointer(text)).place == "d"
    }
    if not pointers:
        return {}
    digests = json.dumps(sorted({pointer.digest for pointer in pointers.values()}))
    bodies = {row["digest"]: row["body"] for row in tx.all("load_artifacts", digests=digests)}
    return {
        text: bodies[pointer.digest]
        for text, pointer in pointers.items()
        if pointer.digest in bodies and digest_of(bodies[pointer.digest].encode()) == pointer.digest
    }


def lost(text: str, whose: str) -> ArtifactLost:
    """The error for a value that a transaction needs and has not found."""
    pointer = read_pointer(text)
    if pointer.place == "d":
        return ArtifactLost(pointer.digest, "is missing or damaged in the database", whose=whose)
    reason = "is in the artifact store, where a transaction cannot read it"
    return ArtifactLost(pointer.digest, reason, whose=whose)


def given(tx: Tx, text: str, whose: str) -> str:
    """The value of a text or pointer that a transaction needs; ArtifactLost if it is missing."""
    if not is_pointer(text):
        return text
    texts = load_kept(tx, (text,))
    if text not in texts:
        raise lost(text, whose)
    return texts[text]


def mentioned(tx: Tx, pointers: Iterable[str]) -> set[str]:
    """The pointers among these that some row contains."""
    batch = json.dumps([{"pointer": pointer} for pointer in pointers])
    return {row["pointer"] for row in tx.all("mentioned", batch=batch)}


def old_pointers(tx: Tx, *, keep_ms: int, after: str) -> list[Pointer]:
    """A page of pointers to values in the database that were last written over `keep_ms` ago."""
    rows = tx.all("old_artifacts", keep_ms=keep_ms, after=after, limit=SWEPT)
    return [Pointer("d", row["digest"]) for row in rows]


def sweep_kept(tx: Tx, page: Sequence[Pointer], *, keep_ms: int) -> int:
    """Delete the values of the page that no row mentions; return how many."""
    stands = mentioned(tx, map(str, page))
    removed = [pointer.digest for pointer in page if str(pointer) not in stands]
    if not removed:
        return 0
    return tx.execute("prune_artifacts", digests=json.dumps(removed), keep_ms=keep_ms)
