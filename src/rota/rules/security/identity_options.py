"""Options of tokens and namespaces, checked once; errors say what would be valid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

import msgspec

from rota.errors import BadOption
from rota.model.identity.credentials import LADDER, ROLES, WORKER, Quotas, Role
from rota.rules.text.names import check_name
from rota.rules.text.size import parse_size

MAX_LABEL = 100
Limit = float | str | None
"""A limit of a namespace: a number, for payloads also a size such as 64KB; None is unset."""
_NONE = Quotas()


def check_roles(values: Iterable[str]) -> tuple[Role, ...]:
    """Return at least one role of the ladder, which includes the lower ones; or `worker`, alone."""
    roles = tuple(dict.fromkeys(values))
    for role in roles:
        if role not in ROLES:
            raise BadOption(f"{role!r:.64} is not a role; roles are {', '.join(ROLES)}")
    if WORKER in roles:
        if len(roles) > 1:
            raise BadOption(
                "a token of the role worker has no other: it lies on machines that are trusted "
                "with runs of some queues and nothing else; make two tokens"
            )
        return (WORKER,)
    if not set(roles) & set(LADDER):
        raise BadOption(f"a token needs one of the roles {', '.join((*LADDER, WORKER))}")
    return cast("tuple[Role, ...]", roles)


def check_queues(values: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return the queues; None means all. An empty list is refused, as it matches nothing."""
    if values is None:
        return None
    if not values:
        raise BadOption("a token for no queue can do nothing; leave the queues out for all of them")
    return tuple(dict.fromkeys(check_name("queue", queue) for queue in values))


def check_worker(roles: Sequence[Role], queues: Sequence[str] | None) -> None:
    """Check that a token for workers names its queues; `all of them` is refused."""
    if WORKER in roles and queues is None:
        raise BadOption("a token of the role worker names its queues, such as --queue images")


def check_label(value: object) -> str:
    """Check the name that people give a token."""
    if isinstance(value, str) and value.strip() and value.isprintable():
        if len(value) <= MAX_LABEL:
            return value.strip()
        raise BadOption(f"the name has {len(value)} characters, more than {MAX_LABEL}")
    raise BadOption(f"{value!r:.64} is not a name for a token; name what uses it, such as `ci`")


def other_quotas(limits: Mapping[str, Limit], old: Quotas = _NONE) -> Quotas:
    """Return the quotas with some replaced; 0 removes a limit, None keeps it."""
    quotas: dict[str, int | float] = {}
    for name, limit in limits.items():
        if name not in Quotas.__struct_fields__:
            raise BadOption(
                f"a namespace has no limit {name!r:.64}; known are: "
                f"{', '.join(Quotas.__struct_fields__)}"
            )
        if limit is not None:
            quotas[name] = _amount(name, limit)
    return msgspec.structs.replace(old, **{name: value or None for name, value in quotas.items()})


def _amount(name: str, limit: float | str) -> int | float:
    if name == "payload" and isinstance(limit, str):
        return 0 if limit == "0" else parse_size(limit)
    is_number = isinstance(limit, int | float if name == "rate" else int)
    if isinstance(limit, bool | str) or not is_number:
        raise BadOption(f"{name}: {limit!r:.64} is not a number")
    if not 0 <= limit < float("inf"):
        raise BadOption(f"{name}: {limit} is not a limit; give a number, or 0 for none")
    return limit
