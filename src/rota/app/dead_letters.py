"""The dead letters of an app: look at them, redrive or discard one, many or a whole group."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from rota.engine.failures import dead_letters as engine
from rota.engine.failures.dead_letters import LetterGroup, LetterState, LetterView
from rota.engine.failures.discard import discard
from rota.engine.failures.redrive import Redriven, RedrivePair, RedriveRequest, redrive
from rota.engine.identity.audit_log import Actor
from rota.engine.jobs.definitions import current_specs
from rota.engine.runs.find import now_ms
from rota.errors import (
    BadArguments,
    BadInput,
    NotAllowed,
    PayloadTooLarge,
)
from rota.handles.actor import whoami
from rota.ids import new_id
from rota.rules.jobs.signature import MAX_ARGS_BYTES
from rota.rules.jobs.stored_signature import recorded_signature
from rota.rules.text.rate import parse_rate
from rota.store.base import Tx
from rota.store.settled import settled_write

if TYPE_CHECKING:
    from rota.app.app import App

T = TypeVar("T")
Told = Callable[[int], None]

BATCH = 500
"""Letters per transaction."""


class DeadLetters:
    """Runs that failed for good: retries used up, quarantined, given up, lost, undecodable."""

    def __init__(self, app: App) -> None:
        self._app = app

    def groups(
        self, *, job: str | None = None, acted: bool = False, limit: int = 100
    ) -> list[LetterGroup]:
        """Letters by job and cause, most open ones first; `acted` includes finished groups."""
        return self._read(
            lambda tx: engine.groups(
                tx, namespace=self._app.namespace, job=job, acted=acted, limit=limit
            )
        )

    def letters(
        self,
        *,
        job: str | None = None,
        group: str | None = None,
        state: LetterState | None = "open",
        before: str | None = None,
        limit: int = 50,
    ) -> list[LetterView]:
        """Those of the newest runs first; `group` is a fingerprint, `state=None` means all."""
        return self._read(
            lambda tx: engine.letters(
                tx,
                namespace=self._app.namespace,
                job=job,
                fingerprint=group,
                state=state,
                before=before,
                limit=limit,
            )
        )

    def show(self, run_id: str) -> LetterView:
        """The letter of a run; NotAllowed when the run has none."""
        return self._read(lambda tx: engine.find_letter(tx, run_id, namespace=self._app.namespace))

    def redrive(  # one choice each, all named
        self,
        *run_ids: str,
        group: str | None = None,
        args: Mapping[str, Any] | None = None,
        rate: str | None = None,
        who: str | None = None,
        why: str = "",
        told: Told | None = None,
    ) -> list[Redriven]:
        """Run letters again as new runs, each at most once whoever asks; open ones of a group.

        `args` replace the arguments of all of them and are checked as in a submit; a `rate`
        such as `10/s` spreads their starts, on disk at once. A letter that is redriven already
        answers the run it became; a discarded one raises NotAllowed and nothing is changed.
        Batches of 500 are committed one by one; `told` hears the size of each.
        """
        gap_ms = parse_rate(rate) if rate is not None else 0.0
        jobs = self._chosen(run_ids, group)
        text = None if args is None else self._checked(args, jobs)
        done: list[Redriven] = []
        new = 0
        for batch in self._batches(run_ids, group):
            pairs = [RedrivePair(run_id, new_id()) for run_id in batch]
            wish = RedriveRequest(
                subject=_subject(run_ids, group), args=text, gap_ms=gap_ms, first=new
            )
            by = Actor(act_id=new_id(), who=who or whoami(), why=why)
            answers = self._surely(
                lambda tx, p=pairs, w=wish, b=by: redrive(  # type: ignore[misc]
                    tx, p, w, namespace=self._app.namespace, by=b
                )
            )
            new += sum(answer.is_new for answer in answers)
            done += answers
            if told is not None:
                told(len(batch))
        return done

    def discard(
        self,
        *run_ids: str,
        group: str | None = None,
        who: str | None = None,
        why: str = "",
        told: Told | None = None,
    ) -> int:
        """Close letters that nobody will redrive; returns how many were open.

        Their runs stay as they are until retention. A letter that is redriven raises
        NotAllowed and nothing is changed.
        """
        self._chosen(run_ids, group, redriven_too=False)
        gone = 0
        for batch in self._batches(run_ids, group):
            by = Actor(act_id=new_id(), who=who or whoami(), why=why)
            gone += self._surely(
                lambda tx, ids=batch, b=by: discard(  # type: ignore[misc]
                    tx,
                    ids,
                    namespace=self._app.namespace,
                    subject=_subject(run_ids, group),
                    by=b,
                )
            )
            if told is not None:
                told(len(batch))
        return gone

    def _read(self, work: Callable[[Tx], T]) -> T:
        return self._app.store.read(work)

    def _chosen(
        self, run_ids: Sequence[str], group: str | None, *, redriven_too: bool = True
    ) -> set[str]:
        """The jobs of what was asked for; refuses before anything is changed."""
        if bool(run_ids) == (group is not None):
            raise BadInput("say which dead letters: some runs, or group= with a fingerprint")
        if group is not None:
            found = self._read(
                lambda tx: engine.open_group(tx, group, namespace=self._app.namespace)
            )
            if found.job is None:
                raise BadInput(f"no open dead letter has the fingerprint {group!r:.64}")
            return {found.job}
        letters = [self.show(run_id) for run_id in run_ids]
        refused = {"discarded"} if redriven_too else {"redriven"}
        for letter in letters:
            if letter.state in refused:
                raise NotAllowed(
                    f"the dead letter of run {letter.run_id} was {letter.state} by "
                    f"{letter.acted_by}; `rota runs rerun` runs any ended run again"
                )
        return {letter.job for letter in letters}

    def _checked(self, args: Mapping[str, Any], jobs: set[str]) -> str:
        if len(jobs) > 1:
            names = ", ".join(sorted(jobs))
            raise BadArguments(f"other arguments are for letters of one job, not of {names}")
        (name,) = jobs
        job = self._app.everything.get(name)
        if job is not None:
            return job.signature.bind((), args)
        try:
            text = msgspec.json.encode(dict(args)).decode()
        except (TypeError, ValueError) as error:
            raise BadArguments(f"the arguments are no JSON: {error}") from error
        if len(text.encode()) > MAX_ARGS_BYTES:
            raise PayloadTooLarge(f"the arguments take more than {MAX_ARGS_BYTES:,} bytes")
        found = self._read(lambda tx: current_specs(tx, jobs, namespace=self._app.namespace))
        return recorded_signature(found[name][1]).bind((), args) if name in found else text

    def _batches(self, run_ids: Sequence[str], group: str | None) -> Iterator[Sequence[str]]:
        if group is None:
            once = tuple(dict.fromkeys(run_ids))
            for at in range(0, len(once), BATCH):
                yield once[at : at + BATCH]
            return
        until, after = self._read(now_ms), None
        while batch := self._next(group, until, after):
            yield batch
            if len(batch) < BATCH:
                return  # one of these may have failed again within the millisecond
            after = batch[-1]

    def _next(self, group: str, until: int, after: str | None) -> list[str]:
        return self._read(
            lambda tx: engine.open_letters(
                tx,
                group,
                namespace=self._app.namespace,
                until=until,
                after=after,
                limit=BATCH,
            )
        )

    def _surely(self, work: Callable[[Tx], T]) -> T:
        """An unknown commit is asked about: the same request again changes nothing twice."""
        return settled_write(lambda _: self._app.store.write(work))


def _subject(run_ids: Sequence[str], group: str | None) -> str:
    if group is not None:
        return f"group {group}"
    return f"run {run_ids[0]}" if len(run_ids) == 1 else f"{len(run_ids)} runs"
