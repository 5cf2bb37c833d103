"""Finish: close attempts in a batch, fenced, each at most once.

The retry rule has already decided the verdicts; this module writes them as rows.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from rota.engine.admission.freed import free_others
from rota.engine.failures.batch_isolation import beside, each_apart, set_aside
from rota.engine.failures.breakers.tally import judge_breakers, tally_attempts
from rota.engine.failures.failed_runs import failed_runs
from rota.engine.failures.give_up import give_up
from rota.engine.failures.on_failure import tell_failures
from rota.engine.failures.quarantine import quarantined
from rota.engine.graphs.abandon import abandon
from rota.engine.graphs.advance import advance, ended
from rota.engine.graphs.nodes.links import refused
from rota.engine.graphs.wind_down import wind_down
from rota.engine.runs.argument_mismatch import spared
from rota.engine.schedules.outcomes import record_outcomes
from rota.engine.values.artifacts import store_large_results
from rota.engine.values.result_cache import keep_memos
from rota.engine.wakeup_keys import AWAITED, DUE, ENDED, NODE_ENDED, queue_key
from rota.model.runs.run import Verdict
from rota.model.states import FINAL, TRANSITIONS, State
from rota.store.base import Row, Tx

_ENDS_RUN = frozenset(verb for verb, change in TRANSITIONS.items() if change.to in FINAL)
_FAILS = frozenset(verb for verb, change in TRANSITIONS.items() if change.to is State.FAILED)
_RETRIES = frozenset({"retry"})
_RETURNS = frozenset({"release", "reap"})
_FINISHES = _ENDS_RUN | _RETRIES | _RETURNS


def finish(tx: Tx, verdicts: Sequence[Verdict], *, namespace: str) -> list[str]:
    """Apply the verdicts; return the run ids whose lease was lost, for which nothing changed.

    A verdict counts only while its run is in a state that allows it and carries its fence. In a
    careful transaction a verdict that the store rejects becomes a failure with the reason.
    """
    # A run is closed once: if a batch has two verdicts for a run, the first counts. In id order,
    # because two batches that share rows must not deadlock.
    first = {verdict.run_id: verdict for verdict in reversed(verdicts)}
    ordered = [first[run_id] for run_id in sorted(first)]
    if not tx.is_careful:
        return _finish(tx, ordered, namespace)
    ended = each_apart(
        tx,
        ordered,
        lambda verdict: _finish(tx, [verdict], namespace),
        instead=lambda verdict, error: _refuse(tx, verdict, error, namespace),
    )
    return [run_id for lost in ended for run_id in lost]


def _refuse(tx: Tx, verdict: Verdict, error: Exception, namespace: str) -> list[str]:
    """Fail a run whose verdict cannot be recorded; if that fails too, leave the run as it is."""
    plain = refused(verdict, error)
    (lost,) = each_apart(
        tx,
        [plain],
        lambda each: _finish(tx, [each], namespace),
        instead=lambda each, error: set_aside(f"run {each.run_id}", error),
    )
    return lost or []


def _finish(tx: Tx, verdicts: Sequence[Verdict], namespace: str) -> list[str]:
    ordered = store_large_results(tx, verdicts)
    if _are_plain(ordered):
        return _move_to_history(tx, ordered, _batch(ordered), namespace)
    if unknown := {verdict.verb for verdict in ordered} - _FINISHES:
        raise ValueError(f"a run is not finished by {min(unknown)!r}")
    return _apply(tx, ordered, namespace)


def _apply(tx: Tx, ordered: Sequence[Verdict], namespace: str) -> list[str]:
    if any(verdict.misfit for verdict in ordered):
        ordered = spared(tx, ordered, namespace=namespace)
    if any(verdict.kind for verdict in ordered):
        failed = [verdict for verdict in ordered if verdict.kind]
        tx.execute("record_attempts", batch=_batch(failed), namespace=namespace)
        if any(verdict.max_crashes for verdict in failed):
            ordered = quarantined(tx, ordered)
    seen = beside(tx, lambda: tally_attempts(tx, ordered, namespace=namespace), what="a breaker")
    ending, follow = _wind_down(tx, ordered, namespace)
    retrying = [verdict for verdict in ordered if verdict.verb in _RETRIES]
    returning = [verdict for verdict in ordered if verdict.verb in _RETURNS]
    lost: list[str] = []
    unbegun = [verdict for verdict in ending if verdict.held_ms < 0]
    if unbegun:
        tx.execute("never_begun", batch=_batch(unbegun), namespace=namespace)
    if ending:
        lost += _close(tx, ending, namespace)
        if any(verdict.memo_key for verdict in ending):
            kept = [each for each in ending if each.memo_key and each.run_id not in lost]
            beside(tx, lambda: keep_memos(tx, kept, namespace=namespace), what="a cached result")
        _note_failures(tx, ending, lost, namespace)
    stayed = _retry(tx, retrying, namespace) if retrying else []
    stayed += _requeue(tx, returning, namespace) if returning else []
    if stayed:
        lost += _abort(tx, stayed, namespace)
    if seen:
        beside(tx, lambda: judge_breakers(tx, seen, namespace=namespace), what="a breaker")
    if follow:
        finish(tx, follow, namespace=namespace)
    return lost


def _are_plain(verdicts: Sequence[Verdict]) -> bool:
    """Whether all verdicts are successes with no side effects on others, as in most batches."""
    return not [
        verdict
        for verdict in verdicts
        if verdict.verb != "succeed"
        or verdict.kind is not None
        or verdict.held_ms < 0
        or verdict.watched
        or verdict.fired
        or verdict.parent_id is not None
        or verdict.memo_key is not None
    ]


def _note_failures(
    tx: Tx, ending: Sequence[Verdict], lost: Collection[str], namespace: str
) -> None:
    """Make dead letters and start the jobs to notify; every failed run passes through here.

    Reads nothing if no run needs either of them.
    """
    failed = [verdict for verdict in ending if verdict.verb in _FAILS]
    if not failed:
        return
    dead = {verdict.run_id for verdict in failed if _leaves_letter(verdict)}.difference(lost)
    told = {verdict.run_id for verdict in failed if not verdict.quiet}.difference(lost)
    wanted = dead | told
    if not wanted:
        return
    what = "what is known of failed runs"
    rows = beside(tx, lambda: failed_runs(tx, wanted, namespace=namespace), what=what) or []
    letters = [row for row in rows if str(row["id"]) in dead]
    if letters:
        beside(tx, lambda: give_up(tx, letters, namespace=namespace), what="a dead letter")
    tellable = [row for row in rows if str(row["id"]) in told]
    if tellable:
        what = "who is told of a failure"
        beside(tx, lambda: tell_failures(tx, tellable, namespace=namespace), what=what)


def _wind_down(
    tx: Tx, verdicts: Sequence[Verdict], namespace: str
) -> tuple[list[Verdict], list[Verdict]]:
    """The verdicts that end runs now, and those that follow for graphs with teardowns to run."""
    ending = [verdict for verdict in verdicts if verdict.verb in _ENDS_RUN]
    asked = [each for each in ending if each.verb in ("cancel", "fail_graph") and not each.force]
    if not asked:
        return ending, []
    wound = beside(
        tx, lambda: wind_down(tx, asked, namespace=namespace), what="the teardowns of a graph"
    )
    going_on, follow = wound or (set[str](), [])
    return [each for each in ending if each.run_id not in going_on], follow


def _leaves_letter(verdict: Verdict) -> bool:
    """Whether a failure makes a dead letter: not for nodes (their graph does), nor for expiry."""
    return verdict.verb != "expire" and verdict.parent_id is None


def _abort(tx: Tx, stayed: Sequence[Verdict], namespace: str) -> list[str]:
    """End runs whose cancel was acknowledged, because they get no other attempt.

    A run that was to be released has no record of this attempt yet; the attempt counts now if its
    handler had begun.
    """
    aborted = [
        msgspec.structs.replace(
            verdict, verb="abort", kind=verdict.kind or "cancelled", reason="cancelled"
        )
        for verdict in stayed
    ]
    fresh = [
        new
        for old, new in zip(stayed, aborted, strict=True)
        if old.kind is None and old.held_ms >= 0
    ]
    if fresh:
        tx.execute("record_attempts", batch=_batch(fresh), namespace=namespace)
    unbegun = [verdict for verdict in aborted if verdict.held_ms < 0]
    if unbegun:
        tx.execute("never_begun", batch=_batch(unbegun), namespace=namespace)
    return _close(tx, aborted, namespace)


def _batch(verdicts: Sequence[Verdict]) -> str:
    return msgspec.json.encode(verdicts).decode()


def _close(tx: Tx, verdicts: Sequence[Verdict], namespace: str) -> list[str]:
    batch = _batch(verdicts)
    fired = _fired(tx, verdicts, namespace)
    gone = _gone(tx, verdicts, namespace)
    lost = _move_to_history(tx, verdicts, batch, namespace)
    if fired:
        if any(row["is_awaited"] for row in fired):
            tx.notify((AWAITED,))
        verbs = {verdict.run_id: verdict.verb for verdict in verdicts}
        mine = [row for row in fired if str(row["id"]) not in lost]
        ends = [(row, TRANSITIONS[verbs[str(row["id"])]].to) for row in mine]
        beside(tx, lambda: record_outcomes(tx, ends), what="what a schedule knows of its runs")
    follow = _followed(tx, verdicts, lost, gone, namespace)
    if follow:
        finish(tx, follow, namespace=namespace)
    return lost


def _move_to_history(tx: Tx, verdicts: Sequence[Verdict], batch: str, namespace: str) -> list[str]:
    """Move ended runs to the history; return the ids whose lease was lost."""
    closed = tx.execute("close_runs", batch=batch, namespace=namespace)
    if closed:
        tx.notify({ENDED if verdict.parent_id is None else NODE_ENDED for verdict in verdicts})
    if closed == len(verdicts):
        return []
    rows = tx.all("not_closed", batch=batch, namespace=namespace)
    return [str(row["run_id"]) for row in rows]


def _followed(
    tx: Tx,
    verdicts: Sequence[Verdict],
    lost: Collection[str],
    gone: Collection[str],
    namespace: str,
) -> list[Verdict]:
    """The verdicts that follow for the nodes of ended graphs and for the graphs of ended nodes.

    Runs outside of graphs cost nothing here. A run that is no longer an instance of its node ends
    without an effect on that node; its own nodes still end with it.
    """
    mine = [verdict for verdict in verdicts if verdict.run_id not in lost] if lost else verdicts
    follow: list[Verdict] = []
    broken = [verdict for verdict in mine if verdict.verb in ("cancel", "fail_graph")]
    if broken:
        follow += abandon(tx, broken)
    free_others(tx, mine, namespace=namespace)
    nodes = [each for each in mine if each.parent_id is not None and each.run_id not in gone]
    if nodes:
        endings = [ended(verdict, TRANSITIONS[verdict.verb].to) for verdict in nodes]
        follow += advance(tx, endings, namespace=namespace)
    return follow


def _fired(tx: Tx, verdicts: Sequence[Verdict], namespace: str) -> list[Row]:
    """The rows of runs that belong to a schedule and are still there to be closed."""
    told = [verdict for verdict in verdicts if verdict.fired]
    return tx.all("find_fired", batch=_batch(told), namespace=namespace) if told else []


def _gone(tx: Tx, verdicts: Sequence[Verdict], namespace: str) -> set[str]:
    """The ids of instances of mapped nodes that ended before, so that each one counts once."""
    told = [verdict for verdict in verdicts if verdict.item is not None]
    if not told:
        return set()
    rows = tx.all("find_instances", batch=_batch(told), namespace=namespace)
    return {verdict.run_id for verdict in told}.difference(str(row["id"]) for row in rows)


def _retry(tx: Tx, verdicts: Sequence[Verdict], namespace: str) -> list[Verdict]:
    """Return the verdicts that did not apply."""
    rows = tx.all("retry_runs", batch=_batch(verdicts), namespace=namespace)
    changed = {str(row["id"]) for row in rows}
    if changed:
        tx.notify((DUE,))
    return [verdict for verdict in verdicts if verdict.run_id not in changed]


def _requeue(tx: Tx, verdicts: Sequence[Verdict], namespace: str) -> list[Verdict]:
    """Return the verdicts that did not apply."""
    rows = tx.all("requeue_runs", batch=_batch(verdicts), namespace=namespace)
    tx.notify({queue_key(namespace, row["queue"]) for row in rows})
    changed = {str(row["id"]) for row in rows}
    return [verdict for verdict in verdicts if verdict.run_id not in changed]
