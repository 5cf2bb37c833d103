"""Run services of a remote worker: what a running handler may request, answered by a server."""

from __future__ import annotations

import random
import time
from typing import Any

import msgspec

from rota.clock import elapsed_s
from rota.errors import LeaseLost, ServerUnavailable, UnknownWorker
from rota.model.runs.run import Lease
from rota.model.workers.remote import AttemptBody, Done
from rota.model.workers.remote_handlers import (
    CheckpointBody,
    CheckpointState,
    EffectBody,
    EffectState,
    LabelBody,
    LabelState,
    SuccessState,
)
from rota.remote.tokens import AttemptTokens
from rota.remote.transport import ServerTransport
from rota.rules.runs.effect_keys import args_digest
from rota.runtime.attempts.remote_services import RemoteRunServices, ServiceReply, ServiceRequest

ASK_S = 15.0
"""How long to retry a request that may be sent twice."""


class HttpRunServices(RemoteRunServices):
    """Serves all attempts of one worker; each request carries the token of its attempt."""

    def __init__(self, transport: ServerTransport, tokens: AttemptTokens) -> None:
        super().__init__()
        self._transport = transport
        self._tokens = tokens

    def ask(self, lease: Lease, question: ServiceRequest) -> ServiceReply:
        end_s = elapsed_s() + ASK_S
        while True:
            try:
                return self._ask(lease, question)
            except UnknownWorker:
                raise LeaseLost from None
            except ServerUnavailable:
                # Sent twice, an intent would look as if an earlier attempt had begun the effect.
                if question.verb == "intend" or elapsed_s() > end_s:
                    raise
                time.sleep(random.uniform(0.1, 0.5))

    def _ask(self, lease: Lease, question: ServiceRequest) -> ServiceReply:
        token = self._tokens.find(lease.run_id, lease.fence)
        if token is None:
            raise LeaseLost
        at: dict[str, Any] = {"run_id": lease.run_id, "fence": lease.fence, "token": token}
        match question.verb:
            case "save":
                kept = CheckpointBody(state=question.text, **at)
                self._transport.say("checkpoint", Done, kept)
                return ServiceReply()
            case "load":
                loaded = self._transport.say("checkpoint/load", CheckpointState, AttemptBody(**at))
                return ServiceReply(text=loaded.state)
            case "label":
                body = LabelBody(labels=msgspec.json.decode(question.text), **at)
                stored = self._transport.say("labels", LabelState, body)
                return ServiceReply(text=msgspec.json.encode(stored.labels).decode())
            case "last_success":
                last = self._transport.say("last-success", SuccessState, AttemptBody(**at))
                return ServiceReply(at=last.at, text=last.result)
            case "intend" | "settle" | "retract":
                result = question.text if question.verb == "settle" else None
                is_node = lease.parent_id is not None
                if question.verb == "intend" and is_node and self._transport.understands.begins:
                    at["args_digest"] = args_digest(lease.args)
                effect = EffectBody(verb=question.verb, name=question.name, result=result, **at)
                state = self._transport.say("effects", EffectState, effect)
                return ServiceReply(
                    is_new=state.is_new,
                    is_settled=state.is_settled,
                    text=state.result,
                    key_run=state.key_run,
                )
