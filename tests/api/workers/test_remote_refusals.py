"""Worker tokens (R13): their queues and nothing else, each attempt under its own token."""

from __future__ import annotations

from typing import Any

from rota.engine.logs import read as read_lines
from rota.engine.workers.reap import reap
from rota.ids import new_id
from rota.model.states import State
from tests.api.serving import HOME, OTHER, Served
from tests.api.workers.remote_worker import Far, attempt, given_run, seen

RETURNED = {"ending": "returned", "result": "3"}
CHUNK = {"seq": 1, "firstAt": 0, "marks": "[1,0,1,0]", "body": "a line"}


def uses(said: dict[str, Any]) -> dict[str, Any]:
    """Every request that speaks of an attempt."""
    return {
        "heartbeat": {"held": [said]},
        "finish": {"ended": [{**said, **RETURNED}]},
        "logs": {"chunks": [{**said, **CHUNK}]},
        "claim": {"limit": 1, "held": [said]},
        "checkpoint": {**said, "state": "1"},
        "checkpoint/load": said,
        "effects": {**said, "verb": "intend", "name": "pay"},
        "last-success": said,
    }


def progress(said: dict[str, Any]) -> dict[str, Any]:
    return {"progress": [{**said, "fraction": 1.0}]}


def untouched(served: Served, run: dict[str, Any], *, namespace: str = HOME) -> None:
    """Nobody but its own worker has had anything to do with the run."""
    found = seen(served.app, run["runId"], namespace=namespace)
    assert (found.state, found.fence, found.progress) == (State.RUNNING, run["fence"], None)
    lines = served.app.store.read(lambda tx: read_lines(tx, run["runId"], namespace=namespace))
    assert lines == []


def test_each_byte_of_an_attempt_token_counts(served: Served) -> None:
    given_run(served)
    far = Far(served)
    run = far.claim_one()
    token = run["token"]

    for place, sign in enumerate(token):
        changed = token[:place] + ("0" if sign != "0" else "1") + token[place + 1 :]
        answer = far.finish({**run, "token": changed}, **RETURNED)
        assert (answer.status_code, answer.json()["code"]) == (403, "not-permitted"), place
    forged = {**attempt(run), "token": token[:-1] + ("0" if token[-1] != "0" else "1")}
    for verb, body in {**uses(forged), "heartbeat": progress(forged)}.items():
        assert far.say(verb, body).status_code == 403, verb

    untouched(served, run)
    assert far.finish(run, **RETURNED).json() == {"lost": []}


def test_one_bad_token_in_a_batch_is_the_end_of_it(served: Served) -> None:
    for _ in range(2):
        given_run(served)
    far = Far(served)
    good, bad = far.claim()

    ended = [{**attempt(good), **RETURNED}, {**attempt(bad), **RETURNED, "token": good["token"]}]
    assert far.say("finish", {"ended": ended}).status_code == 403

    untouched(served, good)
    untouched(served, bad)


def test_an_attempt_token_fits_only_its_run_fence_and_worker(served: Served) -> None:
    for _ in range(2):
        given_run(served)
    far = Far(served)
    mine, other = far.claim()
    same_token = Far(served, client=far.client)
    another_token = Far(served)

    swapped = {**attempt(other), "token": mine["token"]}
    later = {**attempt(mine), "fence": mine["fence"] + 1}
    for verb in uses(swapped):
        assert far.say(verb, uses(swapped)[verb]).status_code == 403, verb
        assert far.say(verb, uses(later)[verb]).status_code == 403, verb
        assert same_token.say(verb, uses(attempt(mine))[verb]).status_code == 403, verb
        assert another_token.say(verb, uses(attempt(mine))[verb]).status_code == 403, verb

    untouched(served, mine)
    untouched(served, other)


def test_another_token_does_not_speak_for_the_worker(served: Served) -> None:
    given_run(served)
    far = Far(served)
    run = far.claim_one()
    thief = served.client("worker", queues=("default",))

    for verb, body in {**uses(attempt(run)), "listen": None, "retire": None}.items():
        sent = {} if body is None else {"json": body}
        answer = thief.post(f"/api/v1/worker/{far.id}/{verb}", **sent)
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown-worker"), verb
    taken = {"workerId": far.id, "name": "w", "host": "h", "pid": 1, "version": "1"}
    answer = thief.post("/api/v1/worker/register", json={**taken, "slots": 1, "jobs": []})
    assert answer.status_code == 409

    untouched(served, run)


