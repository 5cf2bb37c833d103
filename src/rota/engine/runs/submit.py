"""Submit: record runs so that they cannot be lost.

The caller has checked the arguments; this module does not read them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import msgspec

from rota.engine.runs.find import endings, find_all
from rota.engine.runs.search.labels import store_labels
from rota.engine.values.artifacts import load_kept, store_large_args
from rota.engine.wakeup_keys import DUE, queue_key
from rota.model.runs.run import NewRun, Submitted
from rota.model.values.artifact import is_pointer
from rota.rules.text.json_values import same_json
from rota.store.base import Tx


class _Key(msgspec.Struct, frozen=True):
    """A run's claim on its idempotency key."""

    job: str
    key: str
    id: str
    digest: str
    key_window_ms: int


def submit(
    tx: Tx, runs: Sequence[NewRun], *, namespace: str, is_repeat: bool = False
) -> list[Submitted]:
    """Insert all runs, in order; return one answer for each.

    A run whose key is taken is not inserted: with the same arguments the answer is the run that
    has the key, with other arguments a refusal. The other runs are inserted all the same.
    Set `is_repeat` if an earlier submit of these same runs may have been committed: runs that
    exist, live or ended, then stay as they are.
    """
    answers: dict[str, Submitted] = {}
    if is_repeat:
        ended = endings(tx, [run.id for run in runs], namespace=namespace)
        answers = {run_id: Submitted(id=run_id) for run_id in ended}
    keyed = [run for run in runs if run.key is not None and run.id not in answers]
    if keyed:
        answers |= _take_keys(tx, keyed, namespace)
    fresh = [run for run in runs if run.id not in answers] if answers else runs
    if fresh:
        # Two statements, so that a run without a schedule does not pay for schedule columns.
        is_fired = _has_schedule(fresh)
        # Before the insert, because a store may send the notification with it.
        if is_fired:
            _offer(tx, fresh, namespace)
        else:
            tx.notify(_wakes(fresh, namespace))
        batch = msgspec.json.encode(store_large_args(tx, fresh)).decode()
        insert = "insert_fired" if is_fired else "insert_runs"
        tx.execute(insert, batch=batch, namespace=namespace)
        if labelled := _labelled(fresh):
            store_labels(tx, labelled, namespace=namespace)
        if is_repeat:
            _take_back_ended(tx, fresh, namespace)
    return [answers.get(run.id) or Submitted(id=run.id) for run in runs]


def _take_back_ended(tx: Tx, runs: Sequence[NewRun], namespace: str) -> None:
    """Remove runs that were inserted a second time.

    A run that was live when checked may have ended before the insert, which then met no row. After
    the insert nothing can come between: it has waited for any transaction that was ending the run.
    """
    ids = msgspec.json.encode([run.id for run in runs]).decode()
    tx.execute("take_back_ended", ids=ids, namespace=namespace)


# Loops, here and in `store_large_args`: a generator is a call, and after a rest it costs 4 us.
def _has_schedule(runs: Sequence[NewRun]) -> bool:
    for run in runs:  # noqa: SIM110
        if run.schedule_id:
            return True
    return False


def _labelled(runs: Sequence[NewRun]) -> list[NewRun]:
    return [run for run in runs if run.labels is not None or run.rerun_of is not None]


def _wakes(runs: Sequence[NewRun], namespace: str) -> set[str]:
    queues: set[str] = set()
    wakes: set[str] = set()
    for run in runs:
        if run.due_at is not None or run.delay_ms:
            wakes.add(DUE)
        elif not run.waits:
            queues.add(run.queue)
    for queue in queues:
        wakes.add(queue_key(namespace, queue))
    return wakes


def _offer(tx: Tx, runs: Sequence[NewRun], namespace: str) -> None:
    """Offer runs of schedules to a worker of this process, which may claim them in this commit."""
    tx.offer({run.id: queue_key(namespace, run.queue) for run in _ready(runs)})
    if any(run.due_at is not None or run.delay_ms for run in runs):
        tx.notify((DUE,))


def _ready(runs: Sequence[NewRun]) -> list[NewRun]:
    return [run for run in runs if run.due_at is None and not run.delay_ms and not run.waits]


def _take_keys(tx: Tx, runs: Sequence[NewRun], namespace: str) -> dict[str, Submitted]:
    """Take the keys of runs; return answers for runs that must not be inserted, by run id."""
    asks = [_Key(run.job, run.key or "", run.id, _digest(run), run.key_window_ms) for run in runs]
    first: dict[tuple[str, str], _Key] = {}
    for ask in asks:
        first.setdefault((ask.job, ask.key), ask)
    # In key order: two batches with the same keys must not deadlock.
    batch = msgspec.json.encode([first[at] for at in sorted(first)]).decode()
    ours = {
        (row["job"], row["key"]) for row in tx.all("take_keys", batch=batch, namespace=namespace)
    }
    owners = {
        (row["job"], row["key"]): (str(row["run_id"]), str(row["digest"]))
        for row in tx.all("find_keys", batch=batch, namespace=namespace)
    }
    answers: dict[str, Submitted] = {}
    doubted: dict[str, tuple[str, str]] = {}
    same_runs: dict[str, str] = {}
    for ask, run in zip(asks, runs, strict=True):
        owner, digest = owners[ask.job, ask.key]
        if (ask.job, ask.key) in ours and owner == ask.id:
            same_runs[ask.id] = run.args
            continue
        answers[ask.id] = Submitted(id=owner, is_new=False, refused=digest != ask.digest)
        if digest != ask.digest:
            doubted[ask.id] = (owner, run.args)
    if doubted:
        for run_id in _same_values(tx, doubted, same_runs, namespace):
            answers[run_id] = msgspec.structs.replace(answers[run_id], refused=False)
    return answers


def _same_values(
    tx: Tx, doubted: Mapping[str, tuple[str, str]], same_runs: Mapping[str, str], namespace: str
) -> list[str]:
    """The runs whose arguments differ in text from those of the key's owner but are equal.

    Compared only where the texts differ. An owner that retention has removed proves nothing.
    """
    owners = sorted({owner for owner, _ in doubted.values() if owner not in same_runs})
    stored = {run.id: run.args for run in find_all(tx, owners, namespace=namespace).values()}
    apart = load_kept(tx, [text for text in stored.values() if is_pointer(text)])
    args = {**{each: apart.get(text, text) for each, text in stored.items()}, **same_runs}
    return [
        run_id
        for run_id, (owner, text) in doubted.items()
        if owner in args and same_json(text, args[owner])
    ]


def _digest(run: NewRun) -> str:
    # SHA-256, because rota.submit() in the database computes the same digest.
    return hashlib.sha256(f"{run.job}\n{run.args}".encode()).hexdigest()[:32]
