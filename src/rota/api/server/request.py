"""The request that a route gets: it knows the caller, and carries out reads and changes.

A change is one transaction with its audit entry and, if the request brings an Idempotency-Key, with
its answer: the same request sent again gets that answer and changes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

import msgspec
from litestar import Request
from litestar.exceptions import ClientException, InternalServerException

from rota.api.identity.authorization import WHOLE
from rota.api.identity.identities import address_of
from rota.api.identity.row_scope import HOUSE
from rota.api.server.json_depth import is_deeper
from rota.api.server.state import ServerState
from rota.engine.identity.audit_log import Actor, new_act, record_all
from rota.engine.identity.namespaces import HOME
from rota.engine.runs.idempotency import KeyedRequest, answer_keys, take_keys
from rota.errors import BadInput, KeyReused
from rota.model.identity.credentials import Credential
from rota.model.view import decode, encode
from rota.operations.caller import Caller
from rota.operations.operation import Operation, digest
from rota.rules.text.json_keys import check_keys
from rota.store.base import Tx
from rota.store.settled import settled_write

T = TypeVar("T")

ASK_S = 10.0
"""How long to ask the store whether a change was made after its commit broke off."""
KEY_HEADER = "idempotency-key"
MAX_KEY = 200
SOON_READ = 64 * 1024
"""Bytes of a body that are checked on the event loop, in about three milliseconds."""


class ApiRequest(Request[Any, Any, Any]):
    """A request behind the gate."""

    @property
    def server_state(self) -> ServerState:
        server_state: ServerState = self.app.state.server_state
        return server_state

    @property
    def credential(self) -> Credential:
        facts: Mapping[str, Any] = self.scope
        credential: Credential = facts["credential"]
        return credential

    @property
    def namespace(self) -> str:
        """The namespace of the credential; nothing else can set it."""
        return self.credential.namespace

    @property
    def only(self) -> frozenset[str] | None:
        """The namespaces that the request may touch; None, for some routes at home, means all."""
        if self.route_handler.opt.get(WHOLE) and self.namespace == HOME:
            return HOUSE
        return frozenset((self.namespace,))

    @property
    def request_id(self) -> str:
        facts: Mapping[str, Any] = self.scope
        return str(facts["request_id"])

    def by(self) -> Actor:
        """Return the actor for the audit; all changes of one request are one entry."""
        return Actor(
            act_id=self.request_id,
            who=self.credential.who,
            address=address_of(self),
            request_id=self.request_id,
        )

    @property
    def caller(self) -> Caller:
        """Return the caller for operations."""
        return Caller(credential=self.credential, actor=self.by(), tools=self.server_state.tools)

    def add_header(self, name: str, value: str) -> None:
        """Add a header to the answer."""
        facts: dict[str, Any] = self.scope  # type: ignore[assignment]
        facts["answer_headers"].append((name.lower().encode(), value.encode("latin-1")))

    async def read(self, work: Callable[[Tx], T]) -> T:
        """Read in the caller's namespace."""
        return await self.server_state.read(work, only=self.only)

    async def perform(
        self, operation: Operation[..., T], arguments: Mapping[str, Any], *, answers: type[T]
    ) -> T:
        """Carry out an operation for the caller, once."""
        caller = self.caller
        if operation.prepare is not None:
            await self.server_state.write_all(operation.prepare)
        if operation.parse is not None:
            arguments = await self._parse(operation.parse, arguments)
        if operation.is_read(**arguments):
            return await self._look(operation, arguments)
        answer = await self._once(
            lambda tx: operation(tx, caller, **arguments), answers=answers, kept=operation.to_keep
        )
        if operation.drops_credentials:
            self.server_state.identities.forget()
        return answer

    async def _parse(self, parse: Any, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Parse the arguments, few requests at once, so that threads are left for others."""
        read, caller = self.server_state.room(self.only).read, self.caller
        return await self.server_state.call_slowly(lambda: parse(read, caller, arguments))

    async def _look(self, operation: Operation[..., T], arguments: Mapping[str, Any]) -> T:
        """Return the answer of an operation that only reads, with its ETag."""
        caller = self.caller

        def look(tx: Tx) -> tuple[T, str | None]:
            return operation.tagged(tx, caller, **arguments)

        if operation.may_be_old:
            key = operation.name, self.namespace, self.credential.queues, *sorted(arguments.items())
            answer, etag = await self.server_state.recent.read(key, look, only=self.only)
        else:
            answer, etag = await self.read(look)
        if etag is not None:
            self.add_header("ETag", etag)
        return answer

    async def change(
        self, verb: str, subject: str, work: Callable[[Tx], T], *, answers: type[T]
    ) -> T:
        """Make a change that is no operation once, with its audit entry."""
        by = self.by()

        def carry_out(tx: Tx) -> T:
            answer = work(tx)
            act = new_act(
                by,
                namespace=self.namespace,
                verb=verb,
                subject=subject,
                detail={},
                after_digest=digest(encode(answer)),
            )
            record_all(tx, [act])
            return answer

        return await self._once(carry_out, answers=answers)

    async def _once(
        self, work: Callable[[Tx], T], *, answers: type[T], kept: Callable[[T], T] | None = None
    ) -> T:
        """Make a change; a request whose key was answered before gets that answer."""
        keyed = await self.keyed()

        def carry_out(tx: Tx) -> tuple[T | None, str]:
            earlier = take_keys(tx, [keyed])[0] if keyed else None
            if isinstance(earlier, KeyReused):
                raise earlier
            if earlier is not None:
                return None, earlier
            answer = work(tx)
            if keyed:
                text = encode(kept(answer) if kept else answer).decode()
                answer_keys(tx, [msgspec.structs.replace(keyed, answer=text)])
            return answer, ""

        self.server_state.changed()
        answer, replayed = await self.server_state.call(
            lambda: self._surely(carry_out, is_keyed=bool(keyed))
        )
        if answer is not None:
            return answer
        self.add_header("Idempotency-Replayed", "true")
        return decode(replayed, answers)

    async def keyed(self) -> KeyedRequest | None:
        """Return the claim on the request's key, for this caller alone; None without a key."""
        key = self.headers.get(KEY_HEADER)
        if key is None:
            return None
        if not key.isprintable() or not 0 < len(key) <= MAX_KEY:
            raise BadInput(f"an Idempotency-Key has 1 to {MAX_KEY} printable characters")
        own = self.credential
        # The id of a token is left out, so that a request can be repeated after a rotation.
        whose = f"{own.who} {sorted(own.roles)} {own.queues and sorted(own.queues)}"
        query = self.scope["query_string"].decode("latin-1")
        facts = f"{whose}\n{self.method} {self.scope['path']}?{query}\n"
        body = digest(facts.encode() + await self.body())
        return KeyedRequest(namespace=self.namespace, key=key, digest=body)

    async def body(self) -> bytes:
        """Return the whole body, if it arrives in time."""
        try:
            async with asyncio.timeout(self.server_state.options.body_s):
                body = await super().body()
        except InternalServerException:
            raise ClientException("the request was cut off") from None
        except TimeoutError:
            raise ClientException(
                "the body did not arrive in time", status_code=408, headers={"Connection": "close"}
            ) from None
        return body

    async def json(self) -> Any:
        """Decode the body once, strictly, as the route wants it; errors name unknown fields."""
        if self.content_type[0] != "application/json":
            raise ClientException(
                f"the body is {self.content_type[0]!r:.64}, not application/json", status_code=415
            )
        body = await self.body()
        limit = self.server_state.options.json_depth
        if len(body) <= SOON_READ:
            check_json(body, limit)
        else:  # the event loop has others to serve meanwhile
            await self.server_state.call(lambda: check_json(body, limit))
        field = self.route_handler.parsed_data_field
        try:
            return _decoder(field.annotation if field else Any).decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise BadInput(f"the body: {error}") from error

    def _surely(self, work: Callable[[Tx], T], *, is_keyed: bool) -> T:
        """Make a change; with a key, ask what an unknown commit did: a repeat finds its answer."""
        write = self.server_state.room(self.only).write
        if not is_keyed:
            return write(work)
        return settled_write(lambda _: write(work), patience_s=ASK_S)


def check_json(body: bytes, depth: int) -> None:
    """BadInput for JSON that is nested deeper, or has a key twice."""
    if is_deeper(body, depth):
        raise BadInput(f"the JSON is nested more than {depth} levels deep")
    try:
        check_keys(body)
    except BadInput as error:
        raise BadInput(f"the body: {error}") from error


@lru_cache(maxsize=512)
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)
