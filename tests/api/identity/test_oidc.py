"""Signing in through a real identity provider on loopback, and all that must not let anybody in."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from joserfc.jwk import OctKey, RSAKey

from rota.api.identity.oidc import SignInAttempt
from rota.api.identity.oidc_options import oidc_options, read_roles
from rota.engine.identity.audit_log import acts
from rota.errors import BadOption
from tests.api.serving import HOME, OTHER, Served, serving
from tests.support.identity_provider import CLIENT, SECRET, IdentityProvider

LOGIN = "/login/oidc"
BACK = "/login/oidc/callback"
SESSION = "/api/v1/session"
ROLES = {"staff": ["operator"], "chiefs": ["admin", "exec"]}


@pytest.fixture
def idp() -> Iterator[IdentityProvider]:
    with IdentityProvider() as provider:
        yield provider


def options_for(idp: IdentityProvider, **more: Any) -> Any:
    said = {"issuer": idp.issuer, "client_id": CLIENT, "client_secret": SECRET, "roles": ROLES}
    return oidc_options(said | more)


@pytest.fixture
def oidc(idp: IdentityProvider, api_url: str) -> Iterator[Served]:
    with serving(api_url, oidc=options_for(idp)) as server:
        yield server


@pytest.fixture
def light(idp: IdentityProvider, tmp_path: Path) -> Iterator[Served]:
    """For what does not depend on the database."""
    with serving(f"sqlite:///{tmp_path}/rota.db", oidc=options_for(idp)) as server:
        yield server


def answer_of_provider(browser: httpx2.Client) -> str:
    """Go there; where it sends the browser back to."""
    left = browser.get(LOGIN)
    assert left.status_code == 303, left.text
    signed = httpx2.get(left.headers["location"])
    assert signed.status_code == 302
    return str(signed.headers["location"])


def sign_in(served: Served) -> tuple[httpx2.Client, httpx2.Response]:
    browser = served.anyone()
    return browser, browser.get(answer_of_provider(browser))


def test_a_person_signs_in_with_the_roles_of_the_claim(oidc: Served) -> None:
    browser, back = sign_in(oidc)

    assert (back.status_code, back.headers["location"]) == (303, "/")
    cookies = back.headers.get_list("set-cookie")
    assert all("HttpOnly" in each and "SameSite=lax" in each for each in cookies)
    session = browser.get(SESSION).json()
    assert session["who"] == "mia (oidc user-17)"
    assert (session["roles"], session["namespace"]) == (["operator"], HOME)
    csrf = {"X-CSRF-Token": session["csrfToken"]}
    made = browser.post("/api/v1/runs", json={"jobId": "add"}, headers=csrf)
    assert made.status_code == 201
    assert browser.get("/api/v1/tokens").status_code == 403
    (act,) = [
        each
        for each in oidc.app.store.read(lambda tx: acts(tx, namespace=HOME))
        if each.verb == "sign in"
    ]
    assert act.who == "mia (oidc user-17)"
    assert "/login/oidc" in oidc.anyone().get("/login").text


FORGED = {
    "X-Forwarded-Host": "evil.example.org",
    "X-Forwarded-Proto": "http",
    "X-Forwarded-Port": "666",
    "X-Forwarded-Server": "evil.example.org",
    "X-Original-Host": "evil.example.org",
    "Forwarded": "for=198.51.100.7;host=evil.example.org;proto=http",
}


@pytest.fixture
def proxied(idp: IdentityProvider, tmp_path: Path) -> Iterator[Served]:
    """Behind a proxy that brings TLS and passes on the host that browsers asked for."""
    told: dict[str, Any] = {"behind_proxy": True, "names": ("rota.example.org",)}
    url = f"sqlite:///{tmp_path}/rota.db"
    with serving(url, oidc=options_for(idp), **told) as server:
        yield server


@pytest.mark.parametrize("forged", [{}, FORGED], ids=["plain", "forged"])
def test_behind_a_proxy_people_come_back_by_https_to_the_name_they_know(
    proxied: Served, forged: dict[str, str]
) -> None:
    browser = proxied.anyone(Host="rota.example.org", **forged)
    left = browser.get(LOGIN)
    asked = parse_qs(urlsplit(left.headers["location"]).query)
    (cookie,) = left.headers.get_list("set-cookie")
    answer = urlsplit(httpx2.get(left.headers["location"]).headers["location"])
    flow = {"Cookie": cookie.partition(";")[0]}  # between us and the proxy there is no TLS

    back = browser.get(f"{answer.path}?{answer.query}", headers=flow)

    assert asked["redirect_uri"] == [f"https://rota.example.org{BACK}"]
    assert (answer.scheme, answer.netloc) == ("https", "rota.example.org")
    assert cookie.startswith("__Host-rota")
    assert "Secure" in cookie
    assert (back.status_code, back.headers["location"]) == (303, "/")


@pytest.mark.parametrize("name", ["evil.example.org", "rota.example.org.evil.example.org"])
def test_behind_a_proxy_nobody_is_sent_to_the_provider_for_a_foreign_host(
    proxied: Served, idp: IdentityProvider, name: str
) -> None:
    left = proxied.anyone(Host=name, **{"X-Forwarded-Host": "rota.example.org"}).get(LOGIN)

    assert (left.status_code, "location" in left.headers) == (421, False)
    assert idp.looked_up == 0


def test_without_a_proxy_forwarded_names_and_schemes_change_nothing(light: Served) -> None:
    left = light.anyone(**FORGED).get(LOGIN)

    asked = parse_qs(urlsplit(left.headers["location"]).query)
    assert asked["redirect_uri"] == [f"{light.address}{BACK}"]


def test_roles_of_several_groups_add_up(light: Served, idp: IdentityProvider) -> None:
    idp.claims |= {"roles": ["chiefs", "staff", "cooks"]}

    browser, _ = sign_in(light)

    assert browser.get(SESSION).json()["roles"] == ["operator", "admin", "exec"]


def test_groups_may_stand_deeper_and_in_another_namespace(
    idp: IdentityProvider, tmp_path: Path
) -> None:
    idp.claims |= {"realm": {"groups": "staff"}, "email": "mia@example.org", "email_verified": True}
    options = options_for(idp, claim="realm.groups", namespace=OTHER)
    with serving(f"sqlite:///{tmp_path}/rota.db", oidc=options) as served:
        browser, _ = sign_in(served)
        session = browser.get(SESSION).json()

    assert (session["namespace"], session["who"]) == (OTHER, "mia@example.org (oidc user-17)")


@pytest.mark.parametrize("groups", [["cooks"], [], None, {"staff": True}, 17])
def test_without_a_role_nobody_gets_in(light: Served, idp: IdentityProvider, groups: Any) -> None:
    idp.claims |= {"roles": groups}

    browser, back = sign_in(light)

    assert back.status_code == 403
    assert browser.get(SESSION).status_code == 401


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "of another flow"},
        {"nonce": None},
        {"aud": "another-client"},
        {"aud": None},
        {"iss": "https://elsewhere.example.org"},
        {"exp": int(time.time()) - 3600},
        {"exp": None},
        {"iat": int(time.time()) + 36_000},
        {"sub": None},
        {"azp": "another-client"},
    ],
)
def test_a_token_that_does_not_fit_is_refused(
    light: Served, idp: IdentityProvider, claims: dict[str, Any]
) -> None:
    idp.claims |= claims

    browser, back = sign_in(light)

    assert back.status_code == 401, back.text
    assert browser.get(SESSION).status_code == 401


@pytest.mark.parametrize(
    "key", [RSAKey.generate_key(2048), OctKey.import_key(SECRET * 2)], ids=["stranger", "secret"]
)
def test_a_token_of_another_key_is_refused(light: Served, idp: IdentityProvider, key: Any) -> None:
    idp.signs_with = key

    assert sign_in(light)[1].status_code == 401


def test_new_keys_of_the_provider_are_found(
    light: Served, idp: IdentityProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rota.api.identity.oidc.AGAIN_S", 0.0)
    assert sign_in(light)[1].status_code == 303
    assert sign_in(light)[1].status_code == 303
    assert idp.looked_up == 1, "addresses and keys are remembered"
    idp.change_keys()

    assert sign_in(light)[1].status_code == 303
    assert idp.looked_up == 2


def test_an_answer_is_good_for_the_browser_that_asked_and_once(light: Served) -> None:
    mine, other = light.anyone(), light.anyone()
    answer = answer_of_provider(mine)

    assert other.get(answer).status_code == 401, "no flow"
    answer_of_provider(other)
    assert other.get(answer).status_code == 401, "another flow"
    assert mine.get(answer).status_code == 303
    assert mine.get(answer).status_code == 401, "the code is used up, the flow is over"


@pytest.mark.parametrize(
    "change",
    ["state=wrong", "state=ä", "code=wrong", "code=", "iss=https://x.example.org", "error=denied"],
)
def test_an_answer_that_was_changed_is_refused(light: Served, change: str) -> None:
    browser = light.anyone()
    query = parse_qs(urlsplit(answer_of_provider(browser)).query)
    name, _, value = change.partition("=")
    query[name] = [value]

    back = browser.get(BACK, params={key: values[0] for key, values in query.items()})

    assert back.status_code == 401
    assert browser.get(SESSION).status_code == 401


def test_a_provider_that_is_away_is_told(tmp_path: Path) -> None:
    with IdentityProvider() as gone:
        options = options_for(gone)
    with serving(f"sqlite:///{tmp_path}/rota.db", oidc=options) as served:
        left = served.anyone().get(LOGIN)

    assert left.status_code == 503
    assert "has no answer" in left.text


def test_without_a_provider_there_is_no_such_page(shared: Served) -> None:
    assert shared.anyone().get(LOGIN).status_code == 404
    assert shared.anyone().get(BACK).status_code == 404
    assert LOGIN not in shared.anyone().get("/login").text


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ({"issuer": "https://id.example.org"}, "client_id"),
        ({"issuer": "https://i", "client_id": "rota"}, "roles"),
        ({"issuer": "http://id.example.org", "client_id": "r", "roles": "a=viewer"}, "https"),
        ({"issuer": "https://i", "client_id": "r", "roles": "a=boss"}, "boss"),
        ({"issuer": "https://i", "client_id": "r", "roles": {"a": []}}, "no list"),
        ({"issuer": "https://i", "client_id": "r", "roles": 7}, "no table"),
        ({"issuer": "https://i", "client_id": "r", "roles": "a=viewer", "namespace": "!"}, "name"),
    ],
)
def test_half_or_bad_settings_are_refused(said: dict[str, Any], says: str) -> None:
    with pytest.raises(BadOption, match=says):
        oidc_options(said)


def test_roles_are_read_from_a_table_or_a_line() -> None:
    wanted = {"chiefs": ("admin", "exec"), "staff": ("viewer",)}

    assert read_roles("chiefs=admin+exec, staff=viewer") == wanted
    assert read_roles({"chiefs": ["exec", "admin"], "staff": "viewer"}) == wanted
    assert oidc_options({"issuer": None}) is None


def test_junk_of_an_address_shuts_out_nobody_who_was_sent_to_the_provider(
    idp: IdentityProvider, tmp_path: Path
) -> None:
    with serving(f"sqlite:///{tmp_path}/rota.db", oidc=options_for(idp), failures=2) as served:
        junk = {"code": "x", "state": "junk"}
        answers = [served.anyone().get(BACK, params=junk).status_code for _ in range(4)]
        made_up = served.anyone(Cookie=f"rota-oidc=x; rota-{served.site.options.port}-oidc=x")
        others = [
            made_up.get(BACK, params={"code": "x", "state": SignInAttempt("x").state})
            for _ in range(4)
        ]

        assert answers == [401, 401, 429, 429]
        assert others[-1].status_code == 429
        assert sign_in(served)[1].status_code == 303


def test_bad_codes_of_one_flow_are_not_asked_about_for_ever(
    idp: IdentityProvider, tmp_path: Path
) -> None:
    with serving(f"sqlite:///{tmp_path}/rota.db", oidc=options_for(idp), failures=2) as served:
        browser = served.anyone()
        state = parse_qs(urlsplit(answer_of_provider(browser)).query)["state"][0]
        for number in range(6):
            browser.get(BACK, params={"code": f"x{number}", "state": state})

        assert idp.asked == 2
        assert sign_in(served)[1].status_code == 303
