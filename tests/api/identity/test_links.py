"""Links that sign a browser in: once, soon, and never with more rights than their maker has."""

from __future__ import annotations

from typing import Any

import pytest

from rota.engine.identity.tokens import revoke, tokens
from tests.api.identity.test_credentials import sign_in
from tests.api.serving import HOME, OTHER, Served, wait_until

LINK = "/api/v1/session/link"


def session_of(served: Served, ticket: str) -> dict[str, Any]:
    session: dict[str, Any] = sign_in(served, ticket=ticket).get("/api/v1/session").json()
    return session


@pytest.mark.parametrize("roles", [("viewer",), ("operator",), ("author", "exec"), ("admin",)])
def test_a_link_has_the_rights_of_the_token_that_asked(
    served: Served, roles: tuple[str, ...]
) -> None:
    made = served.client(*roles, queues=["mail"]).post(LINK)

    session = session_of(served, made.json()["ticket"])

    assert made.status_code == 201
    assert sorted(session["roles"]) == sorted(made.json()["roles"]) == sorted(roles)
    assert session["queues"] == ["mail"]
    assert session["namespace"] == HOME


def test_a_link_is_good_once(served: Served) -> None:
    ticket = served.client("viewer").post(LINK).json()["ticket"]

    session_of(served, ticket)

    assert served.anyone().post("/login", data={"ticket": ticket}).status_code == 401


def test_a_link_ends_with_its_token_before_and_after_it_was_used(served: Served) -> None:
    client = served.client("operator")
    used, unused = (client.post(LINK).json()["ticket"] for _ in range(2))
    browser = sign_in(served, ticket=used)

    served.app.store.write(lambda tx: revoke(tx, served.issued, namespace=HOME, who="ann"))

    assert served.anyone().post("/login", data={"ticket": unused}).status_code == 401
    wait_until(lambda: browser.get("/api/v1/session").status_code == 401)


def test_a_session_makes_no_link(served: Served) -> None:
    browser = sign_in(served, token=served.token("admin"))
    csrf = browser.get("/api/v1/session").json()["csrfToken"]

    refused = browser.post(LINK, headers={"X-CSRF-Token": csrf})

    assert refused.status_code == 403
    assert "made with a token" in refused.json()["detail"]


def test_a_worker_and_nobody_get_no_link(served: Served) -> None:
    assert served.client("worker", queues=["mail"]).post(LINK).status_code == 403
    assert served.anyone().post(LINK).status_code == 401


def test_links_of_the_store_share_one_token_that_can_be_revoked(served: Served) -> None:
    links = [served.app.tokens.link("http://127.0.0.1:1/") for _ in range(3)]
    tickets = [link.removeprefix("http://127.0.0.1:1/login?ticket=") for link in links]

    session = session_of(served, tickets[0])
    (token,) = (
        each
        for each in served.app.store.read(lambda tx: tokens(tx, namespace=HOME))
        if each.name.startswith("links of ")
    )
    served.app.store.write(lambda tx: revoke(tx, token.id, namespace=HOME, who="ann"))

    assert (session["roles"], session["queues"]) == (["admin", "exec"], None)
    assert served.anyone().post("/login", data={"ticket": tickets[1]}).status_code == 401
    assert served.app.tokens.link("http://x").startswith("http://x/login?ticket=")
    assert not served.app.store.read(lambda tx: tokens(tx, namespace=OTHER))


def test_the_audit_tells_of_each_link_and_holds_no_ticket(served: Served) -> None:
    made = served.client("operator").post(LINK).json()

    (entry,) = served.app.audit.list(verb="make sign-in link")

    assert entry.subject == served.issued
    assert made["ticket"] not in str(entry)
