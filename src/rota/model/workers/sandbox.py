"""The sandbox of a worker: limits on its programs and requests, which no job can widen."""

from __future__ import annotations

import msgspec


class Egress(msgspec.Struct, frozen=True, kw_only=True):
    """The hosts and networks that HTTP jobs may reach."""

    hosts: tuple[str, ...] = ()
    """Names and `*.names` that requests may go to; empty for any."""
    inside: tuple[str, ...] | None = None
    """Networks that jobs with allow_private may reach; None for any but the metadata of clouds."""


class Programs(msgspec.Struct, frozen=True, kw_only=True):
    """The way in which programs of jobs are started."""

    path: str | None = None
    """Their PATH, whatever their job sets; None for that of the worker."""
    user: str | None = None
    """The user they run as, with the groups of that user; the worker must be allowed to."""
    folders: tuple[str, ...] = ()
    """Folders in which, and below which, they may run; empty for anywhere."""
    pass_env: tuple[str, ...] = ()
    """Variables of the worker's environment that they get besides PATH, HOME and the like."""
    new_privileges: bool = False
    """Whether they may gain privileges that the worker does not have, as sudo does."""
