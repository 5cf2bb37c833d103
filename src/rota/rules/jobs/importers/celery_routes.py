"""The queues that `task_routes` of a Celery app gives to tasks, where they can be read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from rota.rules.jobs.importers.report import Note

ROUTES = ("task_routes", "CELERY_TASK_ROUTES", "CELERY_ROUTES")


def routed(routes: Any, name: object, notes: list[Note], *, has_queue: bool) -> dict[str, Any]:
    """Return the queue of a task, unless its entry names one; lost settings are noted."""
    for pattern, route in _pairs(routes):
        if pattern is None:
            notes.append(
                Note(
                    topic="queue", old="task_routes asks a function", default="not kept; set queue"
                )
            )
            return {}
        if _fits(pattern, str(name)):
            return _route_options(route, notes, has_queue=has_queue)
    return {}


def _route_options(route: Any, notes: list[Note], *, has_queue: bool) -> dict[str, Any]:
    options = {"queue": route} if isinstance(route, str) else route
    if not isinstance(options, Mapping):
        notes.append(Note(topic="queue", old=f"task_routes: {route!r:.60}", default="not kept"))
        return {}
    lost = [str(name) for name in options if name != "queue"]
    if lost:
        notes.append(
            Note(topic="queue", old=f"{', '.join(lost)} of task_routes", default="not kept")
        )
    queue = options.get("queue")
    if has_queue or queue is None:
        return {}
    chosen = str(getattr(queue, "name", queue))
    notes.append(Note(topic="queue", old=f"task_routes: {chosen}", chose=f"queue: {chosen}"))
    return {"queue": chosen}


def _pairs(routes: Any) -> Iterator[tuple[Any, Any]]:
    """Yield patterns and their routes in order; None for routes that only Celery can resolve."""
    if isinstance(routes, Mapping):
        yield from routes.items()
    elif isinstance(routes, list | tuple):
        for each in routes:
            if isinstance(each, list | tuple) and len(each) == 2:  # noqa: PLR2004  # a pair
                yield each[0], each[1]
            else:
                yield from _pairs(each)
    elif routes is not None:
        yield None, None


def _fits(pattern: Any, name: str) -> bool:
    if isinstance(pattern, re.Pattern):
        return pattern.match(name) is not None
    return fnmatchcase(name, str(pattern))
