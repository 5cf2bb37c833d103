"""Tokens and sessions at a server: revoked soon, bound to their cookie, counted when bad."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import httpx2
import pytest

from rota.api.identity.identities import BELIEVED_S
from rota.api.identity.login_throttle import LoginThrottle
from rota.api.server.rate_limit import MOST
from rota.engine.identity.sessions import give_ticket
from rota.engine.identity.tokens import find_token, revoke
from rota.errors import TooMany
from rota.operations.identity.new_tokens import draw_secret
from rota.rules.security.secrets import digest_of
from tests.api.serving import HOME, OTHER, Served, serving, wait_until
from tests.contract.builders import run_sql

VERSION = "/api/v1/version"
RUN = {"jobId": "add"}


def sign_in(served: Served, **form: str) -> httpx2.Client:
    client = served.anyone()
    answer = client.post("/login", data=form)
    assert answer.status_code == 303, answer.text
    return client


def test_a_revoked_token_is_refused_by_all_servers_within_five_seconds(
    served: Served, api_url: str
) -> None:
    token = served.token()
    with serving(api_url) as second:
        clients = [each.anyone(Authorization=f"Bearer {token}") for each in (served, second)]
        assert [client.get(VERSION).status_code for client in clients] == [200, 200]

        served.app.store.write(lambda tx: revoke(tx, served.issued, namespace=HOME, who="ann"))
        wait_until(lambda: all(client.get(VERSION).status_code == 401 for client in clients))

    assert BELIEVED_S < 5


def test_a_session_reads_with_its_cookie_and_changes_with_its_csrf_token(served: Served) -> None:
    client = sign_in(served, token=served.token("operator"))
    session = client.get("/api/v1/session").json()

    without = client.post("/api/v1/runs", json=RUN)
    wrong = client.post("/api/v1/runs", json=RUN, headers={"X-CSRF-Token": "x" * 43})
    good = client.post("/api/v1/runs", json=RUN, headers={"X-CSRF-Token": session["csrfToken"]})

    assert session["roles"] == ["operator"]
    verbs = ["create-blackout", "create-view", "create-alert-rule"]
    assert session["verbs"] == verbs, "what takes more than an operator is not there"
    assert [each.status_code for each in (without, wrong, good)] == [403, 403, 201]


def test_a_page_of_a_session_before_is_not_answered_in_the_one_of_another(served: Served) -> None:
    """Two tabs share a cookie: who signs in in one must not see the other filled for them."""
    client = sign_in(served, token=served.token("viewer"))
    before = client.get("/api/v1/session").json()["csrfToken"]
    assert client.get(VERSION, headers={"X-CSRF-Token": before}).status_code == 200

    client.post("/login", data={"token": served.token("operator")})
    now = client.get("/api/v1/session").json()["csrfToken"]

    old = client.get(VERSION, headers={"X-CSRF-Token": before})
    assert (old.status_code, old.json()["code"]) == (401, "not-signed-in")
    assert client.get(VERSION, headers={"X-CSRF-Token": now}).status_code == 200


def test_signing_in_counts_as_use_of_the_token(served: Served) -> None:
    secret = served.token("viewer")
    token_id = served.issued
    served.anyone().post("/login", data={"token": secret})

    found = served.client("admin").get("/api/v1/tokens").json()["items"]

    assert [each["usedAt"] is not None for each in found if each["id"] == token_id] == [True]


def test_a_refused_token_is_told_in_plain_words(served: Served) -> None:
    page = served.anyone().post("/login", data={"token": "rota_wrong"}).text

    assert "This token is invalid, revoked or expired" in page
    assert "`" not in page


def test_the_cookie_is_for_the_browser_alone(served: Served) -> None:
    answer = served.anyone().post("/login", data={"token": served.token()})

    cookie = answer.headers["Set-Cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "path=/" in cookie
    assert answer.headers["Location"] == "/"


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_servers_of_one_machine_do_not_sign_each_other_out(shared: Served, name: str) -> None:
    """Browsers keep the cookies of all ports of a host together."""
    names = [
        shared.anyone(Host=host)
        .post("/login", data={"token": shared.token()})
        .headers["Set-Cookie"]
        .partition("=")[0]
        for host in (f"{name}:8470", f"{name}:8471", name)
    ]

    assert names == ["rota-8470", "rota-8471", "rota"]


def test_behind_tls_the_cookie_stays_on_https(api_url: str) -> None:
    with serving(api_url, behind_proxy=True) as served:
        answer = served.anyone().post("/login", data={"token": served.token()})
        cookie = answer.headers["Set-Cookie"]

    assert cookie.startswith("__Host-rota=")
    assert "Secure" in cookie
    assert "max-age" in answer.headers["Strict-Transport-Security"]


def test_signing_out_ends_the_session_everywhere(served: Served) -> None:
    client = sign_in(served, token=served.token("viewer"))
    csrf = client.get("/api/v1/session").json()["csrfToken"]

    gone = client.delete("/api/v1/session", headers={"X-CSRF-Token": csrf})

    assert gone.status_code == 204
    assert client.get(VERSION).status_code == 401


def test_a_link_signs_in_once_and_looking_at_it_does_not_use_it_up(served: Served) -> None:
    served.token("viewer")
    ticket, token_id = draw_secret(), served.issued
    served.app.store.write(
        lambda tx: give_ticket(
            tx, digest_of(ticket), purpose="login", token_id=token_id, ttl_ms=60_000
        )
    )
    for _ in range(3):
        page = served.anyone().get(f"/login?ticket={ticket}").text
        assert re.search(rf'name="ticket" value="{ticket}"', page)

    client = sign_in(served, ticket=ticket)
    second = served.anyone().post("/login", data={"ticket": ticket})

    assert client.get(VERSION).status_code == 200
    assert second.status_code == 401


def test_text_in_the_link_stays_text(served: Served) -> None:
    page = served.anyone().get("/login", params={"ticket": '"><script>alert(1)</script>'}).text

    assert "<script" not in page


FEW = 2
"""Bad credentials a minute: the next is allowed after half of one, however busy the machine is."""


def test_bad_credentials_are_slowed_down_and_good_ones_are_not(api_url: str) -> None:
    """All from one address: a proxy, an office, a node."""
    with serving(api_url, failures=FEW) as served:
        old = served.client("viewer")
        signed_in = sign_in(served, token=served.token("viewer"))
        assert old.get(VERSION).status_code == 200
        bad = served.anyone(Authorization="Bearer rota_guess")

        answers = [bad.get(VERSION) for _ in range(4)]
        login = served.anyone().post("/login", data={"token": "guess"})
        guesses = [
            served.anyone(Authorization=f"Bearer rota_{number:05}").get(VERSION).status_code
            for number in range(5)
        ]

        assert [each.status_code for each in answers] == [401] * 2 + [429] * 2
        assert int(answers[-1].headers["Retry-After"]) >= 1
        assert login.status_code == 429
        assert set(guesses) == {429}
        served.site.identities.forget()
        assert old.get(VERSION).status_code == 200
        assert signed_in.get(VERSION).status_code == 200
        assert served.client("viewer").get(VERSION).status_code == 200, "never seen before"
        assert sign_in(served, token=served.token("viewer")).get(VERSION).status_code == 200


def test_who_sends_too_many_bad_credentials_is_reported_once(api_url: str) -> None:
    with serving(api_url, failures=FEW) as served:

        def reported() -> list[tuple[str, str]]:
            rows = run_sql(api_url, "select namespace, kind from rota.alert")
            return [(namespace, kind) for namespace, kind in rows]

        for number in range(9):
            served.anyone(Authorization=f"Bearer rota_{number:05}").get(VERSION)
        wait_until(lambda: bool(reported()))

        served.anyone().post("/login", data={"token": "guess"})
        served.client("viewer").get(VERSION)
        assert reported() == [("default", "security.sign_in")]


def test_guesses_at_one_credential_slow_down_that_credential_alone(
    sqlite_url: str,
) -> None:
    """The beginning of a token is in lists; with it, and much time, one could look for the rest."""

    def version(secret: str, address: str) -> int:
        headers = {"Authorization": f"Bearer {secret}", "X-Forwarded-For": address}
        return served.anyone(**headers).get(VERSION).status_code

    with serving(sqlite_url, behind_proxy=True, failures=FEW) as served:
        used, fresh = served.token("viewer"), served.token("viewer")
        assert version(used, "203.0.113.1") == 200
        for secret in (used, fresh):
            guesses = [version(secret[:10] + str(n), "203.0.113.1") for n in range(3)]
            assert guesses[-1] == 429
        served.site.identities.forget()

        assert version(fresh, "203.0.113.1") == 429, "not even looked up"
        assert version(used, "203.0.113.1") == 200, "not taken for a guess at itself"
        assert version(fresh, "203.0.113.2") == 200


def test_failures_of_many_take_constant_memory() -> None:
    patience = LoginThrottle(10, clock=lambda: 0.0)
    for number in range(3 * MOST):
        with suppress(TooMany):
            patience.fail(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}", f"{number:010}")

    assert len(patience._buckets._held) <= MOST + 1


def test_a_flood_of_bad_credentials_leaves_room_for_others(served: Served) -> None:
    """They wait for each other, not for the threads that the work of others needs."""
    client = served.client("operator")
    with ThreadPoolExecutor(16) as crowd:
        flood = crowd.map(
            lambda number: (
                served.anyone(Authorization=f"Bearer rota_{number:09}").get(VERSION).status_code
            ),
            range(300),
        )
        done = [client.post("/api/v1/runs", json=RUN).status_code for _ in range(30)]
        fresh = [served.client("viewer").get(VERSION).status_code for _ in range(10)]

    assert set(done) == {201}
    assert set(fresh) == {200}
    assert set(flood) <= {401, 429}


def test_a_crowd_with_one_good_credential_is_not_taken_for_an_attack(served: Served) -> None:
    token = served.token("viewer")

    def look(_: int) -> int:
        return served.anyone(Authorization=f"Bearer {token}").get(VERSION).status_code

    with ThreadPoolExecutor(20) as crowd:
        assert set(crowd.map(look, range(40))) == {200}


def test_one_credential_cannot_take_all_there_is(api_url: str) -> None:
    with serving(api_url, rate=5.0) as served:
        greedy, other = served.client("viewer"), served.client("viewer")
        answers = [greedy.get(VERSION).status_code for _ in range(30)]
        assert other.get(VERSION).status_code == 200

    assert answers[:10] == [200] * 10
    assert 429 in answers


@pytest.mark.parametrize("header", ["Basic YTpi", "Bearer", "rota_x", "bearer x y"])
def test_other_words_in_the_header_are_no_credential(shared: Served, header: str) -> None:
    shared.site.identities.patience.clear()
    assert shared.anyone(Authorization=header).get(VERSION).status_code == 401


def test_the_namespace_comes_from_the_credential_alone(served: Served) -> None:
    client = served.client("operator", namespace=OTHER)

    headers = {"X-Namespace": HOME, "Namespace": HOME}
    assert client.get("/api/v1/session", headers=headers).json()["namespace"] == OTHER
    asked = client.get("/api/v1/session", params={"namespace": HOME})
    assert "no parameter 'namespace'" in asked.json()["detail"]
    named = client.post("/api/v1/runs", json=RUN | {"namespace": HOME})
    assert "unknown field `namespace`" in named.json()["detail"]


def test_when_a_token_was_used_is_noted_now_and_then(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = served.client("viewer")
    client.get(VERSION)
    assert served.site.identities._used == {served.issued}
    monkeypatch.setattr("rota.api.identity.identities.USES_S", 0.01)

    with serving(served.app.url) as second:
        second.anyone(Authorization=client.headers["Authorization"]).get(VERSION)
        wait_until(
            lambda: (
                served.app.store.read(
                    lambda tx: find_token(tx, served.issued, namespace=HOME)
                ).used_at
            )
        )


def test_a_good_credential_may_be_used_by_many_at_once(served: Served) -> None:
    token = served.token("viewer")

    def ask(_: int) -> int:
        return served.anyone(Authorization=f"Bearer {token}").get(VERSION).status_code

    with ThreadPoolExecutor(30) as crowd:
        answers = list(crowd.map(ask, range(30)))

    assert set(answers) == {200}


def test_a_session_tells_what_it_may_make(served: Served) -> None:
    def makes(*roles: str, namespace: str = HOME) -> set[str]:
        return set(
            served.client(*roles, namespace=namespace).get("/api/v1/session").json()["verbs"]
        )

    assert makes("viewer") == set()
    assert makes("operator") == {"create-blackout", "create-view", "create-alert-rule"}
    assert {"create-job", "create-template", "create-calendar"} <= makes("author")
    assert "create-command" not in makes("author")
    assert "create-command" in makes("author", "exec")
    assert {"create-token", "create-namespace", "create-alert-channel"} <= makes("admin")
    assert "create-namespace" not in makes("admin", namespace=OTHER)
