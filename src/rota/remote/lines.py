"""Log lines on their way to a server."""

from __future__ import annotations

from rota.errors import RotaError, StoreUnavailable
from rota.model.log import LogChunk
from rota.model.remote import ChunkBody, LogsBody, Taken
from rota.notices import emit
from rota.remote.tokens import AttemptTokens
from rota.remote.transport import ServerTransport
from rota.rules.shared_log_rows import split
from rota.runtime.attempts.table import AttemptTable
from rota.runtime.logs.buffer import LogBuffer
from rota.runtime.logs.flusher import BaseLogFlusher, Echo


class HttpLogFlusher(BaseLogFlusher):
    """Each chunk goes with the token of its attempt; lines of one that is not ours are let go."""

    def __init__(
        self,
        transport: ServerTransport,
        tokens: AttemptTokens,
        calls: AttemptTable,
        book: LogBuffer,
        *,
        echo: Echo | None,
    ) -> None:
        super().__init__(calls, book, echo=echo)
        self._transport = transport
        self._tokens = tokens

    def send(self, chunks: list[LogChunk], *, is_repeated: bool) -> None:  # noqa: ARG002  # it looks
        said = [
            ChunkBody(
                run_id=each.run_id,
                fence=each.fence,
                token=token,
                seq=each.seq,
                first_at=each.first_at,
                marks=each.marks,
                body=each.body,
            )
            for chunk in chunks
            for each in split(chunk)
            if (token := self._tokens.find(each.run_id, each.fence)) is not None
        ]
        if not said:
            return
        try:
            self._transport.say("logs", Taken, LogsBody(chunks=said))
        except StoreUnavailable:
            raise
        except RotaError as error:  # sent again it would be refused again, and all that follows
            emit("logs.dropped", lines=sum(each.body.count("\n") + 1 for each in said), error=error)
