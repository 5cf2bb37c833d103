"""Row-level security: a server's transaction reaches the rows of its namespaces and no others.

PostgreSQL sees to it, below the statements: such a transaction takes on a role whose policies let
through only what belongs to a transaction-local setting; one that names no namespace sees nothing.
Everybody else is let through as before, since workers, schedulers and chores serve all (ADR 26).
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import psycopg
from psycopg import sql

from rota.errors import BadOption, RoomsRefused
from rota.rules.text.names import check_name
from rota.store.access.rights import ACT, verbs_of

if TYPE_CHECKING:
    from rota.store.base import Row, Tx
    from rota.store.postgres.tx import PostgresTx

SETTING = "rota.namespaces"
POLICY = "room"
EVERYBODY = "everybody"
INHERITS_APART = 160_000
"""From this version on a membership says by itself whether it passes its rights on."""


class PolicyScope(NamedTuple):
    """How a policy knows the namespaces it is for."""

    ours: str = "string_to_array(current_setting('rota.namespaces', true), ',')"
    is_own_run: str = "rota.is_own_run"
    unless: str = "false"
    """When it lets everything through."""


ROOM = PolicyScope()
_BY_RUN = {"attempt": "run_id", "effect": "run_id", "node": "graph_id"}
"""Tables whose rows belong to a namespace through a run."""
_RIGHTS: Mapping[str, str] = {
    "act": f"select, insert ({', '.join(ACT)})",
    "chain": "select",
    "namespace": "select",
    "statistic": "select",
    "counted": "select",
}
"""Where a room has less than who takes it on."""
OPEN = frozenset({"counted"})
"""Tables that anybody may look at: they hold nothing of anybody."""
CLOSED = frozenset({"artifact", "chore", "login", "migration", "schema_step", "ticket"})
"""Tables that no room has rights to: of the house, or reached by functions that know more."""
FUNCTIONS = (
    "search_own_logs(text, text, bigint, int, int)",
    "values_of(json)",
    "keep_values(json, bigint)",
    "lock_quota(text)",
)


def room_of(role: str, namespaces: Collection[str]) -> bytes:
    """How a transaction for them goes on after its `begin`; it travels along and costs no trip."""
    names = ",".join(sorted(check_name("namespace", each) for each in namespaces))
    quoted = sql.Identifier(role).as_string(None)
    return f"; set local role {quoted}; set local {SETTING} = '{names}'".encode()


def protect(tx: PostgresTx, role: str | None = None) -> str:
    """See to it that the role is there, has policies and rights; returns its name.

    Changes only what is not so yet. RoomsRefused says what an administrator has to do first.
    """
    name = role or _known_role(tx) or f"rota_server_{_facts(tx, '')['database']}"
    _see_to_role(tx, name)
    quoted = sql.Identifier(name).as_string(None)
    tx.script(f"grant usage on schema rota to {quoted}")
    for function in FUNCTIONS:
        tx.script(f"grant execute on function rota.{function} to {quoted}")
    for table in whole_tables(tx):
        for statement in _statements(table, name):
            tx.script(statement)
    return name


def unprotect(tx: PostgresTx) -> list[str]:
    """Take the policies away. The role stays: servers that run go on with it until they end."""
    if names := [row["name"] for row in tx.all("list_logins")]:
        raise BadOption(f"{', '.join(names)} would see all namespaces; `rota db revoke` them first")
    changed: list[str] = []
    for table in whole_tables(tx):
        if table["digest"] is not None:
            tx.script(f"drop policy {POLICY} on rota.{table['name']}")
            changed.append(table["name"])
        if table["is_on"]:
            tx.script(f"drop policy if exists {EVERYBODY} on rota.{table['name']}")
            tx.script(f"alter table rota.{table['name']} disable row level security")
    return changed


def whole_tables(tx: Tx) -> list[Row]:
    """All tables of ours but partitions, with what is known of each and of its policy."""
    return [row for row in tx.all("policy_tables", policy=POLICY) if not row["is_partition"]]


def condition_of(table: str, *, has_namespace: bool, bound: PolicyScope = ROOM) -> str | None:
    """Which rows of it are in a room; None when no room has any rights to it."""
    if table in CLOSED:
        return None
    if table in OPEN:
        return "true"
    if table in _BY_RUN:
        return f"{bound.unless} or {bound.is_own_run}({_BY_RUN[table]})"
    if table == "firing":
        of_schedule = "select true from rota.schedule as s where s.id = schedule_id limit 1"
        return f"{bound.unless} or ({of_schedule})"
    if not has_namespace and table != "namespace":
        return None
    column = "name" if table == "namespace" else "namespace"
    # Said so that plans stay as they are: a comparison could choose an index, and would be expected
    # to let one row of two hundred through; this is expected to let all through.
    ours = f"{column} = any ((select {bound.ours})::text[])"
    return f"nullif({ours}, false) is not null or {bound.unless}"


def _statements(table: Mapping[str, Any], role: str) -> Iterator[str]:
    name = f"rota.{table['name']}"
    # Who takes on the role also has its policies before, where memberships always pass on.
    other = f"(select current_user <> {sql.Literal(role).as_string(None)})"
    bound = PolicyScope(unless=other)
    condition = condition_of(table["name"], has_namespace=table["has_namespace"], bound=bound)
    if condition is None:
        return
    if not table["is_on"]:
        yield f"create policy {EVERYBODY} on {name} using (true)"
        yield f"alter table {name} enable row level security"
    quoted = sql.Identifier(role).as_string(None)
    digest = hashlib.sha256(f"{role} {condition}".encode()).hexdigest()[:16]
    if table["digest"] != digest:
        yield f"drop policy if exists {POLICY} on {name}"
        yield f"create policy {POLICY} on {name} as restrictive to {quoted} using ({condition})"
        yield f"comment on policy {POLICY} on {name} is '{digest}'"
    yield f"revoke all on {name} from {quoted}"
    if rights := _RIGHTS.get(table["name"]) or verbs_of("server", table["name"]):
        yield f"grant {rights} on {name} to {quoted}"


def _known_role(tx: PostgresTx) -> str | None:
    row = tx.one("room_role")
    return row["role"] if row else None


def _facts(tx: PostgresTx, role: str) -> Mapping[str, Any]:
    row = tx.one("room_facts", role=role)
    assert row is not None  # noqa: S101  # an aggregate of constants has one row
    return row


def _see_to_role(tx: PostgresTx, role: str) -> None:
    facts = _facts(tx, role)
    quoted, login = (sql.Identifier(each).as_string(None) for each in (role, facts["login"]))
    if facts["is_above"]:
        raise BadOption(f"the role {role} is above row-level security; take one that is not")
    if facts["login"] == role:
        raise BadOption(f"{role} is who we are; servers need a role with fewer rights than that")
    apart = " with inherit false" if int(facts["server"]) >= INHERITS_APART else ""
    create, join = f"create role {quoted} nologin", f"grant {quoted} to {login}{apart}"
    if not facts["is_there"] and not (facts["may_create"] and attempt(tx, create)):
        raise RoomsRefused(
            f"{facts['login']} may not create roles. As an administrator: {create}; {join};"
            " then run `rota db protect`"
        )
    takes_on = f"set local role {quoted}; set local role none"
    if not attempt(tx, takes_on) and not (attempt(tx, join) and attempt(tx, takes_on)):
        raise RoomsRefused(
            f"{facts['login']} may not take on the role {role}. As an administrator: {join};"
            " then run `rota db protect`"
        )


def attempt(tx: PostgresTx, statement: str) -> bool:
    """Whether we may; somebody else may have done the same meanwhile, which is as good."""
    tx.script("savepoint attempt")
    try:
        tx.script(statement)
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.InvalidGrantOperation):
        tx.script("rollback to savepoint attempt")
        return False
    except (psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):
        tx.script("rollback to savepoint attempt")
    return True
