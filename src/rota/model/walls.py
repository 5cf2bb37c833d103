"""Walls: what whoever runs a worker allows its programs and requests; no job can widen it."""

from __future__ import annotations

import msgspec


class Egress(msgspec.Struct, frozen=True, kw_only=True):
    """Where HTTP jobs may go."""

    hosts: tuple[str, ...] = ()
    """Names and `*.names` that requests may go to; empty for any."""
    inside: tuple[str, ...] | None = None
    """Networks that jobs with allow_private may reach; None for any but the metadata of clouds."""


class Programs(msgspec.Struct, frozen=True, kw_only=True):
    """How programs of jobs are started."""

    path: str | None = None
    """Their PATH, whatever their job says; that of the worker if not said."""
    user: str | None = None
    """Whom they run as, with the groups of that user; the worker must be allowed to."""
    folders: tuple[str, ...] = ()
    """Where they may run, and below; empty for anywhere."""
    pass_env: tuple[str, ...] = ()
    """Variables of the worker's environment that they get beside PATH, HOME and the like."""
    new_privileges: bool = False
    """Whether they may gain rights that the worker does not have, as sudo does."""
