"""Every choice of a chaos run comes from its seed, and its logs survive a kill."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from chaos.calllog import CallLog, read_calls
from chaos.calls import SHARED, WEIGHTS, calls_of
from chaos.facts import Ended, Facts, Tried
from chaos.faults import KILLS, STOPS, plan_faults
from chaos.figures import outages, recoveries, resumptions, slowest, spread
from chaos.nemesis import Death, Deeds, Nemesis, Outage
from chaos.sizes import LONG, SHORT


def test_the_same_seed_makes_the_same_plan_and_another_one_another() -> None:
    assert plan_faults(1, SHORT) == plan_faults(1, SHORT) != plan_faults(2, SHORT)
    assert calls_of(1, 0, 7) == calls_of(1, 0, 7)
    assert [calls_of(1, 0, turn) for turn in range(9)] != [
        calls_of(2, 0, turn) for turn in range(9)
    ]


def test_the_plans_hold_the_faults_that_are_promised() -> None:
    for sizes, harm, crashes in (
        (SHORT, 40, 3),
        (LONG, 600, 40),
        (SHORT.behind_pooler(), 40, 3),
        (SHORT.with_standby(), 40, 3),
        (LONG.with_standby(), 600, 40),
    ):
        counts = Counter(fault.kind for fault in plan_faults(3, sizes))

        assert sum(counts[kind] for kind in (*KILLS, *STOPS)) >= harm
        assert counts["crash_postgres"] >= crashes
        assert counts["crash_pooler"] == crashes * sizes.has_pooler
        assert counts["fail_over"] == crashes * sizes.has_standby
        assert counts == sizes.faults


def test_fewer_jobs_meet_fewer_faults_but_every_kind_of_them() -> None:
    small = LONG.scaled(25_000)

    assert small.jobs == 25_000
    assert small.faults["kill_worker"] == LONG.faults["kill_worker"] // 10
    assert all(SHORT.scaled(100).faults.values())
    assert SHORT.scaled(100).with_standby().faults["fail_over"] == 3, "several in a row"


def test_the_nemesis_knows_every_fault_and_a_stop_outlasts_the_lease() -> None:
    plan = plan_faults(4, LONG.behind_pooler()) + plan_faults(4, LONG.with_standby())

    assert all(hasattr(Nemesis, f"_{fault.kind}") for fault in plan)
    stops = [fault.hold_s for fault in plan if fault.kind == "stop_worker"]
    assert min(stops) > LONG.lease_ms / 1000


def test_clients_ask_for_every_kind_of_work_and_submit_each_number_once() -> None:
    calls = [
        (client, call)
        for client in (0, 1)
        for turn in range(300)
        for call in calls_of(5, client, turn)
    ]
    plain = [n for _, call in calls if call.key is None for n in call.numbers]

    assert len(plain) == len(set(plain))
    assert max(plain) < SHARED
    assert {call.job for _, call in calls} > {"effect", "slow", "receipt", "flaky", "once"}
    assert {call.op for _, call in calls} == {"submit", "repeat", "conflict", "cancel"}
    shared = [{call.key for c, call in calls if c == client and call.key} for client in (0, 1)]
    assert shared[0] & shared[1], "both clients race for some keys"
    assert set(WEIGHTS) >= {"keyed", "cancel", "delayed"}


def test_a_call_whose_client_died_is_unknown_and_a_torn_line_hides_nothing(tmp_path: Path) -> None:
    path = tmp_path / "client.log"
    log = CallLog(path)
    log.write(phase="begin", turn=0, op="submit", numbers=[1])
    log.write(phase="ok", ids=["a"])
    log.write(phase="begin", turn=1, op="submit", numbers=[2])
    with path.open("a") as torn:
        torn.write('{"phase": "ok", "id')
    again = CallLog(path)
    again.write(phase="begin", turn=2, op="submit", numbers=[3])
    again.write(phase="fail", error="away")
    again.write(phase="begin", turn=3, op="cancel", ids=["a"])

    found = read_calls(path, 0)

    assert [(c.turn, c.answer, c.numbers, c.ids) for c in found] == [
        (0, "ok", (1,), ("a",)),
        (1, "unknown", (2,), ()),
        (2, "fail", (3,), ()),
        (3, "unknown", (), ("a",)),
    ]


def test_figures_are_read_from_what_was_stored() -> None:
    end = Ended(
        run_id="a",
        job="once",
        state="success",
        attempt=2,
        failures=0,
        crashes=1,
        fence=2,
        started_ms=4000,
        finished_ms=5000,
        number=1,
    )
    lost = Tried(
        run_id="a",
        number=1,
        fence=1,
        kind="lost",
        worker_id="w",
        started_ms=1000,
        ended_ms=3500,
    )
    facts = Facts(policies={}, ended=[end], tried=[lost])
    deeds = Deeds(
        deaths=[Death(kind="vanish", worker_id="w", at_ms=2000)],
        outages=[
            Outage("crash_postgres", 4300, 4500),
            Outage("fail_over", 4600, 4900),
            Outage("crash_postgres", 5000, 6000),
        ],
    )

    assert recoveries(facts, deeds, "vanish") == [1.5]
    assert recoveries(facts, deeds, "kill_child") == []
    assert resumptions(facts, deeds, "crash_postgres") == [0.2], "without the failover after it"
    assert resumptions(facts, deeds, "fail_over") == [0.1]
    assert [each["resumed_ms"] for each in outages(facts, deeds)] == [5000, 5000, None]
    assert [each["claimable_ms"] for each in slowest(facts, deeds)] == [1500]
    assert spread([1.5]) == {"count": 1, "p50": 1.5, "p99": 1.5, "max": 1.5}
    assert spread([]) == {"count": 0}


def test_the_time_in_which_postgres_was_away_is_told_apart() -> None:
    lost = Tried(
        run_id="r", number=1, fence=1, kind="lost", worker_id="w", started_ms=0, ended_ms=9_000
    )
    facts = Facts(policies={}, tried=[lost])
    deeds = Deeds(
        deaths=[Death(kind="kill_worker", worker_id="w", at_ms=1_000)],
        outages=[
            Outage("crash_postgres", 500, 1_200),
            Outage("silence_standby", 3_000, 6_000),
            Outage("fail_over", 8_900, 20_000),
        ],
    )

    (worst,) = slowest(facts, deeds)

    assert recoveries(facts, deeds, "kill_worker") == [4.7]
    assert (worst["claimable_ms"], worst["postgres_away_ms"]) == (8_000, 3_300)
