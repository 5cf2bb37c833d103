"""The JSON Schema of a job file, for editors; made from the same lists that the reader obeys."""

from __future__ import annotations

from typing import Any, get_args

from rota.model.graph import Isolation
from rota.model.schedule import (
    BlackoutKind,
    Catchup,
    Dialect,
    Fold,
    Gap,
    JitterKind,
    Overlap,
    Roll,
)
from rota.model.spec import Backoff, Delivery
from rota.rules.graphs.options import graph_schema
from rota.rules.jobs.files.known import (
    DEFAULT_FIELDS,
    FLOW_FIELDS,
    INLINE_FIELDS,
    JOB_FIELDS,
    OWN_FIELDS,
    SCHEDULE_FIELDS,
)
from rota.rules.jobs.files.targets import HTTP_FIELDS, TARGET_FIELDS
from rota.rules.jobs.options import MIN_MEMORY_MB
from rota.rules.schedules.options import SCHEDULE_OPTIONS
from rota.rules.security.web_address import METHODS

Schema = dict[str, Any]

NAME = r"^[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,127}$"
_TEXT: Schema = {"type": "string"}
_FLAG: Schema = {"type": "boolean"}
_COUNT: Schema = {"type": "integer", "minimum": 1}
_DURATION: Schema = {"type": ["string", "number"], "examples": ["500ms", "90s", "1h30m", "7d"]}

_CODES: Schema = {"type": ["integer", "array"], "items": {"type": "integer"}}
_NAMES: Schema = {"type": ["string", "array"], "items": _TEXT}
_OBJECT: Schema = {"type": "object"}

_FIELDS: dict[str, Schema] = {
    "backoff": {"enum": [each for each in get_args(Backoff) if each != "custom"]},
    "breaker": {"type": ["string", "object"], "examples": ["50% of 20 in 1m"]},
    "cache": {"type": ["string", "number", "object"], "examples": ["1h", {"ttl": "1d"}]},
    "dependencies": _NAMES,
    "description": _TEXT,
    "delivery": {"enum": list(get_args(Delivery))},
    "expires": _DURATION,
    "give_up_on": _NAMES,
    "max_crashes": {"type": "integer", "minimum": 1},
    "max_losses": {"type": "integer", "minimum": 0},
    "isolation": {"enum": list(get_args(Isolation))},
    "jitter": {"type": ["boolean", "number"]},
    "memory": {"type": ["string", "integer"], "description": f"At least {MIN_MEMORY_MB}MB."},
    "on_failure": _TEXT,
    "priority": {"type": ["string", "integer"], "examples": ["high", "medium", "low", 5]},
    "queue": {"type": "string", "pattern": NAME},
    "retries": {"type": ["integer", "null"], "minimum": 0},
    "retry_cap": _DURATION,
    "retry_delay": _DURATION,
    "retry_on": _NAMES,
    "retry_within": _DURATION,
    "timeout": _DURATION,
    "command": {"type": ["string", "array"], "items": {"type": ["string", "number"]}},
    "cwd": _TEXT,
    "env": {"type": "object", "additionalProperties": {"type": ["string", "number"]}},
    "http": {"anyOf": [_TEXT, {"$ref": "#/$defs/request"}]},
    "ok_codes": _CODES,
    "parameters": {
        "type": "object",
        "additionalProperties": {"anyOf": [_TEXT, {"$ref": "#/$defs/Parameter"}]},
    },
    "python": {"type": "string", "pattern": r"^[\w.]+:[\w.]+$"},
    "retry_codes": _CODES,
    "arguments": _OBJECT,
    "schedule": {"anyOf": [{"$ref": "#/$defs/schedule"}, {"$ref": "#/$defs/schedules"}]},
    "schedules": {
        "anyOf": [
            {"$ref": "#/$defs/schedules"},
            {"type": "object", "additionalProperties": {"$ref": "#/$defs/schedule"}},
        ]
    },
}
_POLICIES: dict[str, Schema] = {
    "args": _OBJECT,
    "backlog": _COUNT,
    "calendar": {"anyOf": [_TEXT, {"$ref": "#/$defs/calendar"}]},
    "catchup": {"enum": list(get_args(Catchup))},
    "catchup_limit": _COUNT,
    "catchup_window": _DURATION,
    "count": _COUNT,
    "end": _TEXT,
    "fold": {"enum": list(get_args(Fold))},
    "gap": {"enum": list(get_args(Gap))},
    "grace": _DURATION,
    "is_paused": _FLAG,
    "jitter": _DURATION,
    "jitter_kind": {"enum": list(get_args(JitterKind))},
    "overlap": {"type": "string", "examples": list(get_args(Overlap))},
    "parallel": _COUNT,
    "pause_after": _COUNT,
    "paused": _FLAG,
    "roll": {"enum": list(get_args(Roll))},
    "start": _TEXT,
    "start_within": _DURATION,
    "timezone": _TEXT,
    "zone": _TEXT,
}
_TRIGGERS: dict[str, Schema] = {
    "cron": _TEXT,
    "dialect": {"enum": list(get_args(Dialect))},
    "every": {"anyOf": [_DURATION, {"$ref": "#/$defs/steps"}]},
    "anchor": _TEXT,
    "from_end": _FLAG,
    "at": _NAMES,
    "rrule": _TEXT,
    "start": _TEXT,
    "business_day": {"type": "integer"},
    "time": _TEXT,
    "any_of": {"type": "array", "items": {"$ref": "#/$defs/trigger"}},
    "trigger": {"$ref": "#/$defs/trigger"},
    "event": {"type": "string", "pattern": NAME},
    "unless": {"$ref": "#/$defs/trigger"},
    "whole_day": _FLAG,
}


