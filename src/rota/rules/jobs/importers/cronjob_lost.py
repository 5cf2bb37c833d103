"""The fields of a CronJob that Rota does not keep, each by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_KNOWN: Mapping[tuple[str, ...], frozenset[str]] = {
    (): frozenset({"apiVersion", "kind", "metadata", "spec", "status"}),
    ("metadata",): frozenset({"name", "uid", "resourceVersion", "generation", "creationTimestamp"}),
    ("spec",): frozenset({"schedule", "timeZone", "concurrencyPolicy", "startingDeadlineSeconds",
                          "suspend", "jobTemplate"}),
    ("spec", "jobTemplate"): frozenset({"spec"}),
    ("spec", "jobTemplate", "spec"): frozenset({"backoffLimit", "activeDeadlineSeconds",
                                                "parallelism", "completions", "template"}),
    ("spec", "jobTemplate", "spec", "template"): frozenset({"spec"}),
    ("spec", "jobTemplate", "spec", "template", "spec"): frozenset({"containers"}),
}  # fmt: skip
"""The keys of each manifest part that are kept, have their own note, or belong to the cluster."""
_CONTAINER = frozenset({"image", "command", "args", "env", "envFrom", "workingDir"})


def lost_fields(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield the full names of fields that are set and not kept."""
    pod: Any = manifest
    for path, understood in _KNOWN.items():
        part: Any = manifest
        for key in path:
            part = part.get(key) if isinstance(part, Mapping) else None
        if isinstance(part, Mapping):
            yield from (
                ".".join((*path, key))
                for key in part
                if key not in understood and part[key] not in (None, [], {})
            )
            pod = part
    (container,) = pod["containers"]
    for key in container:
        if key not in _CONTAINER and container[key] not in (None, [], {}):
            yield f"{key} of the container"
