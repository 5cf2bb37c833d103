"""The JSON Schema of a job file, for editors; made from the lists that the reader uses."""

from __future__ import annotations

from typing import get_args

import msgspec

from rota.model.alerts.channel import AlertChannel
from rota.model.alerts.rule import AlertRule
from rota.model.schedules.definitions import BlackoutKind, Dialect
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
from rota.rules.jobs.option_table import OPTIONS as JOB
from rota.rules.schedules.option_table import OPTIONS as SCHEDULE
from rota.rules.schedules.option_table import SCHEDULE_OPTIONS
from rota.rules.security.web_address import METHODS
from rota.rules.text.option import (
    COUNT,
    DURATION,
    FLAG,
    NAME,
    NAMES,
    OBJECT,
    TEXT,
    Schema,
)

_CODES: Schema = {"type": ["integer", "array"], "items": {"type": "integer"}}
_FIELDS: dict[str, Schema] = {
    **{option.name: option.schema for option in JOB if option.schema is not None},
    "command": {"type": ["string", "array"], "items": {"type": ["string", "number"]}},
    "cwd": TEXT,
    "env": {"type": "object", "additionalProperties": {"type": ["string", "number"]}},
    "http": {"anyOf": [TEXT, {"$ref": "#/$defs/request"}]},
    "ok_codes": _CODES,
    "parameters": {
        "type": "object",
        "additionalProperties": {"anyOf": [TEXT, {"$ref": "#/$defs/Parameter"}]},
    },
    "python": {"type": "string", "pattern": r"^[\w.]+:[\w.]+$"},
    "retry_codes": _CODES,
    "arguments": OBJECT,
    "schedule": {"anyOf": [{"$ref": "#/$defs/schedule"}, {"$ref": "#/$defs/schedules"}]},
    "schedules": {
        "anyOf": [
            {"$ref": "#/$defs/schedules"},
            {"type": "object", "additionalProperties": {"$ref": "#/$defs/schedule"}},
        ]
    },
}
_POLICIES: dict[str, Schema] = {
    name: option.schema
    for option in SCHEDULE
    for name in (option.name, option.synonym)
    if name and option.schema is not None
}
_TRIGGERS: dict[str, Schema] = {
    "cron": TEXT,
    "dialect": {"enum": list(get_args(Dialect))},
    "every": {"anyOf": [DURATION, {"$ref": "#/$defs/steps"}]},
    "anchor": TEXT,
    "from_end": FLAG,
    "at": NAMES,
    "rrule": TEXT,
    "start": TEXT,
    "business_day": {"type": "integer"},
    "time": TEXT,
    "any_of": {"type": "array", "items": {"$ref": "#/$defs/trigger"}},
    "trigger": {"$ref": "#/$defs/trigger"},
    "event": {"type": "string", "pattern": NAME},
    "unless": {"$ref": "#/$defs/trigger"},
    "whole_day": FLAG,
}


def job_file_schema() -> Schema:
    """Return the whole schema; its order is stable."""
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
        "anyOf": [{"required": [key]} for key in ("jobs", "graphs", "alerts")],
        "properties": {
            "bundle": {"type": "string", "pattern": NAME},
            "defaults": _strict(defaults),
            "calendars": _map_of("calendar"),
            "blackouts": _map_of("blackout"),
            "jobs": _map_of("job"),
            "graphs": _map_of("Graph"),
            "alerts": _strict({"channels": _map_of("channel"), "rules": _map_of("rule")}),
        },
        "$defs": _definitions(job) | _ALERTS | _graphs(job),
    }


def _graphs(job: dict[str, Schema]) -> Schema:
    """Return the schema of graphs, which have schedules and may have nodes with their own work."""
    parts: Schema = graph_schema()["$defs"]
    parts["Graph"]["properties"] |= {name: job[name] for name in sorted(FLOW_FIELDS)}
    parts["Node"]["properties"] |= {name: job[name] for name in sorted(INLINE_FIELDS)}
    return parts


def _definitions(job: dict[str, Schema]) -> Schema:
    policies = {name: _POLICIES[name] for name in sorted(SCHEDULE_OPTIONS)}
    schedule = _TRIGGERS | policies | {"name": _POLICIES["name"]}
    kinds = ("command", "http", "python")
    return {
        "job": _strict(job) | {"oneOf": [{"required": [kind]} for kind in kinds]},
        "request": _strict(
            {name: _REQUEST[name] for name in sorted(HTTP_FIELDS)}, required=["url"]
        ),
        "schedule": {"anyOf": [TEXT, _strict(schedule | {"arguments": OBJECT})]},
        "schedules": {"type": "array", "items": {"$ref": "#/$defs/schedule"}},
        "trigger": {"anyOf": [TEXT, {"type": "object"}]},
        "steps": _strict(dict.fromkeys(("days", "weeks", "months", "years"), COUNT)),
        "calendar": _strict(
            {
                "country": TEXT,
                "weekend": {"type": "array", "items": {"type": ["string", "integer"]}},
                "off": {"type": "array", "items": TEXT},
                "on": {"type": "array", "items": TEXT},
            }
        ),
        "blackout": _strict(
            {
                "kind": {"enum": list(get_args(BlackoutKind))},
                **dict.fromkeys(("start", "end", "timezone", "zone"), TEXT),
                "trigger": {"$ref": "#/$defs/trigger"},
                "duration": TEXT,
                **dict.fromkeys(("job", "queue", "note"), TEXT),
            },
            required=["kind"],
        ),
    }


_REQUEST: dict[str, Schema] = {
    "url": {"type": "string", "pattern": "^https?://"},
    "method": {"enum": [*METHODS, *(method.lower() for method in METHODS)]},
    "headers": {"type": "object", "additionalProperties": {"type": ["string", "number"]}},
    "body": TEXT,
    "expect": _CODES,
    "allow_private": FLAG,
}


def _strict(properties: dict[str, Schema], *, required: list[str] | None = None) -> Schema:
    schema: Schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }
    return schema | {"required": required} if required else schema


def _alerts() -> Schema:
    """Return the schemas of alert rules and channels, whose lists may be one text."""
    (_, parts) = msgspec.json.schema_components(
        [AlertRule, AlertChannel], ref_template="#/$defs/{name}"
    )
    rule, channel = parts.pop("AlertRule"), parts.pop("AlertChannel")
    for name in ("on", "to", "jobs", "queues"):
        whole = rule["properties"][name]
        rule["properties"][name] = {"anyOf": [whole["items"], whole]}
    return parts | {"rule": rule, "channel": {"anyOf": [TEXT, channel]}}


def _map_of(kind: str) -> Schema:
    return {
        "type": "object",
        "propertyNames": {"pattern": NAME},
        "additionalProperties": {"$ref": f"#/$defs/{kind}"},
    }


_ALERTS = _alerts()