def job_file_schema() -> Schema:
    """The whole schema, in an order that does not change."""
    policies = {name: _POLICIES[name] for name in sorted(SCHEDULE_FIELDS)}
    defaults = {name: _FIELDS[name] for name in sorted(DEFAULT_FIELDS - SCHEDULE_FIELDS)}
    defaults |= policies
    own = {name: _FIELDS[name] for name in sorted(JOB_FIELDS | TARGET_FIELDS | OWN_FIELDS)}
    job = own | policies
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rota job file",
        "type": "object",
        "additionalProperties": False,
        "anyOf": [{"required": ["jobs"]}, {"required": ["graphs"]}],
        "properties": {
            "bundle": {"type": "string", "pattern": NAME},
            "defaults": _strict(defaults),
            "calendars": _named("calendar"),
            "blackouts": _named("blackout"),
            "jobs": _named("job"),
            "graphs": _named("Graph"),
        },
        "$defs": _definitions(job) | _graphs(job),
    }


def _graphs(job: dict[str, Schema]) -> Schema:
    """A graph has schedules as a job has, and a node may say itself what it does."""
    parts: Schema = graph_schema()["$defs"]
    parts["Graph"]["properties"] |= {name: job[name] for name in sorted(FLOW_FIELDS)}
    parts["Node"]["properties"] |= {name: job[name] for name in sorted(INLINE_FIELDS)}
    return parts


def _definitions(job: dict[str, Schema]) -> Schema:
    policies = {name: _POLICIES[name] for name in sorted(SCHEDULE_OPTIONS)}
    schedule = _TRIGGERS | policies | {"name": {"type": "string", "pattern": NAME}}
    kinds = ("command", "http", "python")
    return {
        "job": _strict(job) | {"oneOf": [{"required": [kind]} for kind in kinds]},
        "request": _strict(
            {name: _REQUEST[name] for name in sorted(HTTP_FIELDS)}, required=["url"]
        ),
        "schedule": {"anyOf": [_TEXT, _strict(schedule | {"arguments": _OBJECT})]},
        "schedules": {"type": "array", "items": {"$ref": "#/$defs/schedule"}},
        "trigger": {"anyOf": [_TEXT, {"type": "object"}]},
        "steps": _strict(dict.fromkeys(("days", "weeks", "months", "years"), _COUNT)),
        "calendar": _strict(
            {
                "country": _TEXT,
                "weekend": {"type": "array", "items": {"type": ["string", "integer"]}},
                "off": {"type": "array", "items": _TEXT},
                "on": {"type": "array", "items": _TEXT},
            }
        ),
        "blackout": _strict(
            {
                "kind": {"enum": list(get_args(BlackoutKind))},
                **dict.fromkeys(("start", "end", "timezone", "zone"), _TEXT),
                "trigger": {"$ref": "#/$defs/trigger"},
                "duration": _TEXT,
                **dict.fromkeys(("job", "queue", "note"), _TEXT),
            },
            required=["kind"],
        ),
    }


_REQUEST: dict[str, Schema] = {
    "url": {"type": "string", "pattern": "^https?://"},
    "method": {"enum": [*METHODS, *(method.lower() for method in METHODS)]},
    "headers": {"type": "object", "additionalProperties": {"type": ["string", "number"]}},
    "body": _TEXT,
    "expect": _CODES,
    "allow_private": _FLAG,
}


def _strict(properties: dict[str, Schema], *, required: list[str] | None = None) -> Schema:
    schema: Schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }
    return schema | {"required": required} if required else schema


def _named(kind: str) -> Schema:
    return {
        "type": "object",
        "propertyNames": {"pattern": NAME},
        "additionalProperties": {"$ref": f"#/$defs/{kind}"},
    }
