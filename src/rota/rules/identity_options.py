"""Options of tokens and namespaces: checked once, with words about what would be good."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from rota.errors import BadOption
from rota.model.identity import LADDER, ROLES, Role
from rota.rules.names import check_name

MAX_LABEL = 100


def check_roles(given: Iterable[str]) -> tuple[Role, ...]:
    """At least one of the ladder; the lower ones need not be said."""
    roles = tuple(dict.fromkeys(given))
    for role in roles:
        if role not in ROLES:
            raise BadOption(f"{role!r:.64} is not a role; roles are {', '.join(ROLES)}")
    if not set(roles) & set(LADDER):
        raise BadOption(f"a token needs one of the roles {', '.join(LADDER)}")
    return cast("tuple[Role, ...]", roles)


def check_queues(given: Sequence[str] | None) -> tuple[str, ...] | None:
    """None means all of them; a list that is empty would reach nothing."""
    if given is None:
        return None
    if not given:
        raise BadOption("a token for no queue can do nothing; leave the queues out for all of them")
    return tuple(dict.fromkeys(check_name("queue", queue) for queue in given))


def check_label(given: object) -> str:
    """A name that people give a token."""
    if isinstance(given, str) and given.strip() and given.isprintable():
        if len(given) <= MAX_LABEL:
            return given.strip()
        raise BadOption(f"the name has {len(given)} characters, more than {MAX_LABEL}")
    raise BadOption(f"{given!r:.64} is no name for a token; say what uses it, such as `ci`")