def test_an_attempt_token_ends_when_its_fence_moves(served: Served) -> None:
    run_id = given_run(served)
    far = Far(served)
    run = far.claim_one()
    served.app.store.write(lambda tx: reap(tx, limit=10, worker_id=far.id))
    now = Far(served, client=far.client).claim_one()
    assert now["fence"] > run["fence"]

    assert far.good("heartbeat", {"held": [attempt(run)], **progress(attempt(run))})["lost"] == [
        run_id
    ]
    assert far.finish(run, **RETURNED).json() == {"lost": [run_id]}
    for verb in ("checkpoint", "checkpoint/load", "effects", "last-success"):
        answer = far.say(verb, uses(attempt(run))[verb])
        assert (answer.status_code, answer.json()["code"]) == (409, "lease-lost"), verb

    found = seen(served.app, run_id)
    assert (found.state, found.fence, found.progress) == (State.RUNNING, now["fence"], None)


def test_what_is_anothers_is_refused_in_every_field(served: Served) -> None:
    given_run(served, namespace=OTHER)
    given_run(served)
    theirs = Far(served, namespace=OTHER)
    run = theirs.claim_one()
    far = Far(served)
    mine = far.claim_one()
    before = seen(served.app, run["runId"], namespace=OTHER)

    for verb, body in {**uses(attempt(run)), "listen": None, "retire": None}.items():
        sent = {} if body is None else {"json": body}
        answer = far.client.post(f"/api/v1/worker/{theirs.id}/{verb}", **sent)
        unknown = far.client.post(f"/api/v1/worker/{new_id()}/{verb}", **sent)
        assert answer.status_code == unknown.status_code == 404, verb
        assert answer.json()["code"] == unknown.json()["code"] == "unknown-worker"
    for part in ("runId", "token"):
        mixed = {**attempt(mine), part: run[part]}
        for verb, body in {**uses(mixed), "heartbeat": progress(mixed)}.items():
            assert far.say(verb, body).status_code == 403, (part, verb)
    for verb, body in uses(attempt(run)).items():
        assert far.say(verb, body).status_code == 403, verb
    asked = {"workerId": new_id(), "name": "w", "host": "h", "pid": 1, "version": "1"}
    replacing = {**asked, "slots": 1, "jobs": ["add"], "replaces": [theirs.id]}
    stolen = {**asked, "slots": 1, "jobs": ["add"], "workerId": theirs.id}
    assert far.client.post("/api/v1/worker/register", json=stolen).status_code == 409
    assert far.client.post("/api/v1/worker/register", json=replacing).status_code == 201

    assert seen(served.app, run["runId"], namespace=OTHER) == before
    untouched(served, run, namespace=OTHER)
    untouched(served, mine)


FACTS = ("namespace", "job", "queue", "attempt", "version", "policy", "retries", "workerId")


def test_facts_about_a_run_are_not_taken_from_the_worker(served: Served) -> None:
    given_run(served)
    far = Far(served)
    run = far.claim_one()

    for field in FACTS:
        answer = far.finish(run, **RETURNED, **{field: OTHER})
        assert (answer.status_code, field in answer.json()["detail"]) == (400, True), field

    untouched(served, run)


def test_only_runs_of_its_queues_can_be_claimed(served: Served) -> None:
    for fields in ({}, {"queue": "images"}, {"queue": "images", "namespace": OTHER}):
        given_run(served, **fields)
    far = Far(served, queues=("images",))

    (run,) = far.claim()
    assert run["queue"] == "images"
    assert seen(served.app, run["runId"]).worker_id == far.id
    body = {"workerId": new_id(), "name": "w", "host": "h", "pid": 1, "version": "1", "slots": 1}
    for queues in (["default"], ["images", "default"], []):
        asked = {**body, "jobs": ["add"], "queues": queues}
        answer = far.client.post("/api/v1/worker/register", json=asked)
        assert (answer.status_code, answer.json()["code"]) == (403, "not-permitted")


