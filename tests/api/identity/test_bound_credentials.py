"""What belongs to one credential or one namespace alone: keys, tokens, and things by name."""

from __future__ import annotations

from typing import Any

from rota.engine.workers.registry import NewWorker, register
from rota.ids import new_id
from rota.model.jobs.spec import JobSpec, PythonTarget
from rota.store.base import Tx
from tests.api.serving import HOME, OTHER, Served, some_key

RUNS = "/api/v1/runs"
TOKENS = "/api/v1/tokens"


def test_a_repeated_request_is_answered_to_who_sent_it_alone(served: Served) -> None:
    key = {"Idempotency-Key": some_key()}
    body = {"jobId": "add", "args": {"a": 1, "b": 2}}
    first, other = served.client("operator", name="one"), served.client("operator", name="two")
    narrow = served.client("operator", name="one", queues=["default"])
    made = first.post(RUNS, json=body, headers=key)

    again = first.post(RUNS, json=body, headers=key)
    strangers = [each.post(RUNS, json=body, headers=key) for each in (other, narrow)]
    token = {"name": "ci", "roles": ["viewer"]}
    given = served.client("admin", name="one").post(TOKENS, json=token, headers=key | {"X": "y"})

    assert (made.status_code, again.status_code) == (201, 201)
    assert again.json() == made.json()
    assert again.headers["Idempotency-Replayed"] == "true"
    assert [each.status_code for each in strangers] == [422, 422]
    assert {each.json()["code"] for each in strangers} == {"key-reused"}
    assert made.json()["executionId"] not in "".join(each.text for each in strangers)
    assert given.status_code == 422
    assert len(first.get(RUNS).json()["items"]) == 1


def test_a_request_is_repeated_with_the_next_secret_of_the_same_token(served: Served) -> None:
    key = {"Idempotency-Key": some_key()}
    old = served.client("operator")
    path = f"{TOKENS}/{served.issued}/rotate"
    made = old.post(RUNS, json={"jobId": "add"}, headers=key)
    fresh = served.client("admin").post(path, json={}).json()["token"]

    again = served.anyone(Authorization=f"Bearer {fresh}").post(
        RUNS, json={"jobId": "add"}, headers=key
    )

    assert (again.status_code, again.json()) == (201, made.json())


def test_an_admin_takes_from_nobody_what_they_do_not_have(served: Served) -> None:
    admin, powerful = served.client("admin"), served.client("admin", "exec")
    served.token("viewer", "exec")
    path = f"{TOKENS}/{served.issued}"

    refused = [admin.delete(path), admin.post(f"{path}/rotate", json={})]
    listed = {each["id"]: each["verbs"] for each in admin.get(TOKENS).json()["items"]}

    assert [each.status_code for each in refused] == [403, 403]
    assert listed[served.issued] == []
    assert powerful.delete(path).status_code == 200


def test_the_same_name_in_another_queue_is_another_thing(served: Served) -> None:
    """An admin of another namespace neither changes nor tells templates, calendars and windows."""
    ours, theirs = served.client("admin", "exec"), served.client("admin", "exec", namespace=OTHER)
    things: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "/api/v1/templates/it": (
            {"definition": {"name": "alone", "http": {"url": "https://alone.example"}}},
            {"definition": {"name": "theirs", "http": {"url": "https://theirs.example"}}},
        ),
        "/api/v1/calendars/it": (
            {"off": ["2031-01-02"]},
            {"off": ["2032-01-02"]},
        ),
        "/api/v1/blackouts/it": (
            {"kind": "skip", "trigger": "@weekly", "duration": "1h", "note": "alone"},
            {"kind": "skip", "trigger": "@daily", "duration": "2h", "note": "theirs"},
        ),
    }
    for path, (mine, other) in things.items():
        made = ours.put(path, json=mine)
        assert made.status_code == 200, made.text
        before = ours.get(path)
        etag = before.headers.get("ETag", "")

        unseen = [
            theirs.get(path),
            theirs.delete(path),
        ]
        assert [each.status_code for each in unseen] == [404, 404], path
        if etag:
            stale = theirs.put(path, json=other, headers={"If-Match": etag})
            assert stale.status_code == 412, "as with a name that nobody has"
        fresh = theirs.put(path, json=other, headers={"If-None-Match": "*"})
        assert fresh.status_code == 200, "for them the name is free"
        for place in (path, path.rpartition("/")[0]):
            told = theirs.get(place).text
            assert not any(mark in told for mark in ("alone", "2031")), place
        assert theirs.delete(path).status_code == 200

        after = ours.get(path)
        assert (after.json(), after.headers.get("ETag", "")) == (before.json(), etag)

    assert theirs.post("/api/v1/templates/it/instantiate").status_code == 404
    timed = {"job": "add", "expression": "@daily", "calendar": "it"}
    refused = theirs.put("/api/v1/schedules/s", json=timed)
    assert refused.status_code == 400, refused.text
    assert ours.get("/api/v1/session").json()["namespace"] == HOME


def test_arguments_of_a_job_in_a_hidden_queue_are_not_shown(served: Served) -> None:
    mail = served.client("operator", queues=["mail"])
    wrong = {"args": {"nothing": 1}}

    answers = [
        mail.post(RUNS, json={"jobId": "add", **wrong}),
        mail.post(f"{RUNS}/bulk", json={"runs": [{"jobId": "add", **wrong}]}),
        mail.post("/api/v1/jobs/add/trigger", json=wrong),
    ]

    assert {each.json()["code"] for each in answers} == {"not-permitted"}
    assert "'a'" not in "".join(each.text for each in answers)


def test_a_token_for_some_queues_sees_only_their_part_of_a_worker(served: Served) -> None:
    def hire(tx: Tx) -> None:
        for name, queues in (("both", ("default", "mail")), ("theirs", ("default",))):
            how: Any = {"host": "h", "pid": 1, "slots": 1, "version": "1", "jobs": ("add", "ours")}
            worker = NewWorker(id=new_id(), name=name, queues=queues, **how)
            register(tx, worker, lease_ms=60_000, namespace=HOME)

    served.define(JobSpec(name="ours", target=PythonTarget(ref="shop:ours"), queue="mail"))
    served.app.store.write(hire)

    bound = served.client("viewer", queues=["mail"]).get("/api/v1/workers").json()["items"]
    free = served.client("viewer").get("/api/v1/workers").json()["items"]

    assert [(each["name"], each["queues"], each["jobs"]) for each in bound] == [
        ("both", ["mail"], ["ours"])
    ]
    assert [each["jobs"] for each in free] == [["add", "ours"]] * 2
