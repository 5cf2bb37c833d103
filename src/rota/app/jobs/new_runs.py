"""New runs of jobs on record: the row that one submit asks for."""

from __future__ import annotations

from typing import Any

import msgspec

from rota.ids import new_id
from rota.model.jobs.spec import JobSpec
from rota.model.runs.run import NewRun
from rota.rules.jobs.options import UNCHANGED, SubmitOptions
from rota.rules.runs.labels import check_count, merged


def new_run(spec: JobSpec, version: int, args: str, options: SubmitOptions) -> NewRun:
    """Return a request for a run of this version, with a fresh id and this submit's options."""
    fresh = NewRun(
        id=new_id(),
        job=spec.name,
        version=version,
        queue=spec.queue,
        priority=spec.priority,
        args=args,
        expires_ms=spec.expires_ms,
        at_most_once=spec.delivery == "at_most_once",
        labels=spec.run_labels,
    )
    return fresh if options is UNCHANGED else changed(fresh, options)


def changed(run: NewRun, options: SubmitOptions) -> NewRun:
    """Return the run with the options of one submit."""
    changes: dict[str, Any] = {
        "queue": options.queue,
        "priority": options.priority,
        "expires_ms": options.expires_ms,
        "key": options.key,
        "key_window_ms": options.key_window_ms,
        "delay_ms": options.delay_ms,
        "due_at": options.due_at_ms,
    }
    if options.policy is not None:
        changes["policy"] = msgspec.json.encode(options.policy).decode()
    if options.labels:
        changes["labels"] = labels = merged(run.labels, options.labels)
        check_count(labels or {})
    set_options = {name: value for name, value in changes.items() if value is not None}
    return msgspec.structs.replace(run, **set_options) if set_options else run
