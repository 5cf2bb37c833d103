"""Roles, the permissions of a credential, and the quotas of a namespace."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import msgspec

from rota.clock import Moment
from rota.model.view import View

Role = Literal["viewer", "operator", "author", "admin", "exec", "audit", "worker"]
"""Each of the first four may do what those before it may. `exec` is separate: defining jobs that
run programs needs it, too. `audit` lets a person who is no admin read the audit log, so that
auditors and admins can be different people. `worker` is separate: it carries out runs of its queues
and can do nothing else, not even read.
"""

LADDER: tuple[Role, ...] = ("viewer", "operator", "author", "admin")
ROLES: tuple[Role, ...] = get_args(Role)
WORKER: Role = "worker"
PEOPLE: tuple[Role, ...] = tuple(role for role in ROLES if role != WORKER)
"""The roles that a person who signs in can have."""


class Credential(msgspec.Struct, frozen=True, kw_only=True):
    """The identity, namespace, roles and queues that a token or a session proved."""

    id: str
    """The id of the token; for a session without one, the beginning of its digest."""
    who: str
    namespace: str
    roles: tuple[Role, ...]
    queues: tuple[str, ...] | None = None
    """The permitted queues; None for all of them."""
    expires_at: int | None = None
    is_session: bool = False

    def has(self, role: Role) -> bool:
        """Whether it has the permissions of this role."""
        if role == "audit" and "admin" in self.roles:
            return True
        if role not in LADDER:
            return role in self.roles
        return any(each in LADDER[LADDER.index(role) :] for each in self.roles)

    def reaches(self, queue: str) -> bool:
        """Whether it may see runs of this queue; other runs do not exist for it."""
        return self.queues is None or queue in self.queues


class Quotas(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The limits of a namespace; None means no limit of its own."""

    queued: int | None = None
    """The number of runs that may wait."""
    running: int | None = None
    rate: float | None = None
    """Submits per second, at each server."""
    payload: int | None = None
    """Bytes of the arguments of one run."""


class Namespace(View, frozen=True):
    """A tenant: what is in it cannot be seen from another one."""

    name: str
    note: str
    quotas: Quotas
    created_at: Moment | None
    """None for the home namespace while nobody has changed it."""
    verbs: tuple[str, ...] = ()
    """The verbs that the caller may use on it now."""


class SessionView(View, frozen=True):
    """The caller behind a credential, and what it may do."""

    who: str
    kind: Literal["token", "session"]
    namespace: str
    roles: tuple[Role, ...]
    queues: tuple[str, ...] | None = None
    """None: all of them."""
    verbs: tuple[str, ...] = ()
    """The kinds of things that the caller may create, as `create-job`."""
    csrf_token: str | None = None
    """The value of X-CSRF-Token that each change needs, if a cookie is the credential."""


class TokenView(View, frozen=True):
    """A token as people see it; its secret was shown once."""

    id: str
    namespace: str
    name: str
    prefix: str
    roles: tuple[Role, ...]
    queues: tuple[str, ...] | None
    """None: all of them."""
    created_at: Moment
    created_by: str
    expires_at: Moment | None
    used_at: Moment | None
    """Within a minute or so."""
    revoked_at: Moment | None
    revoked_by: str | None
    verbs: tuple[str, ...] = ()
    """The verbs that the caller may use on it now."""


class NewTokenView(TokenView, frozen=True):
    """A new token with its secret, which is shown now and never again."""

    token: str | None = None
    """None when a request is repeated with its key: only the first answer has the secret."""


class SignInLink(View, frozen=True):
    """A ticket that signs in one browser, for the address `/login?ticket=...` of a server."""

    ticket: str | None
    """None when a request is repeated with its key: only the first answer has it."""
    roles: tuple[Role, ...]
    """The roles of the session."""
    expires_at: Moment


class GivenToken(NamedTuple):
    """A new token and its secret, which is stored nowhere else."""

    view: TokenView
    secret: str | None
