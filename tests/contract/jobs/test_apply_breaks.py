"""Apply and what others have: a file that would break their graphs or schedules is refused."""

from __future__ import annotations

import random

import pytest

from rota.engine.jobs.apply import apply, compare
from rota.engine.jobs.definitions import stored_jobs
from rota.engine.schedules import definitions as verbs
from rota.engine.schedules.compiled import CompiledSchedules, rules_version
from rota.errors import BadOption
from rota.ids import new_id
from rota.model.jobs.apply_plan import Plan, Wish
from rota.model.schedules.definitions import Every, OnEvent, Schedule
from rota.rules.jobs.files.read import read_bundle
from rota.store.base import Store
from tests.contract.builders import HOME

SAY = "jobs:\n  say: {command: 'echo {text}'}\n"
OTHERWISE = "jobs:\n  say: {command: 'echo {txt}'}\n"
MORE = "jobs:\n  say: {command: 'echo {text} {who}'}\n"
WITHOUT = "jobs:\n  other: {command: 'true'}\n"
FLOW = "name: flow\nnodes:\n  a: {job: say, args: {text: hi}}\n"
TABLES = CompiledSchedules(rules_version(), random.random)


def bring(store: Store, *texts: str, prune: bool = False, only_look: bool = False) -> Plan:
    named = {SAY: "f1.yaml", OTHERWISE: "f1.yaml", MORE: "f1.yaml", WITHOUT: "f1.yaml"}
    bundles = [read_bundle(text.encode(), named.get(text, "f2.yaml")) for text in texts]
    wish = Wish(prune=prune)
    if only_look:
        return store.read(lambda tx: compare(tx, bundles, wish, namespace=HOME))
    return store.write(
        lambda tx: apply(
            tx, bundles, wish, namespace=HOME, who="ann", compiled=TABLES, new_id=new_id
        )
    )


def given_schedule(store: Store, schedule: Schedule) -> None:
    store.write(
        lambda tx: verbs.put(
            tx,
            "hourly",
            schedule,
            namespace=HOME,
            job="say",
            origin="api",
            who="ann",
            compiled=TABLES,
            new_id=new_id,
        )
    )


@pytest.mark.parametrize("only_look", [True, False])
@pytest.mark.parametrize("changed", [OTHERWISE, MORE], ids=["renamed", "more"])
def test_a_job_that_a_graph_of_another_file_calls_keeps_what_that_gives(
    store: Store, changed: str, *, only_look: bool
) -> None:
    bring(store, SAY)
    bring(store, FLOW)
    before = store.read(lambda tx: stored_jobs(tx, namespace=HOME))

    with pytest.raises(BadOption) as refused:
        bring(store, changed, only_look=only_look)

    said = str(refused.value)
    assert said.startswith("f1.yaml:2:3: changing job 'say' would break what others have")
    assert "graph 'flow': node 'a': job 'say'" in said
    assert "(it belongs to the file f2.yaml)" in said
    assert "Apply their files together with this one" in said
    assert store.read(lambda tx: stored_jobs(tx, namespace=HOME)) == before


def test_a_job_that_a_graph_of_another_file_calls_is_not_pruned(store: Store) -> None:
    bring(store, SAY)
    bring(store, FLOW)

    with pytest.raises(BadOption, match=r"removing job 'say' would break .*'flow'"):
        bring(store, WITHOUT, prune=True)

    assert bring(store, WITHOUT).leftovers


def test_both_files_together_may_change_what_they_share(store: Store) -> None:
    bring(store, SAY)
    bring(store, FLOW)

    plan = bring(store, OTHERWISE, FLOW.replace("text", "txt"))

    assert {each.name for each in plan.changes} == {"say", "flow"}


@pytest.mark.parametrize(
    "other",
    [
        "jobs: {after: {command: 'true', dependencies: [say]}}",
        "jobs: {after: {command: 'true', on_failure: tell}}",
    ],
)
def test_a_job_that_others_wait_for_or_tell_is_not_pruned(store: Store, other: str) -> None:
    first = SAY + "  tell: {command: 'echo {job}'}\n"
    both = [read_bundle(first.encode(), "f1.yaml"), read_bundle(other.encode(), "f2.yaml")]
    store.write(
        lambda tx: apply(
            tx, both, Wish(), namespace=HOME, who="ann", compiled=TABLES, new_id=new_id
        )
    )

    with pytest.raises(BadOption, match="'after'"):
        bring(store, WITHOUT, prune=True)


@pytest.mark.parametrize("trigger", [Every(every="1h"), OnEvent(event="e")])
def test_a_schedule_that_somebody_else_made_keeps_its_arguments(
    store: Store, trigger: Every | OnEvent
) -> None:
    bring(store, SAY)
    given_schedule(store, Schedule(trigger=trigger, args={"text": "hi"}))

    with pytest.raises(BadOption, match=r"changing job 'say' would break .*schedule 'hourly'"):
        bring(store, OTHERWISE)


def test_a_job_that_was_broken_before_blocks_no_apply(store: Store) -> None:
    bring(store, SAY)
    bring(store, FLOW)
    store.write(lambda tx: tx.execute("remove_job", name="say", namespace=HOME))

    assert bring(store, OTHERWISE).changes
    assert bring(store, MORE).changes
