"""What `--json` prints: views as plain objects, times as ISO 8601 in UTC, JSON texts as JSON.

The keys are a promise to scripts: they are added to, never renamed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from rota.clock import to_text
from rota.model.artifact import stand_in
from rota.model.run import AttemptView, RunView, cached_from

if TYPE_CHECKING:
    from rota.engine.insight.reasons import Reason

_JSON_TEXTS = ("args", "result", "policy")


def iso(ms: int | None) -> str | None:
    """2026-11-15T20:37:52.123Z, or None."""
    return None if ms is None else to_text(ms)


def document(view: msgspec.Struct) -> dict[str, Any]:
    """Any view as an object: each `*_at` becomes a time."""
    facts = msgspec.to_builtins(view)
    return {key: iso(value) if key.endswith("_at") else value for key, value in facts.items()}


def reason_document(reason: Reason) -> dict[str, Any]:
    """A reason why a run is not running."""
    return {
        "kind": reason.kind,
        "says": reason.says,
        "count": reason.count,
        "until": iso(reason.until),
    }


def run_document(
    run: RunView,
    attempts: Iterable[AttemptView] | None = None,
    *,
    tally: Mapping[str, int] | None = None,
    reasons: Iterable[Reason] | None = None,
) -> dict[str, Any]:
    """A run; with its failed attempts and why it does not run when they are given."""
    facts = document(run)
    for key in _JSON_TEXTS:
        facts[key] = None if facts[key] is None else msgspec.Raw(stand_in(facts[key]).encode())
    facts["failure_of"] = run.failure_of
    facts["cached_from"] = cached_from(run.reason) if run.state == "success" else None
    if attempts is not None:
        facts["attempts"] = [document(each) for each in attempts]
    if tally is not None:
        facts["tally"] = dict(tally)
    if reasons is not None:
        facts["why"] = [reason_document(each) for each in reasons]
    return facts
