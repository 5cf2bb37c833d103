"""Submits of many requests in one transaction: those that arrive during a commit form the next one.

The audit entry, the key and the runs of a request are committed together, so a submit over HTTP
costs a share of a commit. A refused request does no harm to the rest of its batch.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from rota.api.runs.submit_requests import SubmitCall, SubmitReply, SubmitRequest
from rota.app.jobs.new_runs import new_run
from rota.clock import elapsed_s
from rota.engine.identity.audit_log import NewAuditEntry, new_act, record_all
from rota.engine.identity.namespaces import check_room, find_namespace
from rota.engine.jobs.weights import VersionChoice, choices
from rota.engine.runs.find import find_all
from rota.engine.runs.idempotency import KeyedRequest, answer_keys, drop_keys, take_keys
from rota.engine.runs.submit import submit
from rota.errors import (
    NotPermitted,
    QuotaExceeded,
    RotaError,
    UnknownJob,
)
from rota.model.identity.credentials import Credential, Quotas
from rota.model.jobs.spec import JobSpec, retry_of
from rota.model.runs.run import NewRun, Submitted
from rota.operations.payloads import check_size
from rota.operations.permissions import check_runs
from rota.rules.jobs.options import submit_options
from rota.rules.jobs.signature import Signature
from rota.rules.jobs.stored_signature import recorded_signature
from rota.rules.jobs.weights import point_of
from rota.store.base import Tx
from rota.store.settled import settled_write

if TYPE_CHECKING:
    from rota.api.server.state import ServerState

ASK_S = 10.0
"""How long to ask the store whether submits were recorded after their commit broke off."""
FLUSHES = 2
"""The most batches under way at once."""
MOST_RUNS = 5_000
"""The most runs in one batch, so that a large request does not make small ones wait."""
QUOTAS_S = 2.0
"""How long quotas are cached."""

MOST_SIGNATURES = 1_000

_answers = msgspec.json.Decoder(list[Submitted])


class _Batch:
    """The calls of one transaction, with their answers."""

    def __init__(self, calls: Sequence[SubmitCall]) -> None:
        self.calls = calls
        self.answers: list[SubmitReply | RotaError | None] = [None] * len(calls)
        self.drafts: dict[int, list[NewRun]] = {}

    def open_calls(self) -> list[tuple[int, SubmitCall]]:
        return [(at, call) for at, call in enumerate(self.calls) if self.answers[at] is None]


class SubmitBatcher:
    """Batched submits, gathered on the event loop and carried out in threads."""

    def __init__(self, server_state: ServerState) -> None:
        self._server_state = server_state
        self._waiting: list[tuple[SubmitCall, asyncio.Future[SubmitReply]]] = []
        self._flying = 0
        self._signatures: dict[str, tuple[JobSpec, Signature]] = {}
        self._quotas: dict[str, tuple[Quotas, float]] = {}

    async def submit(self, call: SubmitCall) -> SubmitReply:
        """All runs of the call, or none; on disk when this returns."""
        future: asyncio.Future[SubmitReply] = asyncio.get_running_loop().create_future()
        self._waiting.append((call, future))
        self._server_state.changed()
        if self._flying < FLUSHES:
            self._start()
        return await future

    def _start(self) -> None:
        count = runs = 0
        for call, _ in self._waiting:
            runs += len(call.wishes)
            if count and runs > MOST_RUNS:
                break
            count += 1
        batch, self._waiting = self._waiting[:count], self._waiting[count:]
        if batch:
            self._flying += 1
            flight = asyncio.ensure_future(self._fly(batch))
            flight.add_done_callback(lambda _: None)

    async def _fly(self, batch: list[tuple[SubmitCall, asyncio.Future[SubmitReply]]]) -> None:
        calls = [call for call, _ in batch]
        answers: Sequence[SubmitReply | BaseException]
        try:
            answers = await self._server_state.call(lambda: self._surely(calls))
        except Exception as error:  # noqa: BLE001  # everybody in the batch must be answered
            answers = [error] * len(batch)
        finally:
            self._flying -= 1
        for (_, future), answer in zip(batch, answers, strict=True):
            if future.done():
                continue
            if isinstance(answer, BaseException):
                future.set_exception(answer)
            else:
                future.set_result(answer)
        self._start()

    def _surely(self, calls: Sequence[SubmitCall]) -> Sequence[SubmitReply | RotaError]:
        """Carry out the calls; after a commit of unknown end, look for the ids of its runs."""
        batch = _Batch(calls)
        room = self._server_state.room({call.credential.namespace for call in calls})
        return settled_write(
            lambda is_repeat: room.write(
                partial(self._carry_out, batch=batch, is_repeat=is_repeat)
            ),
            patience_s=ASK_S,
        )

    def _carry_out(
        self, tx: Tx, batch: _Batch, *, is_repeat: bool
    ) -> Sequence[SubmitReply | RotaError]:
        batch.answers = [None] * len(batch.calls)
        self._take_keys(tx, batch)
        for namespace in sorted({call.credential.namespace for _, call in batch.open_calls()}):
            self._submit_in(tx, batch, namespace, is_repeat=is_repeat)
        self._record(tx, batch)
        return [each or RotaError() for each in batch.answers]

    def _take_keys(self, tx: Tx, batch: _Batch) -> None:
        keyed = [(at, call.keyed) for at, call in batch.open_calls() if call.keyed is not None]
        if not keyed:
            return
        for (at, _), outcome in zip(keyed, take_keys(tx, [each for _, each in keyed]), strict=True):
            if isinstance(outcome, str):
                batch.answers[at] = SubmitReply(runs=_answers.decode(outcome), is_replay=True)
            elif outcome is not None:
                batch.answers[at] = outcome

    def _submit_in(self, tx: Tx, batch: _Batch, namespace: str, *, is_repeat: bool) -> None:
        calls = [each for each in batch.open_calls() if each[1].credential.namespace == namespace]
        names = {wish.job for _, call in calls for wish in call.wishes}
        versions = choices(tx, names, namespace=namespace)
        quotas = self._quotas_of(tx, namespace)
        there = self._recorded(tx, batch, namespace) if is_repeat else frozenset()
        accepted: list[int] = []
        more = 0
        for at, call in calls:
            try:
                if at not in batch.drafts:
                    runs = [
                        self._draft(wish, versions, call.credential, quotas) for wish in call.wishes
                    ]
                    check_runs(tx, call.credential, runs, versions)
                    self._check_rate(namespace, quotas, len(runs))
                    batch.drafts[at] = runs
                fresh = sum(run.id not in there for run in batch.drafts[at])
                if fresh:
                    check_room(tx, namespace, more=more + fresh, quotas=quotas)
            except RotaError as error:
                batch.answers[at] = error
            else:
                more += fresh
                accepted.append(at)
        drafts = [run for at in accepted for run in batch.drafts[at]]
        if not drafts:
            return
        submitted_runs = iter(submit(tx, drafts, namespace=namespace, is_repeat=is_repeat))
        for at in accepted:
            batch.answers[at] = SubmitReply(runs=[next(submitted_runs) for _ in batch.drafts[at]])

    def _recorded(self, tx: Tx, batch: _Batch, namespace: str) -> frozenset[str]:
        """Return the runs that a commit did record after all: they take no room a second time."""
        ids = [run.id for runs in batch.drafts.values() for run in runs]
        return frozenset(find_all(tx, ids, namespace=namespace))

    def _record(self, tx: Tx, batch: _Batch) -> None:
        acts: list[NewAuditEntry] = []
        answered: list[KeyedRequest] = []
        refused: list[KeyedRequest] = []
        for call, answer in zip(batch.calls, batch.answers, strict=True):
            if isinstance(answer, SubmitReply):
                if answer.is_replay:
                    continue
                text = msgspec.json.encode(answer.runs)
                acts.append(_act(call, answer, text))
                if call.keyed is not None:
                    answered.append(msgspec.structs.replace(call.keyed, answer=text.decode()))
            elif call.keyed is not None:
                refused.append(call.keyed)
        if acts:
            record_all(tx, acts)
        if answered:
            answer_keys(tx, answered)
        if refused:
            drop_keys(tx, refused)

    def _quotas_of(self, tx: Tx, namespace: str) -> Quotas:
        cached = self._quotas.get(namespace)
        if cached is None or cached[1] < elapsed_s():
            quotas = find_namespace(tx, namespace).quotas
            cached = self._quotas[namespace] = quotas, elapsed_s() + QUOTAS_S
        return cached[0]

    def _check_rate(self, namespace: str, quotas: Quotas, count: int) -> None:
        if quotas.rate is None:
            return
        wait_s = self._server_state.buckets.take(
            ("submits", namespace), rate=quotas.rate, burst=max(1.0, quotas.rate), cost=count
        )
        if wait_s:
            raise QuotaExceeded(
                f"namespace {namespace} may submit {quotas.rate:g} runs a second",
                retry_after_s=wait_s,
            )

    def _draft(
        self,
        wish: SubmitRequest,
        versions: dict[str, VersionChoice],
        credential: Credential,
        quotas: Quotas,
    ) -> NewRun:
        if wish.job not in versions:
            raise UnknownJob(wish.job)
        key = wish.options.get("key")
        version, spec = versions[wish.job].at(
            point_of(f"{wish.job}\n{key}") if key else random.random()
        )
        options = submit_options(wish.options, retry=retry_of(spec))
        queue = options.queue or spec.queue
        if not credential.reaches(queue):  # before what it takes is told
            raise NotPermitted(f"the credential does not reach the queue {queue}")
        args = self._signature(spec).bind((), wish.args)
        run = new_run(spec, version, args, options)
        most = self._server_state.options.payload_bytes
        check_size(f"the arguments of {wish.job} take", args, quotas, most=most)
        return run

    def _signature(self, spec: JobSpec) -> Signature:
        """Return the signature, made once for each definition.

        Without this cache it took more than half of the time of a bulk.
        """
        cached = self._signatures.get(spec.name)
        if cached is None or cached[0] is not spec:
            if len(self._signatures) >= MOST_SIGNATURES:
                self._signatures.clear()
            cached = self._signatures[spec.name] = spec, recorded_signature(spec)
        return cached[1]


def _act(call: SubmitCall, answer: SubmitReply, text: bytes) -> NewAuditEntry:
    return new_act(
        call.by,
        namespace=call.credential.namespace,
        verb=call.verb,
        subject=call.subject,
        detail={"runs": len(answer.runs), "first": answer.runs[0].id},
        after_digest=hashlib.sha256(text).hexdigest(),
    )
