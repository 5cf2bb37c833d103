"""Database logins for servers, workers and readers, with the permissions they need (ADR 31).

A login is a member of a group, whose permissions are in rights.py. Workers and readers see the rows
of the namespaces that `rota.login` lists for them, by a policy on the login name: settings of a
session change nothing, and a login that is not in that table sees nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from psycopg import sql

from rota.errors import BadOption, RoomsRefused
from rota.rules.text.names import check_name
from rota.store.access.rights import KINDS, grants
from rota.store.access.row_security import (
    INHERITS_APART,
    PolicyScope,
    attempt,
    condition_of,
    protect,
)

if TYPE_CHECKING:
    from rota.store.postgres.tx import PostgresTx

POLICY = "login"
EVERY = "*"
LONGEST = 63
"""Most bytes of a name; PostgreSQL cuts off the rest."""
_GROUPS = {"server": "rota_house", "worker": "rota_worker", "reader": "rota_reader"}
_BOUND = PolicyScope(
    ours="rota.own_namespaces()",
    is_own_run="rota.is_run_of_login",
    unless=f"(select '{EVERY}' = any (rota.own_namespaces()))",
)


class Login(NamedTuple):
    """A database login: its name, its kind, and its namespaces."""

    name: str
    kind: str
    namespaces: tuple[str, ...]
    is_member: bool = True
    """False when somebody took the group away, or the role is gone."""


class GrantSteps(NamedTuple):
    """Statements of a grant: those on roles, which not every owner may run, and those on tables."""

    roles: list[str]
    tables: list[str]


def logins(tx: PostgresTx) -> list[Login]:
    """Return all logins that were granted something."""
    return [
        Login(row["name"], row["kind"], tuple(row["namespaces"]), row["is_member"])
        for row in tx.all("list_logins")
    ]


def grant(tx: PostgresTx, login: Login, *, create: bool = False) -> Login:
    """Give a login the permissions of its kind, and no others of Rota.

    RoomsRefused names the statements that an administrator has to run first.
    """
    _do(tx, grant_steps(tx, login, create=create))
    return next(each for each in logins(tx) if each.name == login.name)


def grant_steps(tx: PostgresTx, login: Login, *, create: bool = False) -> GrantSteps:
    """Return the statements of `grant`, to read them or to run them."""
    login = login._replace(namespaces=_checked(login))
    _check_login(tx, login.name, create=create)
    room = protect(tx)
    groups = _groups(tx)
    roles = [
        f"create role {_quoted(name)} nologin"
        for name in groups.values()
        if not _is_there(tx, name)
    ]
    if not _is_there(tx, login.name):
        roles.append(f"create role {_quoted(login.name)} login")
    groups_wanted = {groups[login.kind]} | ({room} if login.kind == "server" else set())
    roles += _memberships(tx, login.name, groups_wanted, among={*groups.values(), room}, room=room)
    tables = [*_table_steps(tx, groups), _put(login, groups[login.kind])]
    return GrantSteps(roles, tables)


def revoke(tx: PostgresTx, name: str) -> bool:
    """Revoke everything from a login; False when there was nothing."""
    is_known = any(each.name == name for each in logins(tx))
    groups = _groups(tx)
    room = tx.one("room_role")
    among = {*groups.values(), *({room["role"]} if room else ())}
    if not is_known:
        return False
    _do(tx, GrantSteps([*_memberships(tx, name, set(), among=among, room="")], []))
    tx.execute("drop_login", name=name)
    if not tx.all("list_logins"):
        for table in tx.all("policy_tables", policy=POLICY):
            if table["is_forced"]:
                tx.script(f"alter table rota.{table['name']} no force row level security")
    return True


def refresh(tx: PostgresTx, room: str) -> None:
    """Update permissions and policies after new tables or rules; does nothing without logins."""
    granted = logins(tx)
    if granted:
        groups = _groups(tx)
        servers = [each.name for each in granted if each.kind == "server" and each.is_member]
        roles = [
            step
            for name in servers
            for step in _memberships(tx, name, {room}, among={room}, room=room)
        ]
        _do(tx, GrantSteps(roles, list(_table_steps(tx, groups))))


def script_of(steps: GrantSteps) -> str:
    """Return the statements as text for psql."""
    roles = [f"{each};" for each in steps.roles]
    tables = [f"{each};" for each in steps.tables]
    return "\n".join(
        [
            "-- As somebody who may create roles:",
            *roles,
            "",
            "-- As the owner of the tables:",
            "begin;",
            *tables,
            "commit;",
        ]
    )


def _do(tx: PostgresTx, steps: GrantSteps) -> None:
    if refused := [each for each in steps.roles if not attempt(tx, each)]:
        raise RoomsRefused(
            f"this login may not change roles. As an administrator: {'; '.join(refused)};"
            " then run this command again"
        )
    for each in steps.tables:
        tx.script(each)


def _checked(login: Login) -> tuple[str, ...]:
    if login.kind not in KINDS:
        raise BadOption(f"a login is one of {', '.join(KINDS)}, not {login.kind!r}")
    if login.kind == "server":
        return (EVERY,)
    if not login.namespaces:
        raise BadOption(f"name the namespaces of a {login.kind}, or '{EVERY}' for all")
    if EVERY in login.namespaces:
        return (EVERY,)
    return tuple(sorted({check_name("namespace", each) for each in login.namespaces}))


def _check_login(tx: PostgresTx, name: str, *, create: bool) -> None:
    if not 0 < len(name.encode()) <= LONGEST or name.startswith("pg_") or "\0" in name:
        raise BadOption(f"{name!r} is not a valid login name")
    facts = tx.all("login_facts", name=name)[0]
    if facts["is_above"]:
        raise BadOption(
            f"{name} is a superuser, may create roles or bypasses row-level security: permissions"
            " do not limit it; use a plain login"
        )
    if facts["is_owner"]:
        raise BadOption(f"{name} owns the tables, or may act as their owner; use another")
    if name in _groups(tx).values() or (facts["is_there"] and not facts["may_log_in"]):
        raise BadOption(f"{name} is a role that cannot log in; name one that can")
    if not facts["is_there"] and not create:
        raise BadOption(
            f"there is no login {name}; make it with `create role {_quoted(name)} login password"
            " '...'`, or with --create, and give it a password later"
        )


def _groups(tx: PostgresTx) -> dict[str, str]:
    """Return the group of each kind: as it exists, also in a copy of a database, or by our rule."""
    facts = tx.one("room_facts", role="")
    assert facts is not None  # noqa: S101  # an aggregate of constants has one row
    group_names = {row["kind"]: row["role"] for row in tx.all("list_logins")}
    return {
        kind: group_names.get(kind) or _short(f"{prefix}_{facts['database']}")
        for kind, prefix in _GROUPS.items()
    }


def _short(name: str) -> str:
    if len(name.encode()) <= LONGEST:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:16]
    return f"{name.encode()[: LONGEST - 17].decode(errors='ignore')}_{digest}"


def _is_there(tx: PostgresTx, role: str) -> bool:
    row = tx.one("role_facts", name=role)
    return bool(row and row["is_there"])


def _memberships(
    tx: PostgresTx, name: str, groups: set[str], *, among: set[str], room: str
) -> Iterator[str]:
    """Yield statements that make it a member of exactly the wanted roles, among those given."""
    facts = tx.one("room_facts", role="")
    apart = facts is not None and int(facts["server"]) >= INHERITS_APART
    present = {row["role"] for row in tx.all("login_roles", name=name)}
    for role in sorted(groups - present):
        how = " with inherit false, set true" if role == room else " with inherit true, set false"
        yield f"grant {_quoted(role)} to {_quoted(name)}{how if apart else ''}"
    for role in sorted((among - groups) & present):
        yield f"revoke {_quoted(role)} from {_quoted(name)}"


def _table_steps(tx: PostgresTx, groups: dict[str, str]) -> Iterator[str]:
    tables = tx.all("policy_tables", policy=POLICY)
    names = {table["name"] for table in tables}
    for kind, role in groups.items():
        yield from grants(kind, _quoted(role), names)
    limited = ", ".join(_quoted(groups[kind]) for kind in ("worker", "reader"))
    for table in tables:
        yield from _policy_steps(table, limited)


def _policy_steps(table: Any, roles: str) -> Iterator[str]:
    condition = condition_of(table["name"], has_namespace=table["has_namespace"], bound=_BOUND)
    if condition is None or table["is_partition"]:
        return
    name = f"rota.{table['name']}"
    digest = hashlib.sha256(f"{roles} {condition}".encode()).hexdigest()[:16]
    if table["digest"] != digest:
        yield f"drop policy if exists {POLICY} on {name}"
        yield f"create policy {POLICY} on {name} as restrictive to {roles} using ({condition})"
        yield f"comment on policy {POLICY} on {name} is '{digest}'"
    if not table["is_forced"]:
        yield f"alter table {name} force row level security"


def _put(login: Login, role: str) -> str:
    name, kind, group = (
        sql.Literal(each).as_string(None) for each in (login.name, login.kind, role)
    )
    names = ", ".join(sql.Literal(each).as_string(None) for each in login.namespaces)
    return (
        "insert into rota.login (name, kind, role, namespaces)"
        f" values ({name}, {kind}, {group}, array[{names}])"
        " on conflict (name) do update set kind = excluded.kind, role = excluded.role,"
        " namespaces = excluded.namespaces"
    )


def _quoted(name: str) -> str:
    return sql.Identifier(name).as_string(None)
