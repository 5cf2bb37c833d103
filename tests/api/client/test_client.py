"""rota.Client over a socket: the verbs and errors of an App, each change made once."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rota import Client, State, errors
from rota.client import ServedRun
from rota.engine.identity.audit_log import acts
from rota.engine.identity.namespaces import put_namespace
from rota.engine.runs.claim import claim
from rota.engine.runs.finish import finish
from rota.engine.runs.lists import runs
from rota.ids import new_id
from rota.model.identity.credentials import Quotas
from rota.model.runs.run import ErrorDetail, Verdict
from tests.api.serving import HOME, OTHER, SAY, Served
from tests.contract.builders import given_worker
from tests.support.proxy import Proxy


@pytest.fixture
def client(served: Served) -> Iterator[Client]:
    with Client(served.address, token=served.token()) as client:
        yield client


def carry_out(served: Served, **verdict: Any) -> str:
    """The next run, as a worker would."""
    store = served.app.store
    worker = given_worker(store)
    (lease,) = store.write(
        lambda tx: claim(
            tx, namespace=HOME, queues=["default"], jobs='["add","say"]', worker_id=worker, limit=1
        )
    )
    said = {"verb": "succeed", "result": "3"} | verdict
    done = Verdict(run_id=lease.run_id, fence=lease.fence, **said)
    store.write(lambda tx: finish(tx, [done], namespace=HOME))
    return lease.run_id


def fail_one(served: Served) -> str:
    error = msgspec.json.encode(ErrorDetail(type="ValueError", message="no stock")).decode()
    return carry_out(
        served, verb="fail", result=None, kind="error", error=error, reason="retries used up"
    )


def through(served: Served, proxy: Proxy, **options: Any) -> Client:
    return Client(f"http://127.0.0.1:{proxy.port}", token=served.token(), **options)


def port_of(served: Served) -> int:
    return int(served.address.rpartition(":")[2])


def test_a_run_is_submitted_and_waited_for(served: Served, client: Client) -> None:
    run = client.submit("add", 1, b=2)

    with ThreadPoolExecutor(1) as pool:
        result = pool.submit(run.result, "20s")
        carry_out(served)
        assert result.result() == 3
    view = client.run(run.id).show()
    assert view == served.app.run(run.id).show(), "all facts of the store arrive"
    assert (view.args, view.state) == ('{"a":1,"b":2}', State.SUCCESS)


def test_a_client_gets_the_same_reasons_why_a_run_waits(served: Served, client: Client) -> None:
    run = client.submit("add", a=1)

    assert client.run(run.id).show() == served.app.run(run.id).show()
    assert run.why() == served.app.run(run.id).why()
    assert run.state is State.QUEUED
    with pytest.raises(errors.RunNotFinished, match=r"still queued after 0\.2 s"):
        run.wait(0.2)


def test_a_failed_run_tells_why_and_is_run_again(served: Served, client: Client) -> None:
    run = client.submit("add", a=1)
    assert fail_one(served) == run.id

    with pytest.raises(errors.RunFailed, match="retries used up; ValueError: no stock") as failed:
        run.result("5s")
    again = run.rerun()

    local = served.app.run(run.id)
    assert (failed.value.run_id, failed.value.state) == (run.id, "failed")
    assert (run.attempts(), run.tally()) == (local.attempts(), local.tally())
    assert run.tally() == {"error": 1}
    assert again.show().rerun_of == run.id


def test_a_run_is_cancelled(served: Served, client: Client) -> None:
    run = client.submit("add", a=1)

    assert run.cancel("not needed") is State.CANCELLED
    assert served.app.run(run.id).show().reason == "not needed"
    with pytest.raises(errors.RunFailed):
        run.result(1)


def test_many_runs_and_their_list(client: Client) -> None:
    made = client.submit_many("add", [(1, 2), {"a": 3}, 4])
    later = client.find_job("add").with_options(delay="1h", priority="high", key="k").submit(a=9)

    assert client.submit_many("add", []) == []
    assert [each.id for each in client.runs()] == [run.id for run in (later, *reversed(made))]
    assert [each.id for each in client.runs(state="scheduled")] == [later.id]
    assert [each.args for each in client.runs(limit=2, before=later.id)] == ['{"a":4}', '{"a":3}']
    assert client.runs(job="sub") == []


def test_a_list_of_several_pages_is_whole(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rota.client.client.PAGE", 2)
    made = client.submit_many("add", range(5))

    assert [each.id for each in client.runs()] == [run.id for run in reversed(made)]
    assert [each.id for each in client.runs(limit=3)] == [run.id for run in reversed(made[2:])]


def test_jobs_queues_and_workers_are_those_of_the_store(served: Served, client: Client) -> None:
    client.trigger("add", a=1)
    client.pause_queue("default", "for a while")

    (job,) = client.jobs()
    (queue,) = client.queues()
    assert job.spec is not None
    assert (job.name, job.spec.parameters) == ("add", {"a": "int", "b": "int"})
    assert (queue.queued, queue.is_paused, queue.note) == (1, True, "for a while")
    client.resume_queue("default")
    assert not client.queues()[0].is_paused
    worker_id = given_worker(served.app.store)
    client.drain_worker(worker_id)
    (worker,) = client.workers()
    assert (worker.id, worker.is_draining) == (worker_id, True)
    assert client.session().namespace == HOME


def test_dead_letters_are_redriven_and_discarded(served: Served, client: Client) -> None:
    for number in range(2):
        client.submit("add", a=number)
        fail_one(served)

    (group,) = client.dead_letters.groups()
    assert client.dead_letters.groups() == served.app.dead_letters.groups()
    assert client.dead_letters.letters() == served.app.dead_letters.letters()
    first, second = client.dead_letters.letters(group=group.fingerprint)
    (done,) = client.dead_letters.redrive(first.run_id, args={"a": 7})
    assert client.run(done.rerun_id).show().args == '{"a":7}'
    assert client.dead_letters.discard(group=group.fingerprint) == 1
    assert client.dead_letters.show(second.run_id).state == "discarded"
    with pytest.raises(errors.BadInput, match="say which"):
        client.dead_letters.redrive()


@pytest.mark.parametrize(
    ("call", "kind", "says"),
    [
        (lambda c: c.run(new_id()).show(), errors.UnknownRun, "no run has the id"),
        (lambda c: c.run(new_id()).logs(), errors.UnknownRun, "no run has the id"),
        (lambda c: c.submit("nothing"), errors.UnknownJob, "nothing"),
        (lambda c: c.submit("nothing", 1), errors.UnknownJob, "nothing"),
        (lambda c: c.submit("add", c=1), errors.BadArguments, "c"),
        (lambda c: c.submit("add", 1, 2, 3), errors.BadArguments, "takes 2"),
        (lambda c: c.submit("add", 1, a=2), errors.BadArguments, "twice"),
        (lambda c: c.submit("add", a=float("nan")), errors.BadArguments, "NaN"),
        (lambda c: c.submit("add", a=object()), errors.BadArguments, "not JSON"),
        (lambda c: c.submit_many("add", range(10_001)), errors.BadInput, "too many"),
        (lambda c: c.run("17"), errors.BadInput, "not the id"),
        (lambda c: c.find_job("add").with_options(prio=1), errors.BadOption, "priority"),
        (lambda c: c.find_job("add").after("soon"), errors.BadDuration, "duration"),
        (lambda c: c.find_job("add").at(datetime(2030, 1, 1)), errors.BadOption, "zone"),  # noqa: DTZ001
        (lambda c: c.submit("add", a=1).rerun(), errors.NotAllowed, "queued"),
        (lambda c: c.pause_queue("no such/queue!"), errors.BadOption, "queue"),
    ],
)
def test_errors_are_those_of_an_app(
    shared: Served, call: Any, kind: type[Exception], says: str
) -> None:
    with (
        Client(shared.address, token=shared.token()) as client,
        pytest.raises(kind, match=says) as raised,
    ):
        call(client)

    assert type(raised.value) is kind


def test_errors_carry_what_they_are_about(shared: Served) -> None:
    with Client(shared.address, token=shared.token()) as client:
        keyed = client.find_job("add").with_options(key="order-17")
        first = keyed.submit(a=1)
        assert keyed.submit(a=1).id == first.id
        with pytest.raises(errors.DuplicateKey) as other:
            keyed.submit(a=2)
        with pytest.raises(errors.DuplicateKey) as others:
            keyed.submit_many([{"a": 2}])
        missing = new_id()
        with pytest.raises(errors.UnknownRun) as unknown:
            client.run(missing).show()

    assert (other.value.key, other.value.run_id) == ("order-17", first.id)
    assert others.value.run_id == first.id
    assert unknown.value.run_id == missing


def test_credentials_decide(shared: Served) -> None:
    for token in ("wrong-token", None):
        refused = pytest.raises(errors.NotSignedIn, match="ROTA_TOKEN")
        with Client(shared.address, token=token) as nobody, refused as told:
            nobody.runs()
        assert token is None or "rota tokens create" in str(told.value)
    with Client(shared.address, token=shared.token("viewer")) as viewer:
        viewer.runs()
        with pytest.raises(errors.NotPermitted, match="operator"):
            viewer.submit("add", a=1)
    with Client(shared.address, token=shared.token(namespace=OTHER)) as other:
        run = other.submit("add", a=1)
    with (
        Client(shared.address, token=shared.token()) as home,
        pytest.raises(errors.UnknownRun),
    ):
        home.run(run.id).show()


def test_a_start_can_be_put_off_to_a_time(shared: Served) -> None:
    when = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=3)
    with Client(shared.address, token=shared.token()) as client:
        view = client.find_job("add").at(when).submit(a=1).show()

    assert view.due_at == when


def test_a_submit_whose_answer_is_lost_is_made_once(served: Served) -> None:
    with Proxy(port_of(served)) as proxy, through(served, proxy) as client:
        proxy.lose_answer_with(b"executionId")
        run = client.submit("add", a=1)
        assert proxy.has_lost_answer
        proxy.lose_answer_with(b"executionId")
        many = client.submit_many("add", range(3))
        assert proxy.has_lost_answer

    kept = served.app.store.read(lambda tx: runs(tx, namespace=HOME, limit=100))
    assert {each.id for each in kept} == {run.id, *(each.id for each in many)}
    said = served.app.store.read(lambda tx: acts(tx, namespace=HOME, limit=100))
    assert sorted(act.verb for act in said if act.verb == "submit") == ["submit"] * 2


def test_a_rerun_whose_answer_is_lost_is_made_once(served: Served) -> None:
    with Proxy(port_of(served)) as proxy, through(served, proxy) as client:
        run = client.submit("add", a=1)
        carry_out(served)
        proxy.lose_answer_with(b"executionId")
        again = run.rerun()
        assert proxy.has_lost_answer

    kept = served.app.store.read(lambda tx: runs(tx, namespace=HOME, limit=100))
    assert {each.id for each in kept} == {run.id, again.id}


def test_without_patience_a_lost_answer_is_told_as_unknown(served: Served) -> None:
    with Proxy(port_of(served)) as proxy, through(served, proxy, patience=0) as client:
        proxy.lose_answer_with(b"executionId")
        with pytest.raises(errors.CommitUnknown, match="may have been carried out"):
            client.submit("add", a=1)

    assert len(served.app.store.read(lambda tx: runs(tx, namespace=HOME, limit=9))) == 1


def test_a_server_that_is_not_there_is_told(tmp_path: Path) -> None:
    with Proxy(9) as proxy:
        port = proxy.port
    with (
        Client(f"http://127.0.0.1:{port}", token="x", patience="300ms") as client,
        pytest.raises(errors.StoreUnavailable, match="cannot be reached") as gone,
    ):
        client.submit("add", a=1)

    assert type(gone.value) is errors.ServerUnavailable


def test_a_quota_is_waited_for_as_the_server_says(served: Served) -> None:
    served.app.store.write(lambda tx: put_namespace(tx, OTHER, Quotas(rate=1)))
    with Client(served.address, token=served.token(namespace=OTHER)) as client:
        made = [client.submit("add", a=number) for number in range(4)]
        assert len({run.id for run in made}) == 4
    with (
        Client(served.address, token=served.token(namespace=OTHER), patience=0) as hasty,
        pytest.raises(errors.QuotaExceeded) as refused,
    ):
        [hasty.submit("add", a=number) for number in range(10)]

    assert refused.value.retry_after_s >= 1


@pytest.mark.parametrize(
    "url",
    [
        "rota.example.org",
        "ftp://rota.example.org",
        "https://",
        "http://rota.example.org",
        "https://me:secret@rota.example.org",
        "https://rota.example.org/?a=1",
        "https://rota.example.org:port",
        "http://[::1",
    ],
)
def test_bad_addresses_are_refused(url: str) -> None:
    with pytest.raises(errors.BadUrl):
        Client(url, token="t")


def test_good_addresses_and_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("ROTA_SERVER", raising=False)
    with pytest.raises(errors.BadOption, match="ROTA_SERVER"):
        Client()
    monkeypatch.setenv("ROTA_SERVER", "https://rota.example.org/team/api/v1/")
    assert Client().url == "https://rota.example.org/team"
    assert Client("http://10.0.0.7:8470", in_clear=True).url == "http://10.0.0.7:8470"
    with pytest.raises(errors.BadOption, match="no token"):
        Client("https://rota.example.org", token="line\nbreak")
    with pytest.raises(errors.BadOption, match="ca_file"):
        Client("https://rota.example.org", ca_file=tmp_path / "none.pem")


def test_something_else_than_a_server_is_told(shared: Served) -> None:
    with (
        Client(f"{shared.address}/elsewhere", token=shared.token()) as client,
        pytest.raises(errors.BadInput),
    ):
        client.runs()


def test_a_large_result_is_read_whole(served: Served, client: Client) -> None:
    served.define(SAY)
    run = client.submit("say", a="x" * 100_000)
    carry_out(served, result='"' + "y" * 200_000 + '"')

    assert client.run(run.id).result("5s") == "y" * 200_000
    assert client.run(run.id).show() == served.app.run(run.id).show()
    assert len(client.runs()) == 1, "a list does not carry it"


def test_handles_are_known_by_their_ids(client: Client) -> None:
    run = client.submit("add", a=1)

    assert isinstance(run, ServedRun)
    assert repr(run) == f"<ServedRun {run.id}>"
