"""Every operation x every role x own and other namespace: who may do what, and no entry missing.

An operation that is added needs a row in EXAMPLES; everything else is generated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx2
import pytest

from rota.api.identity.authorization import PUBLIC, Endpoint, Needs, operations
from rota.api.server.asgi import make_litestar
from rota.api.server.options import ServerOptions
from rota.api.server.state import ServerState
from rota.app import App
from rota.engine.identity.audit_log import acts
from rota.ids import new_id
from rota.model.identity.credentials import LADDER, WORKER, Role
from rota.store.base import Store
from tests.api.examples import EXAMPLES
from tests.api.serving import HOME, OTHER, Served
from tests.api.things import Things, call


def all_operations(folder: Path) -> list[Endpoint]:
    """As the application really serves them."""
    app = App(f"sqlite:///{folder}/never.db")
    return list(operations(make_litestar(ServerState(app, ServerOptions()))))


def plain(path: str) -> str:
    """`{run_id:str}` is `{run_id}`, and so with `:int` and `:path`."""
    return re.sub(r":(str|int|path)}", "}", path)


def test_each_operation_has_an_example_and_each_example_an_operation(tmp_path: Path) -> None:
    served = {(each.method, plain(each.path)) for each in all_operations(tmp_path)}
    open_to_all = {(method, plain(path)) for method, path in PUBLIC}

    assert served - open_to_all == set(EXAMPLES)
    assert served >= open_to_all


@pytest.fixture
def needed(tmp_path: Path) -> Mapping[tuple[str, str], Needs]:
    return {(each.method, plain(each.path)): each.needs for each in all_operations(tmp_path)}


def may(role: Role, needs: Needs) -> bool:
    """The ladder counts upwards; a worker is not on it, and nobody on it is a worker."""
    if needs.everybody:
        return True
    if WORKER in (role, needs.role):
        return role == needs.role
    least = "admin" if needs.role == "audit" else needs.role
    return LADDER.index(role) >= LADDER.index(least or "viewer")


def test_each_role_may_do_what_the_table_says(
    served: Served, needed: Mapping[tuple[str, str], Needs]
) -> None:
    """All in one server: a row of the matrix costs a few milliseconds, a server 300."""
    clients = {}
    for role in (*LADDER, WORKER):
        queues = ("default",) if role == WORKER else None
        clients[role] = served.client(role, queues=queues), served.issued
    store = served.app.store
    wrong = []
    untouched = Things(store, HOME)
    for at, example in EXAMPLES.items():
        for role, (client, token_id) in clients.items():
            is_good = may(role, needed[at])
            wanted = example.good if is_good else 403
            owner = token_id if example.held else ""
            things = Things(store, HOME, dead=example.dead, owner=owner) if is_good else untouched
            answer = call(client, at, things)
            if answer.status_code != wanted:
                wrong.append((at, role, wanted, answer.status_code, answer.text[:200]))
    assert wrong == []


def test_a_thing_of_another_namespace_is_not_found(served: Served) -> None:
    client = served.client("admin", "exec")
    store = served.app.store
    for at, example in EXAMPLES.items():
        if example.foreign is None:
            continue
        theirs, nobodys = (Things(store, OTHER, dead=example.dead) for _ in range(2))
        nobodys.run_id, nobodys.job_id = new_id(), theirs.job_id[:-1] + "x"
        nobodys.worker_id = nobodys.token_id = new_id()
        nobodys.name, nobodys.backfill_id = nobodys.job_id, new_id()
        nobodys.alert_id = new_id()
        before = len(store.read(lambda tx: acts(tx, namespace=OTHER)))

        foreign, unknown = call(client, at, theirs), call(client, at, nobodys)

        assert foreign.status_code == unknown.status_code == example.foreign, at
        assert foreign.json()["code"] == unknown.json()["code"]
        assert _told(foreign, theirs) == _told(unknown, nobodys)
        after = len(store.read(lambda tx: acts(tx, namespace=OTHER)))
        assert after == before, "nothing of theirs was touched"


def _told(answer: httpx2.Response, things: Things) -> dict[str, Any]:
    """What it says, but for the names that were asked for."""
    text = answer.text
    ids = (things.run_id, things.job_id, things.worker_id, things.token_id, things.backfill_id)
    for name in (*ids, things.alert_id, things.name):
        text = text.replace(name, "it")
    told: dict[str, Any] = json.loads(text)
    return told | {"requestId": None}


def test_nobody_gets_in_without_a_credential(served: Served) -> None:
    store = served.app.store
    expired = served.anyone(Authorization=f"Bearer {served.token('admin', expires='1ms')}")
    bad = served.anyone(Authorization="Bearer rota_guess")
    for at in EXAMPLES:
        things = Things(store, HOME)
        served.site.identities.patience.clear()  # bad credentials are counted, not the subject here
        answers = [call(each, at, things) for each in (served.anyone(), bad, expired)]
        assert [each.status_code for each in answers] == [401] * 3, at
        assert {each.json()["code"] for each in answers} == {"not-signed-in"}
        assert all("WWW-Authenticate" in each.headers for each in answers)


def test_each_change_is_in_the_audit_once(served: Served) -> None:
    client = served.client("admin", "exec")
    store = served.app.store
    for at, example in EXAMPLES.items():
        things = Things(store, HOME, dead=example.dead)
        known = {each.id for each in store.read(lambda tx: acts(tx, namespace=HOME, limit=500))}
        answer = call(client, at, things)
        told = [
            each
            for each in store.read(lambda tx: acts(tx, namespace=HOME, limit=500))
            if each.id not in known
        ]
        assert len(told) == example.changes, (at, told)
        for act in told:
            assert act.request_id == answer.headers["X-Request-Id"]
            assert (act.who, act.address) == ("token:test", "127.0.0.1")
            assert act.after_digest


def test_each_post_is_done_once_under_its_key(served: Served) -> None:
    """Sent again with the same Idempotency-Key, whatever it is about."""
    store = served.app.store
    secret = served.token("admin", "exec")
    posts = [at for at, example in EXAMPLES.items() if at[0] == "POST" and example.changes]
    for at in posts:
        things = Things(store, HOME, dead=EXAMPLES[at].dead)
        keyed = served.anyone(
            Authorization=f"Bearer {secret}", **{"Idempotency-Key": f"{at} {things.run_id}"}
        )
        first = call(keyed, at, things)
        before = ids_of_acts(store)
        again = call(keyed, at, things)

        assert again.status_code == first.status_code == EXAMPLES[at].good, at
        assert again.headers.get("Idempotency-Replayed") == "true", at
        assert _secretless(again) == _secretless(first), at
        assert ids_of_acts(store) == before, at
    assert len(posts) > 25


def ids_of_acts(store: Store) -> list[str]:
    """Not the acts: they may get their place in the chain meanwhile."""
    return [each.id for each in store.read(lambda tx: acts(tx, namespace=HOME, limit=500))]


def _secretless(answer: httpx2.Response) -> dict[str, Any]:
    """A token or a ticket is in the first answer only."""
    told: dict[str, Any] = answer.json()
    return told | {name: None for name in ("token", "ticket") if name in told}
