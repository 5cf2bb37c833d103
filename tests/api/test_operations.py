"""Queues, workers, dead letters, breakers, audit, tokens and namespaces over a socket."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest

from rota.app.declare import hand_of
from rota.engine.identity.audit_chain import seal
from rota.engine.jobs.declare import declare
from rota.model.jobs.release import Declaration
from rota.model.jobs.spec import CommandTarget, JobSpec, PythonTarget
from tests.api.serving import OTHER, Served
from tests.contract.builders import claim_one, given_lease, given_worker, look, run_sql
from tests.contract.failures.dead_letter_builders import fail_for_good, given_dead
from tests.contract.runs.effects_table import desk_of

V1 = "/api/v1"


def items(client: httpx2.Client, path: str, **params: Any) -> list[dict[str, Any]]:
    answer = client.get(f"{V1}{path}", params=params)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


def submit(client: httpx2.Client, **fields: Any) -> str:
    answer = client.post(f"{V1}/runs", json={"jobId": "add", **fields})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["executionId"])


def test_a_queue_tells_its_depth_and_is_paused_and_resumed(served: Served) -> None:
    client = served.client("operator")
    for fields in ({}, {}, {"delay": 60}, {"queue": "a/b"}):
        submit(client, **fields)

    paused = client.post(f"{V1}/queues/a%2Fb/pause", json={"note": "mail is down"})
    listed = {each["name"]: each for each in items(client, "/queues")}

    assert paused.json() == {"name": "a/b", "paused": True, "note": "mail is down"}
    assert (listed["default"]["queued"], listed["default"]["scheduled"]) == (2, 1)
    assert listed["default"]["oldestWaitMs"] >= 0
    assert (listed["a/b"]["note"], listed["a/b"]["verbs"]) == ("mail is down", ["resume"])
    client.post(f"{V1}/queues/a%2Fb/resume")
    assert [each["paused"] for each in items(client, "/queues")] == [False, False]
    assert items(served.client("viewer"), "/queues")[0]["verbs"] == []


def test_a_token_for_a_queue_neither_sees_nor_pauses_others(served: Served) -> None:
    submit(served.client("operator"))
    mail = served.client("operator", queues=["mail"])
    given_worker(served.app.store)

    assert items(mail, "/queues") == items(mail, "/workers") == []
    assert mail.post(f"{V1}/queues/default/pause").json()["code"] == "unknown-queue"
    assert mail.post(f"{V1}/queues/mail/pause").status_code == 200


def test_a_queue_that_cannot_be_is_refused(shared: Served) -> None:
    answer = shared.client().post(f"{V1}/queues/%20/pause")

    assert (answer.status_code, answer.json()["code"]) == (400, "bad-option")


def test_a_worker_is_listed_and_asked_to_drain(served: Served) -> None:
    worker_id = given_worker(served.app.store)
    client = served.client("operator")

    (before,) = items(client, "/workers")
    asked = client.post(f"{V1}/workers/{worker_id}/drain")
    (after,) = items(client, "/workers")

    assert (before["id"], before["alive"], before["verbs"]) == (worker_id, True, ["drain"])
    assert (before["slots"], before["busy"], before["load"]) == (8, 0, 0.0)
    assert asked.json() == {"id": worker_id, "draining": True}
    assert (after["draining"], after["verbs"]) == (True, ["resume"])


def test_a_large_group_is_redriven_in_parts_at_one_rate_and_never_twice(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rota.operations.failures.letter_choice.AT_ONCE", 2)
    store, client = served.app.store, served.client("operator")
    for _ in range(4):
        given_dead(store, "no route", job="noop")
    (group,) = (each["group"] for each in items(client, "/dead-letters/groups"))
    body = {"group": group, "rate": "1/m"}

    answers = [client.post(f"{V1}/dead-letters/redrive", json=body).json()]
    fail_for_good(store, claim_one(store, given_worker(store)), "no route")
    while (cursor := answers[-1]["next"]) is not None:
        further = client.post(f"{V1}/dead-letters/redrive", json=body | {"cursor": cursor})
        answers.append(further.json())

    done = [each["rerunId"] for answer in answers for each in answer["items"]]
    due = [look(store, rerun_id).due_at.ms for rerun_id in done]
    assert [round((at - due[0]) / 60_000) for at in due] == [0, 1, 2, 3]
    assert items(client, "/dead-letters/groups")[0]["open"] == 1
    far = f"1.999999999.{done[0]}"
    for wrong in ({"cursor": "x"}, {"cursor": "1.2"}, {"cursor": far, "rate": "1/d"}):
        refused = client.post(f"{V1}/dead-letters/redrive", json=body | wrong)
        assert (refused.status_code, refused.json()["code"]) == (400, "bad-input")


def test_letters_whose_runs_are_gone_do_not_hold_up_the_rest_of_their_group(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rota.operations.failures.letter_choice.AT_ONCE", 2)
    store, client = served.app.store, served.client("operator")
    dead = [given_dead(store, "no route", job="noop") for _ in range(3)]
    (group,) = (each["group"] for each in items(client, "/dead-letters/groups"))
    run_sql(store.url, f"delete from rota.run_history where id in ('{dead[0]}', '{dead[1]}')")
    body = {"group": group}

    first = client.post(f"{V1}/dead-letters/redrive", json=body).json()
    further = body | {"cursor": first["next"]}
    second = client.post(f"{V1}/dead-letters/redrive", json=further).json()

    assert first["items"] == []
    assert [each["executionId"] for each in second["items"]] == dead[2:]
    assert second["next"] is None


def test_dead_letters_are_seen_by_cause_and_redriven_once(served: Served) -> None:
    store = served.app.store
    dead = [given_dead(store, "no route", job="noop") for _ in range(3)]
    other = given_dead(store, "disk is full")
    client = served.client("operator")

    grouped = {each["message"]: each for each in items(client, "/dead-letters/groups")}
    group = grouped["no route"]["group"]
    page = client.get(f"{V1}/dead-letters", params={"group": group, "limit": 2}).json()
    done = client.post(
        f"{V1}/dead-letters/redrive", json={"group": group, "rate": "10/s", "reason": "mended"}
    ).json()
    again = client.post(f"{V1}/dead-letters/{dead[0]}/redrive").json()

    assert (grouped["no route"]["open"], grouped["disk is full"]["open"]) == (3, 1)
    assert [each["executionId"] for each in page["items"]] == dead[:0:-1]
    assert page["next"] == dead[1]
    assert sorted(each["executionId"] for each in done["items"]) == sorted(dead)
    assert done["left"] == 0
    assert again["isNew"] is False
    assert look(store, again["rerunId"]).rerun_of == dead[0]
    letter = client.get(f"{V1}/dead-letters/{dead[0]}").json()
    assert (letter["state"], letter["actedBy"], letter["verbs"]) == ("redriven", "token:test", [])
    gone = client.post(f"{V1}/dead-letters/discard", json={"ids": [other]})
    assert gone.json() == {"discarded": 1, "left": 0}
    late = client.post(f"{V1}/dead-letters/{other}/redrive")
    assert (late.status_code, late.json()["code"]) == (409, "not-allowed")
    (act,) = items(served.client("admin"), "/audit", verb="discard")
    assert (act["subject"], act["detail"]["letters"]) == (f"run {other}", 1)


def test_other_arguments_for_a_letter_are_checked(served: Served) -> None:
    spec = JobSpec(name="noop", target=PythonTarget(ref="shop:noop"), parameters={"a": "int"})
    served.define(spec)
    dead = given_dead(served.app.store)
    client = served.client("operator")

    bad = client.post(f"{V1}/dead-letters/{dead}/redrive", json={"args": {"b": 1}})
    good = client.post(f"{V1}/dead-letters/{dead}/redrive", json={"args": {"a": 2}})

    assert (bad.status_code, bad.json()["code"]) == (422, "bad-arguments")
    assert look(served.app.store, good.json()["rerunId"]).args == '{"a":2}'


@pytest.mark.parametrize("body", [{}, {"ids": []}, {"ids": ["x"], "group": "y"}, {"group": "y"}])
def test_letters_must_be_named(shared: Served, body: dict[str, Any]) -> None:
    for verb in ("redrive", "discard"):
        answer = shared.client().post(f"{V1}/dead-letters/{verb}", json=body)
        assert (answer.status_code, answer.json()["code"]) == (400, "bad-input")


def test_letters_of_other_queues_are_not_there(served: Served) -> None:
    dead = given_dead(served.app.store)
    mail = served.client("operator", queues=["mail"])

    assert items(mail, "/dead-letters") == items(mail, "/dead-letters/groups") == []
    for answer in (
        mail.get(f"{V1}/dead-letters/{dead}"),
        mail.post(f"{V1}/dead-letters/{dead}/redrive"),
        mail.post(f"{V1}/dead-letters/discard", json={"ids": [dead]}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown-run")


def test_an_effect_in_doubt_is_settled_by_who_operates_its_queue(served: Served) -> None:
    store = served.app.store
    lease = given_lease(store)
    desk_of(store).intend(lease, "charge")
    fail_for_good(store, lease, "in doubt")
    path = f"{V1}/runs/{lease.run_id}/effects"
    said = {"done": True, "result": {"receipt": 7}, "reason": "the bank says so"}

    refused = served.client("viewer").post(f"{path}/charge/settle", json=said)
    foreign = served.client("operator", queues=["mail"])
    client = served.client("operator")
    (before,) = items(client, "/effects")
    answer = client.post(f"{path}/charge/settle", json=said)
    (after,) = items(client, f"/runs/{lease.run_id}/effects")

    assert refused.status_code == 403
    assert items(foreign, "/effects") == []
    assert foreign.post(f"{path}/charge/settle", json=said).json()["code"] == "unknown-run"
    assert foreign.get(path).json()["code"] == "unknown-run"
    assert (before["state"], before["verbs"]) == ("in_doubt", ["settle"])
    assert answer.status_code == 200
    assert (after["state"], after["result"], after["verbs"]) == ("done", {"receipt": 7}, [])
    assert items(client, "/effects") == []
    (act,) = [each for each in items(served.client("admin"), "/audit") if "effect" in each["verb"]]
    assert (act["verb"], act["subject"]) == ("settle effect", lease.run_id)
    assert act["detail"] == {"effect": "charge", "outcome": "done", "why": "the bank says so"}
    again = client.post(f"{path}/charge/settle", json={"done": False})
    assert (again.status_code, again.json()["code"]) == (409, "not-allowed")
    assert client.post(f"{path}/mail/settle", json=said).json()["code"] == "unknown-effect"
    wrong = client.post(f"{path}/charge/settle", json={"done": False, "result": 1})
    assert wrong.status_code == 400


def test_a_release_is_gone_back_to_by_an_author(served: Served) -> None:
    def deploy(label: str, command: str) -> None:
        spec = JobSpec(name="say", target=CommandTarget(argv=("echo", command)))
        said = Declaration(app="shop", label=label, jobs={"say": spec})
        served.app.store.write(lambda tx: declare(tx, said, hand_of(served.app)))

    deploy("one", "a")
    deploy("two", "b")
    client = served.client("author", "exec")
    path = f"{V1}/releases/1/use"
    before = {each["number"]: each for each in items(client, "/releases")}
    refused = served.client("author").post(path)
    narrow = served.client("author", "exec", queues=["default"])
    foreign = served.client("author", "exec", namespace=OTHER)
    answer = client.post(path)

    assert (before[1]["label"], before[1]["holds"], before[1]["verbs"]) == ("one", False, ["use"])
    assert (before[2]["label"], before[2]["holds"], before[2]["verbs"]) == ("two", True, [])
    assert served.client("operator").post(path).status_code == 403
    assert (refused.status_code, "needs the role exec" in refused.text) == (403, True)
    assert narrow.post(path).json()["code"] == "unknown-release"
    assert items(narrow, "/releases") == items(foreign, "/releases") == []
    assert foreign.post(path).json()["code"] == "unknown-release"
    assert (answer.status_code, answer.json()["number"], answer.json()["holds"]) == (200, 3, True)
    (act,) = [
        each for each in items(served.client("admin"), "/audit") if each["verb"] == "use release"
    ]
    assert (act["subject"], act["detail"]["was"]) == ("3", 1)
    assert client.get(f"{V1}/jobs/say").json()["command"] == ["echo", "a"]


def test_an_event_is_on_record_once_whoever_sends_it(served: Served) -> None:
    client = served.client("operator")

    first = served.app.send("orders.closed", {"order": 1}, key="order-1", who="ann")
    again = client.post(
        f"{V1}/events", json={"event": "orders.closed", "payload": {"order": 1}, "key": "order-1"}
    )

    assert (first.is_new, again.json()) == (True, {"id": first.id, "isNew": False, "heard": []})
    (entry,) = items(served.client("admin"), "/audit", verb="send event")
    assert (entry["who"], entry["subject"]) == ("ann", "orders.closed")


def test_a_breaker_is_opened_and_closed_by_hand(served: Served) -> None:
    client = served.client("operator")
    submit(client)

    client.post(f"{V1}/breakers/add/open", json={"note": "wait for the fix"})
    (held,) = items(client, "/breakers")
    client.post(f"{V1}/breakers/add/close")

    assert (held["job"], held["state"], held["held"]) == ("add", "open", 1)
    assert (held["note"], held["verbs"]) == ("wait for the fix", ["close"])
    assert items(client, "/breakers") == []
    assert items(served.client("viewer", queues=["mail"]), "/breakers") == []
    theirs = served.client("operator", queues=["mail"]).post(f"{V1}/breakers/add/open")
    assert theirs.json()["code"] == "unknown-job"


def test_a_queue_tells_what_bounds_it_and_how_it_does(served: Served) -> None:
    client = served.client("operator")
    for _ in range(3):
        submit(client, queue="a/b")
    client.post(f"{V1}/queues/a%2Fb/pause", json={"note": "repair"})

    found = client.get(f"{V1}/queues/a%2Fb").json()

    assert (found["name"], found["queued"], found["paused"]) == ("a/b", 3, True)
    assert [(each["kind"], each["stops"]) for each in found["limits"]] == [
        ("paused", True),
        ("slots", True),
    ]
    assert len(found["buckets"]) == 60
    assert found["verbs"] == ["resume"]
    empty = client.get(f"{V1}/queues/nobody-used-it").json()
    assert (empty["queued"], empty["limits"][0]["kind"]) == (0, "slots")
    assert client.get(f"{V1}/queues/bad%00name").status_code == 400


def test_the_audit_tells_who_did_what_and_its_chain_holds(served: Served) -> None:
    client = served.client("admin")
    run_id = submit(client)
    client.post(f"{V1}/runs/{run_id}/cancel", json={"reason": "not needed"})

    (act,) = items(client, "/audit", verb="cancel run")
    served.app.store.write(seal)
    verified = client.get(f"{V1}/audit/verify").json()
    head = {"head": verified["hash"]}

    assert (act["who"], act["subject"], act["detail"]["why"]) == (
        "token:test",
        run_id,
        "not needed",
    )
    assert act["before"]
    assert act["after"]
    assert verified["isGood"]
    assert client.get(f"{V1}/audit/verify", params=head).json()["isGood"]
    other = client.get(f"{V1}/audit/verify", params={"head": "f" * 64}).json()
    assert (other["isGood"], "not in the chain" in other["says"]) == (False, True)
    later = datetime.now(UTC) + timedelta(hours=1)
    assert items(client, "/audit", since=later.isoformat()) == []
    assert client.get(f"{V1}/audit", params={"since": "2026-01-01T00:00:00"}).status_code == 400


def test_a_token_is_shown_once_works_and_is_taken_back(served: Served) -> None:
    client = served.client("admin")
    key = {"Idempotency-Key": "one token"}
    body = {"name": "ci", "roles": ["operator"], "queues": ["mail"], "expires": "90d"}

    made = client.post(f"{V1}/tokens", json=body, headers=key).json()
    again = client.post(f"{V1}/tokens", json=body, headers=key).json()
    fresh = served.anyone(Authorization=f"Bearer {made['token']}")
    session = fresh.get(f"{V1}/session").json()
    listed = next(each for each in items(client, "/tokens") if each["id"] == made["id"])
    gone = client.delete(f"{V1}/tokens/{made['id']}").json()

    assert (session["who"], session["queues"]) == ("token:ci", ["mail"])
    assert (again["id"], again["token"]) == (made["id"], None)
    assert "token" not in listed
    assert listed["verbs"] == ["revoke", "rotate"]
    assert made["token"] not in str(run_sql(served.app.url, "select answer from rota.request"))
    assert gone["revokedBy"] == "token:test"
    assert fresh.get(f"{V1}/session").status_code == 401


def test_the_audit_names_tokens_and_workers_also_those_that_are_gone(served: Served) -> None:
    client = served.client("admin")
    made = client.post(f"{V1}/tokens", json={"name": "ci", "roles": ["viewer"]}).json()
    fresh = client.post(f"{V1}/tokens/{made['id']}/rotate", json={}).json()
    client.delete(f"{V1}/tokens/{fresh['id']}")
    worker = given_worker(served.app.store)
    assert client.post(f"{V1}/workers/{worker}/drain").status_code == 200
    run_sql(served.app.url, f"delete from rota.worker where id = '{worker}'")

    told = {each["verb"]: each for each in reversed(items(client, "/audit"))}

    for verb, subject in (
        *(("create token", made["id"]), ("rotate token", made["id"])),
        ("revoke token", fresh["id"]),
    ):
        assert (told[verb]["subject"], told[verb]["subjectName"]) == (subject, "ci")
        assert told[verb]["detail"]["name"] == "ci"
    assert told["drain worker"]["subject"] == worker
    assert told["drain worker"]["subjectName"]
    assert len(items(client, "/audit", text="TOKEN CI")) == 0
    assert len(items(client, "/audit", text="Revoke")) == 1


def test_nobody_gives_out_more_than_he_has(served: Served) -> None:
    plain = served.client("admin")
    scoped = served.client("admin", queues=["mail"])
    viewer = {"name": "x", "roles": ["viewer"]}

    assert (
        plain.post(f"{V1}/tokens", json=viewer | {"roles": ["author", "exec"]}).status_code == 403
    )
    assert scoped.post(f"{V1}/tokens", json=viewer).status_code == 403
    assert scoped.post(f"{V1}/tokens", json=viewer | {"queues": ["a"]}).status_code == 403
    assert scoped.post(f"{V1}/tokens", json=viewer | {"queues": ["mail"]}).status_code == 201
    unknown = plain.post(f"{V1}/tokens", json=viewer | {"roles": ["boss"]})
    assert "boss" in unknown.json()["detail"]


def test_namespaces_are_for_those_who_run_the_whole(served: Served) -> None:
    boss, tenant = served.client("admin"), served.client("admin", namespace=OTHER)

    made = boss.post(f"{V1}/namespaces", json={"name": "shop", "quotas": {"queued": 5}})
    twice = boss.post(f"{V1}/namespaces", json={"name": "shop"})
    changed = boss.put(f"{V1}/namespaces/shop", json={"note": "ours", "quotas": {"rate": 2.5}})
    bad = boss.put(f"{V1}/namespaces/shop", json={"quotas": {"rate": 0}})
    unknown = boss.put(f"{V1}/namespaces/nope", json={})
    gone = boss.delete(f"{V1}/namespaces/shop")

    assert made.json()["quotas"] == {"queued": 5, "running": None, "rate": None, "payload": None}
    assert twice.status_code == 409
    assert (changed.json()["note"], changed.json()["quotas"]["rate"]) == ("ours", 2.5)
    assert bad.status_code == 400
    assert unknown.status_code == 404
    assert gone.json() == {"name": "shop"}
    assert boss.delete(f"{V1}/namespaces/{OTHER}").json()["code"] == "not-allowed"
    assert [each["name"] for each in items(boss, "/namespaces")] == ["default", OTHER]
    assert [each["name"] for each in items(tenant, "/namespaces")] == [OTHER]
    for answer in (
        tenant.post(f"{V1}/namespaces", json={"name": "mine"}),
        tenant.put(f"{V1}/namespaces/{OTHER}", json={"quotas": {"queued": 10_000}}),
        tenant.delete(f"{V1}/namespaces/default"),
    ):
        assert answer.status_code == 403
