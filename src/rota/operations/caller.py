"""The caller of an operation: on whose behalf it acts, and what exists for that caller."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from rota.engine.identity.audit_log import Actor
from rota.engine.jobs.definitions import current_specs
from rota.errors import UnknownJob
from rota.ids import new_id
from rota.model.identity.credentials import Credential, Role
from rota.operations.tools import Tools
from rota.store.base import Tx

T = TypeVar("T")


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """The caller: a program on the store may do everything, a token what its roles allow."""

    credential: Credential
    actor: Actor
    tools: Tools
    _kept: dict[str, Any] = {}

    @property
    def namespace(self) -> str:
        return self.credential.namespace

    @property
    def has_store(self) -> bool:
        """Whether it is a program on the store, which may change what code and files define."""
        return self.tools.payload_bytes is None

    @property
    def sees_all_queues(self) -> bool:
        return self.credential.queues is None

    def sees(self, queue: str) -> bool:
        """Whether runs of this queue exist for the caller."""
        return self.credential.reaches(queue)

    def may(self, *verbs: str, role: Role = "operator") -> tuple[str, ...]:
        """The verbs, if the caller has the role for them; a view offers these."""
        return verbs if self.credential.has(role) else ()

    def new_id_for(self, subject: str) -> str:
        """An id for what is made of this; the same one when the transaction is repeated."""
        return self.once(f"id for {subject}", new_id)

    def once(self, name: str, decide: Callable[[], T]) -> T:
        """Return a decision that stays the same when the transaction is repeated."""
        if name not in self._kept:
            self._kept[name] = decide()
        decided: T = self._kept[name]
        return decided

    def because(self, reason: str) -> Caller:
        """Return a caller whose audit entries have this reason."""
        if not reason:
            return self
        return replace(self, actor=replace(self.actor, why=reason))

    def visible_jobs(self, tx: Tx, jobs: Iterable[str]) -> set[str]:
        """Those of the jobs that are defined, in queues that the caller sees."""
        specs = current_specs(tx, set(jobs), namespace=self.namespace)
        return {job for job, (_, spec) in specs.items() if self.sees(spec.queue)}

    def check_job_is_visible(self, tx: Tx, job: str) -> None:
        """UnknownJob for a job in a queue that does not exist for the caller."""
        if not self.sees_all_queues and job not in self.visible_jobs(tx, {job}):
            raise UnknownJob(job)
