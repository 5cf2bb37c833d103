"""What is secret by habit: values of variables and headers, for those who may write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from rota.model.identity import Credential
from rota.model.plan import FieldChange
from rota.rules.web_address import shown_address

SECRET = ("target.env.", "target.headers.")
HIDDEN = "(hidden)"


def told_change(change: FieldChange, credential: Credential) -> FieldChange:
    """A field before and after, as this caller may see it."""
    if change.field == "target.url":
        old, new = (shown_address(each) if each else each for each in (change.old, change.new))
        return msgspec.structs.replace(change, old=old, new=new)
    if credential.has("author") or not change.field.startswith(SECRET):
        return change
    old, new = (None if each is None else HIDDEN for each in (change.old, change.new))
    return msgspec.structs.replace(change, old=old, new=new)


def told_definition(definition: Mapping[str, Any], credential: Credential) -> dict[str, Any]:
    """The definition of a job as people write it, as this caller may see it."""
    told = dict(definition)
    if credential.has("author"):
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


def _hidden(values: Any) -> Any:
    """A template may hold anything where a mapping belongs."""
    return dict.fromkeys(values, HIDDEN) if isinstance(values, Mapping) else HIDDEN
