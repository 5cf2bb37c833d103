"""Secrets in definitions: only callers who may write variables and headers see their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from rota.model.identity.credentials import Credential
from rota.model.jobs.apply_plan import FieldChange
from rota.model.jobs.spec import CommandTarget, HttpTarget, JobSpec
from rota.rules.security.rights import power_of, power_of_template
from rota.rules.security.web_address import shown_address

VARIABLES, HEADERS = "target.env.", "target.headers."
PRIVATE = "target.allow_private"
HIDDEN = "(hidden)"


def may_see(spec: JobSpec, credential: Credential) -> bool:
    """Whether the credential may write such a definition, and so sees the values in it."""
    return _may_write(power_of(spec), credential)


def visible_spec(spec: JobSpec, credential: Credential) -> JobSpec:
    """The definition with variables and headers only for those who may write it."""
    target = spec.target
    if isinstance(target, HttpTarget):
        target = msgspec.structs.replace(target, url=shown_address(target.url))
    if not may_see(spec, credential):
        if isinstance(target, CommandTarget):
            target = msgspec.structs.replace(target, env={})
        elif isinstance(target, HttpTarget):
            target = msgspec.structs.replace(target, headers={})
    return msgspec.structs.replace(spec, target=target)


def visible_changes(
    changes: Sequence[FieldChange], credential: Credential, *specs: JobSpec
) -> list[FieldChange]:
    """The fields of a job before and after, as this caller may see them; of these definitions."""
    is_private = any(each.field == PRIVATE for each in changes)
    may_all = all(may_see(spec, credential) for spec in specs)
    may_headers = may_all and (not is_private or credential.has("exec"))
    return [_visible_change(each, credential, may_headers=may_headers) for each in changes]


def _visible_change(
    change: FieldChange, credential: Credential, *, may_headers: bool
) -> FieldChange:
    if change.field == "target.url":
        old, new = (shown_address(each) if each else each for each in (change.old, change.new))
        return msgspec.structs.replace(change, old=old, new=new)
    is_author = credential.has("author")
    if not change.field.startswith((VARIABLES, HEADERS)):
        return change
    if is_author and (may_headers if change.field.startswith(HEADERS) else credential.has("exec")):
        return change
    old, new = (None if each is None else HIDDEN for each in (change.old, change.new))
    return msgspec.structs.replace(change, old=old, new=new)


def visible_definition(definition: Mapping[str, Any], credential: Credential) -> dict[str, Any]:
    """The definition of a job as people write it, as this caller may see it."""
    told = dict(definition)
    if _may_write(power_of_template(definition), credential):
        return told
    if "env" in told:
        told["env"] = _hidden(told["env"])
    if isinstance(told.get("http"), Mapping):
        told["http"] = dict(told["http"])
        if "headers" in told["http"]:
            told["http"]["headers"] = _hidden(told["http"]["headers"])
        if isinstance(told["http"].get("url"), str):
            told["http"]["url"] = shown_address(told["http"]["url"])
    return told


def _may_write(power: str | None, credential: Credential) -> bool:
    return credential.has("author") and (power is None or credential.has("exec"))


def _hidden(values: Any) -> Any:
    """Hide the values; a template may hold anything where a mapping belongs."""
    return dict.fromkeys(values, HIDDEN) if isinstance(values, Mapping) else HIDDEN
