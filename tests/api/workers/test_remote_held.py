"""Workers without a database hold runs ready by the rules of those that have one."""

from __future__ import annotations

import threading
from typing import Any

from rota.clock import moment, to_datetime
from rota.engine.admission.queues import pause
from rota.engine.admission.windows import put_blackout
from rota.engine.runs.find import now_ms
from rota.engine.workers.registry import workers
from rota.model.schedules.definitions import Blackout
from rota.model.states import State
from tests.api.serving import HOME, Served
from tests.api.workers.remote_worker import Far, attempt, given_run, seen


def pause_queue(served: Served) -> None:
    served.app.store.write(lambda tx: pause(tx, "default", namespace=HOME))


def test_what_is_claimed_ahead_is_shown_to_wait_until_it_is_told_to_have_begun(
    served: Served,
) -> None:
    far = Far(served)
    assert far.registered.json()["hearsBegins"]
    ids = [given_run(served) for _ in range(3)]

    runs = far.good("claim", {"limit": 5, "ahead": 4})["runs"]

    assert [run["isHeld"] for run in runs] == [True] * 3
    assert [seen(served.app, each).state for each in ids] == [State.QUEUED] * 3
    begun = [{**attempt(runs[0]), "heldMs": 0}]
    told = {"held": [attempt(run) for run in runs], "begun": begun, "running": 1, "leftBehind": 2}
    assert far.good("heartbeat", told)["recalls"] is False
    assert [seen(served.app, each).state for each in ids] == ["running", "queued", "queued"]
    (view,) = served.app.store.read(lambda tx: workers(tx, namespace=HOME))
    assert (view.running, view.left_behind) == (1, 2)


def test_the_begin_of_a_handler_comes_with_its_end_and_is_never_after_it(served: Served) -> None:
    far = Far(served)
    for _ in range(3):
        given_run(served)
    runs = far.good("claim", {"limit": 5, "ahead": 4})["runs"]
    ends = [{"heldMs": 0}, {"heldMs": 2**31 - 1}, {}]  # the last is a worker of an older version

    ended = [
        {**attempt(run), **end, "ending": "returned", "result": "3"}
        for run, end in zip(runs, ends, strict=True)
    ]
    assert far.good("finish", {"ended": ended}) == {"lost": []}

    views = [seen(served.app, run["runId"]) for run in runs]
    assert [views[n].started_at for n in (0, 2)] == [moment(runs[n]["claimedAt"]) for n in (0, 2)]
    assert views[1].started_at is not None
    assert views[1].finished_at is not None
    assert moment(runs[1]["claimedAt"]) <= views[1].started_at <= views[1].finished_at


def test_a_far_worker_is_told_at_once_that_what_it_holds_must_not_begin(served: Served) -> None:
    far = Far(served)
    run_id = given_run(served)
    (run,) = far.good("claim", {"limit": 5, "ahead": 5})["runs"]
    assert far.good("listen") == {"rung": False}
    heard: list[Any] = []
    listening = threading.Thread(
        target=lambda: heard.append(far.good("listen", query="?wait=30s")), daemon=True
    )
    listening.start()

    pause_queue(served)

    listening.join(60)
    assert heard == [{"rung": True}]
    assert far.good("heartbeat", {"held": [attempt(run)]})["recalls"] is True
    stopped = {"ending": "stopped", "why": "drain", "began": False}
    assert far.finish(run, **stopped).json() == {"lost": []}
    view = seen(served.app, run_id)
    assert (view.state, view.attempt, view.worker_id) == ("queued", 0, None)
    assert far.claim() == []


def test_nothing_is_claimed_ahead_shortly_before_a_maintenance_window(served: Served) -> None:
    far = Far(served)
    for _ in range(3):
        given_run(served)
    now = served.app.store.read(now_ms)
    window = Blackout(
        kind="drain",
        queue="elsewhere",
        start=to_datetime(now + 1_000).isoformat(),
        end=to_datetime(now + 60_000).isoformat(),
    )
    served.app.store.write(lambda tx: put_blackout(tx, "w", window, namespace=HOME))

    (run,) = far.good("claim", {"limit": 5, "ahead": 4})["runs"]

    assert run["isHeld"] is False
    assert far.good("claim", {"limit": 4, "ahead": 4})["runs"] == []