def test_jobs_that_it_has_no_code_for_are_not_given_to_it(served: Served) -> None:
    given_run(served)

    assert Far(served, jobs=("other",)).claim() == []


SENSELESS: tuple[tuple[dict[str, Any], str], ...] = (
    ({"ending": "returned"}, "result"),
    ({"ending": "returned", "result": "@d:" + "0" * 64}, "no JSON"),
    ({"ending": "returned", "result": "{"}, "no JSON"),
    ({"ending": "returned", "result": "[" * 5_000 + "]" * 5_000}, "no JSON"),
    ({"ending": "raised"}, "error"),
    ({"ending": "stopped"}, "why"),
    ({"ending": "stopped", "why": "lost"}, "why"),
    ({"ending": "won"}, "ending"),
)


def test_ends_that_make_no_sense_are_refused(served: Served) -> None:
    given_run(served)
    far = Far(served)
    run = far.claim_one()

    for end, why in SENSELESS:
        answer = far.finish(run, **end)
        assert (answer.status_code, why in answer.json()["detail"]) == (400, True), end

    untouched(served, run)


def test_a_result_has_a_limit(served: Served) -> None:
    given_run(served)
    far = Far(served)
    run = far.claim_one()

    answer = far.finish(run, ending="returned", result='"' + "x" * 1_000_001 + '"')

    assert answer.status_code == 413
    untouched(served, run)


UNREADABLE: tuple[dict[str, Any], ...] = (
    {"marks": "[]"},
    {"marks": "[2,0,1,0]"},
    {"marks": "[1,0,9,0]"},
    {"marks": "[1,0,1,9]"},
    {"marks": "[1,-1,1,0]"},
    {"marks": "x"},
    {"body": "x" * 9_000},
    {"body": "\n".join(["x" * 1_023] * 64 + ["x"]), "marks": "[65,0,1,0]"},
    {"seq": 19_999},
    {"seq": 0},
)


def test_lines_that_readers_could_not_read_are_refused(served: Served) -> None:
    given_run(served)
    far = Far(served)
    run = far.claim_one()

    for wrong in UNREADABLE:
        answer = far.say("logs", {"chunks": [{**attempt(run), **CHUNK, **wrong}]})
        assert answer.status_code == 400, wrong

    untouched(served, run)


def test_an_attempt_may_print_so_much_and_no_more(served: Served) -> None:
    given_run(served)
    far = Far(served)
    run = far.claim_one()
    line = "x" * 8_000
    sent = [{**attempt(run), **CHUNK, "seq": number + 1, "body": line} for number in range(200)]

    taken = far.good("logs", {"chunks": sent[:100]})["chunks"]
    taken += far.good("logs", {"chunks": sent[100:]})["chunks"]

    assert taken == 1_100_000 // 8_000


def test_a_worker_token_cannot_sign_in(served: Served) -> None:
    secret = served.token("worker", queues=("default",))

    answer = served.anyone().post("/login", data={"token": secret})

    assert (answer.status_code, "Set-Cookie" in answer.headers) == (401, False)


def test_a_worker_token_names_its_queues_and_has_no_other_role(shared: Served) -> None:
    admin = shared.client()
    for asked in (
        {"roles": ["worker"]},
        {"roles": ["worker"], "queues": []},
        {"roles": ["worker", "viewer"], "queues": ["images"]},
        {"roles": ["worker", "exec"], "queues": ["images"]},
    ):
        answer = admin.post("/api/v1/tokens", json={"name": "w", **asked})
        assert (answer.status_code, answer.json()["code"]) == (400, "bad-option"), asked


def test_a_revoked_token_ends_its_workers(served: Served) -> None:
    given_run(served)
    far = Far(served)
    token_id = served.issued
    run = far.claim_one()
    assert served.client().delete(f"/api/v1/tokens/{token_id}").status_code == 200

    assert far.finish(run, **RETURNED).status_code == 401
    untouched(served, run)
