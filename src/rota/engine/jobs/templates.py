"""Templates on record, by name; each change gives a template a new revision."""

from __future__ import annotations

import msgspec

from rota.clock import Moment, moment
from rota.engine.jobs.definitions import EVERY
from rota.engine.locks import lock_name
from rota.errors import UnknownTemplate
from rota.model.jobs.template import Template
from rota.rules.jobs.templates import check_template
from rota.store.base import Tx

_template = msgspec.json.Decoder(Template)


class RecordedTemplate(msgspec.Struct, frozen=True, kw_only=True):
    """A template on record."""

    name: str
    template: Template
    revision: int
    changed_by: str
    changed_at: Moment


def put_template(
    tx: Tx, name: str, template: Template, *, namespace: str, who: str
) -> RecordedTemplate:
    """Store a template; jobs that were made from it stay as they are."""
    spec = msgspec.json.encode(check_template(template)).decode()
    lock_name(tx, "template", name, namespace=namespace)
    tx.execute("put_template", namespace=namespace, name=name, spec=spec, who=who)
    return find_template(tx, name, namespace=namespace)


def find_template(tx: Tx, name: str, *, namespace: str) -> RecordedTemplate:
    """Return a template; UnknownTemplate when there is none of that name."""
    rows = templates(tx, namespace=namespace, name=name)
    if not rows:
        raise UnknownTemplate(name)
    return rows[0]


def templates(
    tx: Tx, *, namespace: str, name: str | None = None, after: str = "", limit: int = EVERY
) -> list[RecordedTemplate]:
    """Return templates by name; `after` is the last name of the page before."""
    rows = tx.all("list_templates", namespace=namespace, name=name, after=after, limit=limit)
    return [
        RecordedTemplate(
            name=row["name"],
            template=_template.decode(row["spec"]),
            revision=row["revision"],
            changed_by=row["changed_by"],
            changed_at=moment(row["changed_at"]),
        )
        for row in rows
    ]


def remove_template(tx: Tx, name: str, *, namespace: str) -> None:
    """Remove a template; UnknownTemplate when there is none of that name."""
    lock_name(tx, "template", name, namespace=namespace)
    if not tx.execute("delete_template", namespace=namespace, name=name):
        raise UnknownTemplate(name)
