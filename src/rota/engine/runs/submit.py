"""Submit: record runs so that they cannot be lost.

Arguments are checked before; nothing here looks into them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import msgspec

from rota.engine.runs.find import endings, find_all
from rota.engine.values.artifacts import load_kept, store_large_args
from rota.engine.wakeup_keys import DUE, queue_key
from rota.model.artifact import is_pointer
from rota.model.run import NewRun, Submitted
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
    """Insert all runs, in order; one answer each.

    A run whose key is taken is not inserted: the same arguments answer the run that
    has it, other arguments are refused. The others are inserted all the same.
    Who does not know whether an earlier submit of these very runs was committed
    says `is_repeat`: then those that are there, live or ended, stay as they are.
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
        # Two texts, so that a run that no schedule started does not pay for what it has not.
        is_fired = _has_schedule(fresh)
        # Before the insert: a store may send the news with it.
        if is_fired:
            _offer(tx, fresh, namespace)
        else:
            tx.notify(_wakes(fresh, namespace))
        batch = msgspec.json.encode(store_large_args(tx, fresh)).decode()
        insert = "insert_fired" if is_fired else "insert_runs"
        tx.execute(insert, batch=batch, namespace=namespace)
        if is_repeat:
            _take_back_ended(tx, fresh, namespace)
    return [answers.get(run.id) or Submitted(id=run.id) for run in runs]


def _take_back_ended(tx: Tx, runs: Sequence[NewRun], namespace: str) -> None:
    """Remove what was inserted a second time.

    One that we saw alive may have ended before our insert, which then met no row. From the
    insert on nothing can come between: it has waited for whoever was about to end the run.
    """
    ids = msgspec.json.encode([run.id for run in runs]).decode()
    tx.execute("take_back_ended", ids=ids, namespace=namespace)


# Loops, here and in `keep_args`: each generator is a call, and after a rest a call costs 4 us.
def _has_schedule(runs: Sequence[NewRun]) -> bool:
    for run in runs:  # noqa: SIM110
        if run.schedule_id:
            return True
    return False


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
    """Of schedules: a worker of the same process may take them in the same commit."""
    tx.offer({run.id: queue_key(namespace, run.queue) for run in _ready(runs)})
    if any(run.due_at is not None or run.delay_ms for run in runs):
        tx.notify((DUE,))


def _ready(runs: Sequence[NewRun]) -> list[NewRun]:
    return [run for run in runs if run.due_at is None and not run.delay_ms and not run.waits]


def _take_keys(tx: Tx, runs: Sequence[NewRun], namespace: str) -> dict[str, Submitted]:
    """Answers for the runs that must not be inserted, by run id."""
    asks = [_Key(run.job, run.key or "", run.id, _digest(run), run.key_window_ms) for run in runs]
    first: dict[tuple[str, str], _Key] = {}
    for ask in asks:
        first.setdefault((ask.job, ask.key), ask)
    # In key order: two batches with the same keys must not lock each other out.
    batch = msgspec.json.encode([first[at] for at in sorted(first)]).decode()
    ours = {
        (row["job"], row["key"]) for row in tx.all("take_keys", batch=batch, namespace=namespace)
    }
    taken = {
        (row["job"], row["key"]): (str(row["run_id"]), str(row["digest"]))
        for row in tx.all("find_keys", batch=batch, namespace=namespace)
    }
    answers: dict[str, Submitted] = {}
    doubted: dict[str, tuple[str, str]] = {}
    known: dict[str, str] = {}
    for ask, run in zip(asks, runs, strict=True):
        owner, digest = taken[ask.job, ask.key]
        if (ask.job, ask.key) in ours and owner == ask.id:
            known[ask.id] = run.args
            continue
        answers[ask.id] = Submitted(id=owner, is_new=False, refused=digest != ask.digest)
        if digest != ask.digest:
            doubted[ask.id] = (owner, run.args)
    if doubted:
        for run_id in _same_values(tx, doubted, known, namespace):
            answers[run_id] = msgspec.structs.replace(answers[run_id], refused=False)
    return answers


def _same_values(
    tx: Tx, doubted: Mapping[str, tuple[str, str]], known: Mapping[str, str], namespace: str
) -> list[str]:
    """Those whose arguments are written in another way than their owner's, and are the same.

    Looked at only where the texts differ. An owner that retention has removed proves nothing.
    """
    owners = sorted({owner for owner, _ in doubted.values() if owner not in known})
    stored = {run.id: run.args for run in find_all(tx, owners, namespace=namespace).values()}
    apart = load_kept(tx, [text for text in stored.values() if is_pointer(text)])
    args = {**{each: apart.get(text, text) for each, text in stored.items()}, **known}
    return [
        run_id
        for run_id, (owner, text) in doubted.items()
        if owner in args and same_json(text, args[owner])
    ]


def _digest(run: NewRun) -> str:
    # SHA-256, because rota.submit() in the database computes the same.
    return hashlib.sha256(f"{run.job}\n{run.args}".encode()).hexdigest()[:32]
