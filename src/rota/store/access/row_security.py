"""Row-level security: a server's transaction reaches the rows of its namespaces and no others.

PostgreSQL enforces it, below the statements: such a transaction takes on a role whose policies let
through only rows that match a transaction-local setting; without a namespace in it, none. Other
logins pass as before, since workers, schedulers and chores serve all namespaces (ADR 26).
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
"""From this version on, a membership itself declares whether it passes its permissions on."""


class PolicyScope(NamedTuple):
    """The part of a policy that selects the namespaces it is for."""

    ours: str = "string_to_array(current_setting('rota.namespaces', true), ',')"
    is_own_run: str = "rota.is_own_run"
    unless: str = "false"
    """A condition under which the policy lets everything through."""


ROOM = PolicyScope()
_BY_RUN = {"attempt": "run_id", "effect": "run_id", "node": "graph_id"}
"""Tables whose rows belong to a namespace through a run."""
_BY_OWNER = {
    "firing": "select true from rota.schedule as s where s.id = schedule_id limit 1",
    "ticket": "select true from rota.token as t where t.id = token_id limit 1",
}
"""Tables whose rows belong to a namespace through a row that the policies of its table show."""
_RIGHTS: Mapping[str, str] = {
    "act": f"select, insert ({', '.join(ACT)})",
    "chain": "select",
    "namespace": "select",
    "statistic": "select",
    "counted": "select",
    "ticket": "insert",
}
"""Tables on which the server role has fewer permissions than its members."""
OPEN = frozenset({"counted"})
"""Tables that every server may read: they hold nothing that belongs to a namespace."""
CLOSED = frozenset({"artifact", "chore", "login", "migration", "schema_step"})
"""Tables closed to the server role: internal ones, and those behind functions that check more."""
FUNCTIONS = (
    "search_own_logs(text, text, bigint, int, int)",
    "values_of(json)",
    "keep_values(json, bigint)",
    "lock_quota(text)",
)


def room_of(role: str, namespaces: Collection[str]) -> bytes:
    """Return the statements after `begin` that limit a transaction to these namespaces.

    They travel along with `begin` and cost no trip.
    """
    names = ",".join(sorted(check_name("namespace", each) for each in namespaces))
    quoted = sql.Identifier(role).as_string(None)
    return f"; set local role {quoted}; set local {SETTING} = '{names}'".encode()


def protect(tx: PostgresTx, role: str | None = None) -> str:
    """Ensure that the role exists and has policies and permissions; return its name.

    Changes only what differs. RoomsRefused names the statements that an administrator has to run
    first.
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
    """Remove the policies. The role stays: running servers use it until they end."""
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
    """Return all Rota tables but partitions, with facts about each and about its policy."""
    return [row for row in tx.all("policy_tables", policy=POLICY) if not row["is_partition"]]


def condition_of(table: str, *, has_namespace: bool, bound: PolicyScope = ROOM) -> str | None:
    """Return the condition for the rows in a room; None when no room has access to the table."""
    if table in CLOSED:
        return None
    if table in OPEN:
        return "true"
    if table in _BY_RUN:
        return f"{bound.unless} or {bound.is_own_run}({_BY_RUN[table]})"
    if table in _BY_OWNER:
        return f"{bound.unless} or ({_BY_OWNER[table]})"
    if not has_namespace and table != "namespace":
        return None
    column = "name" if table == "namespace" else "namespace"
    # Written this way to keep plans: a comparison could choose an index, and would be expected
    # to let one row of two hundred through; this is expected to let all through.
    ours = f"{column} = any ((select {bound.ours})::text[])"
    return f"nullif({ours}, false) is not null or {bound.unless}"


def _statements(table: Mapping[str, Any], role: str) -> Iterator[str]:
    name = f"rota.{table['name']}"
    # A member has the role's policies before taking it on, where memberships always pass on.
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
        raise BadOption(f"the role {role} bypasses row-level security; use one that does not")
    if facts["login"] == role:
        raise BadOption(f"{role} is our own login; servers need a role with fewer permissions")
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
    """Return whether we may run a statement; it is fine if another process ran the same one."""
    tx.script("savepoint attempt")
    try:
        tx.script(statement)
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.InvalidGrantOperation):
        tx.script("rollback to savepoint attempt")
        return False
    except (psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):
        tx.script("rollback to savepoint attempt")
    return True
