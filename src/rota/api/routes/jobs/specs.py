"""Definitions of jobs as the store keeps them, for programs that show or compare all of one."""

from __future__ import annotations

from typing import Any

import msgspec

from rota.model.identity import Credential
from rota.model.spec import CommandTarget, HttpTarget, JobSpec
from rota.operations.jobs.redaction import may_see
from rota.rules.security.web_address import shown_address


def whole_spec(spec: JobSpec, credential: Credential) -> dict[str, Any]:
    """All of it; what is secret by habit, variables and headers, only to those who may write it."""
    target = spec.target
    if isinstance(target, HttpTarget):
        target = msgspec.structs.replace(target, url=shown_address(target.url))
    if not may_see(spec, credential):
        if isinstance(target, CommandTarget):
            target = msgspec.structs.replace(target, env={})
        elif isinstance(target, HttpTarget):
            target = msgspec.structs.replace(target, headers={})
    told: dict[str, Any] = msgspec.to_builtins(msgspec.structs.replace(spec, target=target))
    return told
