"""Houses: where commands about tokens and the audit ask, be it a database or a server."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from rota.cli.clients import client
from rota.cli.options import settings
from rota.cli.served import server_client
from rota.errors import BadInput

if TYPE_CHECKING:
    from rota.app import App
    from rota.client import Client
    from rota.engine.acts import Act
    from rota.engine.audit import Verified
    from rota.model.identity import TokenView

PAST = 1000
"""So many of the newest tokens can be meant by a short id."""


class NewToken(NamedTuple):
    """What was asked for."""

    name: str
    roles: Sequence[str]
    queues: Sequence[str] | None
    expires: str | None


class House(Protocol):
    """What commands ask for."""

    def now(self) -> int: ...
    def tokens(self, *, past: bool, limit: int) -> list[TokenView]: ...
    def create_token(self, asked: NewToken, who: str | None) -> tuple[TokenView, str | None]: ...
    def revoke_token(self, text: str, who: str | None) -> TokenView: ...
    def acts(self, **wanted: Any) -> list[Act]: ...
    def verify(self, head: str | None) -> Verified: ...


@contextmanager
def house(flags: dict[str, Any]) -> Iterator[House]:
    """A server if the settings name one, else the store."""
    said = settings(flags)
    if said.server is not None:
        if flags.get("who") and "verb" not in flags:
            raise BadInput("--who: at a server the token says who it is")
        with server_client(said) as served:
            yield ServerHouse(served)
        return
    app = client(said)
    try:
        yield StoreHouse(app)
    finally:
        app.close()


class StoreHouse:
    """Straight to the database."""

    def __init__(self, app: App) -> None:
        self._app = app

    def now(self) -> int:
        from rota.engine.inspect import now_ms

        return self._app.store.read(now_ms)

    def tokens(self, *, past: bool, limit: int) -> list[TokenView]:
        from rota.engine.tokens import tokens

        at = {"namespace": self._app.namespace, "past": past, "limit": limit}
        return self._app.store.read(lambda tx: tokens(tx, **at))  # type: ignore[arg-type]

    def create_token(self, asked: NewToken, who: str | None) -> tuple[TokenView, str | None]:
        from rota.app.tokens import draw_token
        from rota.engine.tokens import issue

        drawn = draw_token(**asked._asdict())
        by = self._by(who)
        view = self._app.store.write(
            lambda tx: issue(tx, drawn.token, namespace=self._app.namespace, by=by)
        )
        return view, drawn.secret

    def revoke_token(self, text: str, who: str | None) -> TokenView:
        from rota.app.tokens import pick
        from rota.engine.tokens import revoke

        found = pick(self.tokens(past=True, limit=PAST), text)
        by = self._by(who)
        return self._app.store.write(
            lambda tx: revoke(tx, found.id, namespace=self._app.namespace, by=by)
        )

    def acts(self, **wanted: Any) -> list[Act]:
        from rota.engine.acts import acts

        return self._app.store.read(lambda tx: acts(tx, namespace=self._app.namespace, **wanted))

    def verify(self, head: str | None) -> Verified:
        from rota.engine.audit import seal, verify_with

        while self._app.store.write(seal):
            pass
        return self._app.store.read(lambda tx: verify_with(tx, head, namespace=self._app.namespace))

    @staticmethod
    def _by(who: str | None) -> Any:
        from rota.app.who import whoami
        from rota.engine.acts import By
        from rota.ids import new_id

        return By(act_id=new_id(), who=who or whoami())


class ServerHouse:
    """Through a server, for who has the role admin there."""

    def __init__(self, served: Client) -> None:
        self._served = served

    def now(self) -> int:
        return round(time.time() * 1000)

    def tokens(self, *, past: bool, limit: int) -> list[TokenView]:
        return self._served.tokens.list(past=past, limit=limit)

    def create_token(self, asked: NewToken, who: str | None) -> tuple[TokenView, str | None]:
        del who
        return self._served.tokens.create(**asked._asdict())

    def revoke_token(self, text: str, who: str | None) -> TokenView:
        from rota.app.tokens import pick

        del who
        return self._served.tokens.revoke(pick(self.tokens(past=True, limit=PAST), text).id)

    def acts(self, **wanted: Any) -> list[Act]:
        return self._served.audit.list(**wanted)

    def verify(self, head: str | None) -> Verified:
        return self._served.audit.verify(head)
