"""Run services without a database: requests of a handler go to a process that has one.

A worker asks its server, and a child process asks its worker.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NoReturn

import msgspec

from rota.engine.runs.effects.ledger import Intent
from rota.engine.schedules.last_success import LastSuccess
from rota.errors import NotAllowed
from rota.model.runs.labels import Labels
from rota.model.runs.run import Lease
from rota.rules.runs.labels import read_changes
from rota.runtime.attempts.services import RunServices, never
from rota.runtime.attempts.transaction import Transaction

NO_DATABASE = (
    "this worker has no login of the database: it speaks to a server, with a token that can carry "
    "out runs and nothing else. "
)
NO_COMMIT = NO_DATABASE + (
    "commit() needs a worker with one; return the result, and guard calls outside with once()"
)
NO_STORE = NO_DATABASE + (
    "To submit or look at runs use rota.Client with a token of its own, of the role operator"
)


class ServiceRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A request of a handler to read or to keep something."""

    verb: Literal["load", "save", "label", "last_success", "intend", "settle", "retract"]
    name: str = ""
    text: str = ""


class ServiceReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="reply"):
    """The reply to a request: a value, or the class and message of a Rota error."""

    text: str | None = None
    at: int | None = None
    is_new: bool = False
    is_settled: bool = False
    key_run: str | None = None
    error: tuple[str, str] | None = None


class RemoteRunServices(RunServices):
    """Run services that send each call as a request; those that need a transaction are refused."""

    address = None

    def __init__(self) -> None:
        """Set nothing up: there is no store here."""

    def ask(self, lease: Lease, question: ServiceRequest) -> ServiceReply:
        """Send a request and return its reply; LeaseLost when another worker owns the run."""
        raise NotImplementedError

    def save_checkpoint(self, lease: Lease, state: str) -> None:
        self.ask(lease, ServiceRequest(verb="save", text=state))

    def load_checkpoint(self, lease: Lease) -> str | None:
        return self.ask(lease, ServiceRequest(verb="load")).text

    def label(self, lease: Lease, labels: Mapping[str, Any]) -> Labels:
        put, remove = read_changes("labels", labels)
        text = msgspec.json.encode({**put, **dict.fromkeys(remove)}).decode()
        reply = self.ask(lease, ServiceRequest(verb="label", text=text))
        return msgspec.json.decode(reply.text or "{}", type=Labels)

    def check_lease(self, lease: Lease) -> None:
        self.ask(
            lease, ServiceRequest(verb="load")
        )  # requests that servers of all versions answer under the fence

    def last_success(self, lease: Lease, schedule: str) -> LastSuccess:
        reply = self.ask(lease, ServiceRequest(verb="last_success", name=schedule))
        return LastSuccess(at=reply.at, result=reply.text)

    def intend(self, lease: Lease, name: str) -> Intent:
        reply = self.ask(lease, ServiceRequest(verb="intend", name=name))
        return Intent(
            is_new=reply.is_new,
            is_settled=reply.is_settled,
            result=reply.text,
            key_run=reply.key_run,
        )

    def settle(self, lease: Lease, name: str, result: str) -> None:
        self.ask(lease, ServiceRequest(verb="settle", name=name, text=result))

    def retract(self, lease: Lease, name: str) -> None:
        self.ask(lease, ServiceRequest(verb="retract", name=name))

    def limit_s(self, asked_s: float | None) -> NoReturn:  # noqa: ARG002  # it does not matter
        raise NotAllowed(NO_COMMIT)

    def commit(
        self,
        lease: Lease,  # noqa: ARG002  # whatever it is
        apply: Callable[[Transaction], str],  # noqa: ARG002
        *,
        limit_s: float,  # noqa: ARG002
        gives_up: Callable[[], bool] = never,  # noqa: ARG002
    ) -> NoReturn:
        raise NotAllowed(NO_COMMIT)
