"""Rows of chores that somebody has spoilt: each is put on record, then broken, beside healthy ones.

Each gives the id of a run that has to end by it, or None where there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from rota.engine.admission.windows import put_blackout
from rota.engine.alerts.outbox import raise_alert
from rota.engine.schedules.backfills.fill import start_backfill
from rota.engine.schedules.backfills.span import BackfillRange
from rota.engine.schedules.calendars import put_calendar
from rota.ids import new_id
from rota.model.graphs.graph import Cache, Node
from rota.model.schedules.definitions import Blackout, Calendar, Cron
from rota.model.schedules.definitions import Schedule as Plan
from rota.store.base import Store
from tests.contract.builders import HOME, Clock, given_worker, run_sql
from tests.contract.failures.breaker_builders import RULE
from tests.contract.failures.poisons import define_all, graph_job, graph_of, job, submit_one
from tests.contract.graphs.builders import forget_courses
from tests.contract.schedules.builders import HOUR, TABLES, every, put
from tests.contract.workers.crew import Crew


class Ground(Protocol):
    """Where it happens."""

    store: Store
    clock: Clock
    crew: Crew


Poison = Callable[[Ground, str, str], str | None]


def spoil(store: Store, change: str, text: str) -> None:
    quoted = text.replace("'", "''")
    run_sql(store.url, change.replace(":text", f"'{quoted}'"))


def known(ground: Ground, name: str, **fields: Any) -> int:
    """A job of its own that the crew can carry out."""
    (version,) = define_all(ground.store, job(name, **fields))
    ground.crew.serve((name,), ())
    return version


def policy_of_a_run(ground: Ground, name: str, text: str) -> str:
    run_id = submit_one(ground.store, name, known(ground, name))
    spoil(ground.store, f"update rota.run set policy = :text where id = '{run_id}'", text)
    return run_id


def definition_of_a_job(ground: Ground, name: str, text: str) -> str:
    run_id = submit_one(ground.store, name, known(ground, name))
    spoil(ground.store, f"update rota.job_version set spec = :text where name = '{name}'", text)
    return run_id


def no_version_of_a_job(ground: Ground, name: str, _: str) -> str:
    run_id = submit_one(ground.store, name, known(ground, name))
    run_sql(ground.store.url, f"delete from rota.job_version where name = '{name}'")
    return run_id


def another_kind_of_version(ground: Ground, name: str, _: str) -> str:
    """The run is of a graph; by now its name is that of a job."""
    flow = graph_of(name, [Node(name="a", job="well")])
    (version,) = define_all(ground.store, graph_job(flow))
    run_id = submit_one(ground.store, name, version)
    known(ground, name)
    return run_id


def rule_of_a_breaker(ground: Ground, name: str, text: str) -> str:
    run_id = submit_one(ground.store, name, known(ground, name, breaker=RULE))
    spoil(ground.store, f"update rota.breaker set rule = :text where job = '{name}'", text)
    return run_id


def rule_of_an_open_breaker(ground: Ground, name: str, text: str) -> None:
    known(ground, name, breaker=RULE)
    change = "update rota.breaker set rule = :text, state = 'open', opened_at = 1, probe_at = 1"
    spoil(ground.store, f"{change} where job = '{name}'", text)


def what_a_run_waits_for(ground: Ground, name: str, text: str) -> str:
    run_id = _waiting(ground, name)
    spoil(ground.store, f"update rota.awaited set parents = :text where run_id = '{run_id}'", text)
    return run_id


def origin_of_a_run_that_waits(ground: Ground, name: str, text: str) -> str:
    run_id = _waiting(ground, name)
    spoil(ground.store, f"update rota.run set origin = :text where id = '{run_id}'", text)
    return run_id


def definition_of_a_run_that_waits(ground: Ground, name: str, text: str) -> str:
    run_id = _waiting(ground, name)
    spoil(ground.store, f"update rota.job_version set spec = :text where name = '{name}'", text)
    forget_courses(ground.store)
    return run_id


def _waiting(ground: Ground, name: str) -> str:
    """A run of a job that depends on another, held back at its claim."""
    version = known(ground, name, dependencies=("well",))
    run_id = submit_one(ground.store, name, version)
    run_sql(
        ground.store.url, f"update rota.run set state = 'pending', fence = 1 where id = '{run_id}'"
    )
    run_sql(
        ground.store.url,
        "insert into rota.awaited (run_id, namespace, created_at)"
        f" values ('{run_id}', '{HOME}', 1)",
    )
    return run_id


def result_in_the_cache(ground: Ground, name: str, text: str) -> str:
    version = known(ground, name, cache=Cache())
    submit_one(ground.store, name, version)
    ground.crew.turn(ground.clock, rounds=1)
    spoil(ground.store, "update rota.memo set result = :text", text)
    return submit_one(ground.store, name, version)


def a_schedule(ground: Ground, name: str, text: str) -> None:
    known(ground, name)
    put(ground.store, every("1s"), name=name, job=name)
    spoil(ground.store, f"update rota.schedule set spec = :text where name = '{name}'", text)


def the_job_of_a_schedule(ground: Ground, name: str, text: str) -> None:
    known(ground, name)
    put(ground.store, every("1s"), name=name, job=name)
    definition = f"update rota.job_version set spec = :text where name = '{name}'"
    spoil(ground.store, definition, text)


def the_weights_of_a_job(ground: Ground, name: str, text: str) -> None:
    known(ground, name)
    put(ground.store, every("1s"), name=name, job=name)
    spoil(ground.store, f"update rota.job set weights = :text where name = '{name}'", text)


def a_start_that_waits(ground: Ground, name: str, text: str) -> None:
    known(ground, name)
    made = put(ground.store, every("1s", overlap="queue_all"), name=name, job=name)
    run_id = submit_one(ground.store, name, 1, schedule_id=made.id, waits=True)
    spoil(ground.store, f"update rota.run set origin = :text where id = '{run_id}'", text)


def a_backfill(ground: Ground, name: str, text: str) -> None:
    known(ground, name)
    put(ground.store, every("1h"), name=name, job=name)
    now = ground.clock.ms
    wanted = BackfillRange(from_at=now - 5 * HOUR, to_at=now)
    ground.store.write(
        lambda tx: start_backfill(
            tx, name, wanted, namespace=HOME, backfill_id=new_id(), compiled=TABLES
        )
    )
    spoil(ground.store, f"update rota.schedule set spec = :text where name = '{name}'", text)


def a_window(ground: Ground, name: str, text: str) -> None:
    window = Blackout(kind="skip", start="2020-01-01", end="2020-01-02")
    ground.store.write(lambda tx: put_blackout(tx, name, window, namespace=HOME))
    spoil(ground.store, f"update rota.blackout set spec = :text where name = '{name}'", text)


def a_calendar(ground: Ground, name: str, text: str) -> None:
    known(ground, name)
    ground.store.write(lambda tx: put_calendar(tx, name, Calendar(), namespace=HOME))
    plan = Plan(trigger=Cron(expression="* * * * *"), calendar=name)
    put(ground.store, plan, name=name, job=name)
    spoil(ground.store, f"update rota.calendar set spec = :text where name = '{name}'", text)
    run_sql(ground.store.url, f"update rota.schedule set look_at = 1 where name = '{name}'")


def an_alert(ground: Ground, name: str, text: str) -> None:
    ground.store.write(
        lambda tx: raise_alert(tx, "breaker.opened", {}, namespace=HOME, change=(1, name))
    )
    spoil(ground.store, "update rota.alert set payload = :text", text)


def a_graph_whose_time_is_up(ground: Ground, name: str, text: str) -> str:
    run_id = _begun(ground, name, text, "expires_at = 1")
    ground.crew.calls.end_all()
    return run_id


def a_graph_whose_worker_died(ground: Ground, name: str, text: str) -> str:
    run_id = _begun(ground, name, text, "failures = 0")
    dead = given_worker(ground.store, lease_ms=1)
    change = (
        "state = 'running', attempt = 3, crashes = 3, at_most_once = true, fence = 1,"
        " started_at = 1"
    )
    run_sql(
        ground.store.url,
        f"update rota.run set {change}, worker_id = '{dead}' where parent_id = '{run_id}'",
    )
    return run_id


def _begun(ground: Ground, name: str, text: str, change: str) -> str:
    flow = graph_of(name, [Node(name="a", job="well"), Node(name="b", job="well", after=("a",))])
    (version,) = define_all(ground.store, graph_job(flow))
    run_id = submit_one(ground.store, name, version)
    ground.crew.serve((), (name,))
    ground.crew.calls.waits = True
    ground.crew.turn(ground.clock, rounds=1)
    ground.crew.calls.waits = False
    spoil(ground.store, f"update rota.job_version set spec = :text where name = '{name}'", text)
    run_sql(ground.store.url, f"update rota.run set {change} where id = '{run_id}'")
    forget_courses(ground.store)
    return run_id


POISONS: tuple[Poison, ...] = (
    policy_of_a_run,
    definition_of_a_job,
    no_version_of_a_job,
    another_kind_of_version,
    rule_of_a_breaker,
    rule_of_an_open_breaker,
    what_a_run_waits_for,
    origin_of_a_run_that_waits,
    definition_of_a_run_that_waits,
    result_in_the_cache,
    a_schedule,
    the_job_of_a_schedule,
    the_weights_of_a_job,
    a_start_that_waits,
    a_backfill,
    a_window,
    a_calendar,
    an_alert,
    a_graph_whose_time_is_up,
    a_graph_whose_worker_died,
)
