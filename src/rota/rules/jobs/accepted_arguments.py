"""The arguments that a function takes; runs fit every function that takes the same."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import msgspec

from rota.model.jobs.spec import JobSpec, PythonTarget


def takes_of(spec: JobSpec) -> str | None:
    """Return a digest of names, types and optional arguments; None if the job is not a function.

    A program, a request and a graph are carried out as the version of the run says, so they need no
    digest.
    """
    if not isinstance(spec.target, PythonTarget):
        return None
    optional = None if spec.defaults is msgspec.UNSET else sorted(spec.defaults)
    more = None if spec.more is msgspec.UNSET else spec.more
    text = msgspec.json.encode([sorted(spec.parameters.items()), optional, more])
    return hashlib.blake2b(text, digest_size=8).hexdigest()


def takes_of_all(specs: Iterable[JobSpec]) -> dict[str, str]:
    """Return the digest of each function among these jobs, by the name of the job."""
    return {spec.name: takes for spec in specs if (takes := takes_of(spec)) is not None}
