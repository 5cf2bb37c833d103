"""Namespaces behind a server, for admins of the namespace `default`."""

from __future__ import annotations

import builtins
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec

from rota.client.documents import Answer, Page, ms_or_none
from rota.errors import UnknownNamespace
from rota.model.identity import Namespace, Quotas
from rota.rules.security.identity_options import Limit, other_quotas
from rota.rules.text.names import check_name

if TYPE_CHECKING:
    from rota.client.client import Client


class _Namespace(Answer):
    name: str
    note: str
    quotas: Quotas
    created_at: datetime | None


class ServedNamespaces:
    """Who shares the server without seeing each other, and how much each may use."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def list(self) -> builtins.list[Namespace]:
        """Those on record, by name; for admins of another one than `default` their own."""
        return [each for each in self._found() if each.created_at is not None]

    def create(self, name: str, *, note: str = "", **limits: Limit) -> Namespace:
        """Make one; limits are queued, running, rate and payload, and without one there is none."""
        check_name("namespace", name)
        body = {"name": name, "note": note, "quotas": _said(other_quotas(limits))}
        return _view(self._client.line.post("/namespaces", _Namespace, body))

    def change(self, name: str, *, note: str | None = None, **limits: Limit) -> Namespace:
        """Give it another note and other limits; 0 takes one away, what is not said stays."""
        old = next((each for each in self._found() if each.name == name), None)
        if old is None:
            raise UnknownNamespace(name)
        said = old.note if note is None else note
        body = {"note": said, "quotas": _said(other_quotas(limits, old.quotas))}
        return _view(self._client.line.put(_at(name), _Namespace, body))

    def remove(self, name: str) -> None:
        """Take it off the record, if nothing is left in it."""
        self._client.line.delete(_at(name), Answer)

    def _found(self) -> builtins.list[Namespace]:
        return [
            _view(each) for each in self._client.line.get("/namespaces", Page[_Namespace]).items
        ]


def _at(name: str) -> str:
    return f"/namespaces/{quote(name, safe='')}"


def _said(quotas: Quotas) -> dict[str, Any]:
    return msgspec.structs.asdict(quotas)


def _view(found: _Namespace) -> Namespace:
    return Namespace(
        name=found.name,
        note=found.note,
        quotas=found.quotas,
        created_at=ms_or_none(found.created_at),
    )
