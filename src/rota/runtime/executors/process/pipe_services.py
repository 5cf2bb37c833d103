"""Run services of a handler in a child process whose worker has no database: the worker answers.

The credential stays with the worker: the code in the child never has it.
"""

from __future__ import annotations

from collections.abc import Callable

from rota import errors
from rota.errors import LeaseLost, RotaError
from rota.model.runs.run import Lease
from rota.runtime.attempts.remote_services import RemoteRunServices, ServiceReply, ServiceRequest


class PipeRunServices(RemoteRunServices):
    """Serves one attempt, the only one in the process."""

    def __init__(self, question: Callable[[ServiceRequest], ServiceReply]) -> None:
        super().__init__()
        self._question = question

    def ask(self, lease: Lease, question: ServiceRequest) -> ServiceReply:  # noqa: ARG002  # the worker knows it
        reply = self._question(question)
        if reply.error is not None:
            raise _error(*reply.error)
        return reply


def _error(name: str, message: str) -> RotaError:
    """Return an error of the same class and message."""
    kind = getattr(errors, name, LeaseLost)
    error: RotaError = kind.__new__(kind)
    RotaError.__init__(error, message)
    return error
