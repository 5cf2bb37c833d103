"""The plan of a look: whatever happens, messages are bounded and no incident is lost."""

from __future__ import annotations

from bisect import bisect_left

from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rota.model.alerts.finding import AlertFinding, OpenIncident
from rota.model.alerts.rule import AlertRule, QuietHours
from rota.rules.alerts.plan import BUDGET_MS, MOST_OPEN, OTHERS, IncidentChange, Told, plan_rule

LOOK_MS = 2_000
UNSHRUNK = (Phase.explicit, Phase.reuse, Phase.generate)
"""To shrink hundreds of looks takes a minute, and a failure is as clear without."""
NIGHT = QuietHours(begin="22:00", end="07:00")
RULE = AlertRule(on=("run.failed", "queue.unserved"), to=("ops",))


class People:
    """Carries out plans as the store does, and remembers the messages."""

    def __init__(self, rule: AlertRule) -> None:
        self.rule = rule
        self.now = 0
        self.open: dict[tuple[str, str], OpenIncident] = {}
        self.closed: dict[tuple[str, str], int] = {}
        self.messages: list[tuple[int, str, int]] = []

    def look(self, findings: list[AlertFinding], *, recovered: bool = False) -> None:
        present = [replace(each, has_recovered=recovered) for each in self.open.values()]
        lately = [at for at, _, _ in self.messages if at > self.now - BUDGET_MS]
        plan = plan_rule(
            "night",
            self.rule,
            findings=findings,
            present=present,
            closed=self.closed,
            told=Told(messages=len(lately), last_at=max(lately, default=None)),
            now=self.now,
        )
        for change in plan.silent:
            self._keep(change)
        for each in plan.announcements:
            self.messages.append((self.now, each.kind, len(each.changes)))
            for change in each.changes:
                self._keep(change)
        self.now += LOOK_MS

    def _keep(self, change: IncidentChange) -> None:
        key = (change.incident.kind, change.incident.subject)
        if change.closed_at is None:
            self.open[key] = change.incident
        else:
            self.open.pop(key, None)
            self.closed[key] = change.incident.last_at


def failed(job: str, at: int) -> AlertFinding:
    return AlertFinding(
        kind="run.failed", subject=f"{job} x", title=f"{job} failed", at=at, job=job
    )


def unserved(queue: str, at: int) -> AlertFinding:
    return AlertFinding(
        kind="queue.unserved", subject=queue, title=queue, at=at, queue=queue, lasts=True
    )


@settings(deadline=None, report_multiple_bugs=False, phases=UNSHRUNK)
@given(
    looks=st.lists(st.lists(st.integers(0, 40), max_size=30), min_size=1, max_size=400),
    at_most=st.integers(1, 10),
)
def test_messages_are_bounded_and_no_incident_is_left_untold(
    looks: list[list[int]], at_most: int
) -> None:
    people = People(replace(RULE, at_most=at_most))
    for jobs in looks:
        people.look([failed(f"job-{each}", people.now) for each in jobs])
    for _ in range(BUDGET_MS // LOOK_MS):
        people.look([])

    assert all(each.messages > 0 for each in people.open.values())
    times = [at for at, _, _ in people.messages]
    near = [bisect_left(times, at + BUDGET_MS) - number for number, at in enumerate(times)]
    assert max(near, default=0) <= at_most + BUDGET_MS // 60_000


def test_incidents_in_quiet_hours_are_told_at_their_end() -> None:
    people = People(replace(RULE, quiet=NIGHT))
    people.look([failed("backup", 0)])
    assert people.messages == []

    people.now = 7 * 3_600_000
    people.look([])

    assert [kind for _, kind, _ in people.messages] == ["opened"]


def test_critical_incidents_are_told_in_quiet_hours() -> None:
    people = People(replace(RULE, quiet=NIGHT, severity="critical"))

    people.look([failed("backup", 0)])

    assert [kind for _, kind, _ in people.messages] == ["opened"]


def test_what_came_and_went_in_quiet_hours_is_not_told() -> None:
    people = People(replace(RULE, quiet=NIGHT))
    people.look([unserved("fax", 0)])
    people.look([])

    assert (people.messages, people.open) == ([], {})


def test_more_incidents_than_may_be_open_share_one() -> None:
    people = People(RULE)

    people.look([failed(f"job-{number}", 0) for number in range(MOST_OPEN + 50)])

    assert len(people.open) == MOST_OPEN + 1
    assert ("run.failed", OTHERS) in people.open


def test_without_recovery_messages_an_end_is_silent() -> None:
    people = People(replace(RULE, recovery=False))
    people.look([unserved("fax", 0)])
    people.look([])

    assert [kind for _, kind, _ in people.messages] == ["opened"]
