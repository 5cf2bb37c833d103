"""Templates of jobs: keep them, make jobs from them."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import delete, get, post, put
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from rota.api.identity.authorization import needs
from rota.api.identity.redaction import told_definition
from rota.api.routes.jobs.bodies import JobBody, JobMade
from rota.api.routes.jobs.changes import put_job
from rota.api.server.documents import Document, Moment, then
from rota.api.server.edge import named
from rota.api.server.etags import IfMatch, IfNoneMatch, show_etag
from rota.api.server.request import ApiRequest
from rota.engine.identity.audit_log import Actor
from rota.engine.jobs.templates import (
    TemplateView,
    find_template,
    put_template,
    remove_template,
    templates,
)
from rota.engine.locks import lock_name
from rota.errors import BadOption, UnknownTemplate
from rota.model.identity import Credential
from rota.model.template import Blank, Kind, Template
from rota.model.view import Body, Page
from rota.operations.etags import check_match, etag_of
from rota.operations.paging import MOST, PAGE
from rota.operations.permissions import check_template_rights
from rota.rules.jobs.templates import fill_template, schema_of
from rota.rules.security.rights import power_of_template
from rota.rules.text.names import check_name
from rota.store.base import Tx

Limit = Annotated[int, QueryParameter(ge=1, le=MOST)]
Scalar = str | int | float | bool


class BlankBody(Body):
    """What a parameter takes."""

    type: Kind = "string"
    default: Scalar | None = None
    """Without one the parameter must be given."""
    choices: list[Scalar] = msgspec.field(default_factory=list)
    description: str = ""


class TemplateBody(Body):
    """A job with blanks: `${name}` in any text of the definition stands for a parameter."""

    definition: dict[str, Any]
    """As a job is defined."""
    parameters: dict[str, BlankBody] = msgspec.field(default_factory=dict)
    description: str = ""

    def template(self) -> Template:
        """As the store keeps it."""
        blanks = {
            name: Blank(
                type=each.type,
                default=msgspec.UNSET if each.default is None else each.default,
                choices=tuple(each.choices),
                description=each.description,
            )
            for name, each in self.parameters.items()
        }
        return Template(definition=self.definition, parameters=blanks, description=self.description)


class TemplateDocument(Document):
    """A template."""

    name: str
    description: str
    definition: dict[str, Any]
    parameters: dict[str, Any]
    """As JSON Schema."""
    revision: int
    changed_by: str
    changed_at: Moment
    verbs: list[str]


class InstanceBody(Body):
    """What goes into the blanks."""

    parameters: dict[str, Any] = msgspec.field(default_factory=dict)


class TemplateGone(Document):
    """A template that is off the record."""

    name: str
    removed: bool


@get("/templates", **needs("viewer"))
async def list_templates(
    request: ApiRequest, cursor: FromQuery[str | None] = None, limit: Limit = PAGE
) -> Page[TemplateDocument]:
    """By name; `cursor` is the `next` of the page before."""
    found = await request.read(
        lambda tx: templates(tx, namespace=request.namespace, after=cursor or "", limit=limit + 1)
    )
    items = [_document(each, request.credential) for each in found[:limit]]
    return Page(items=items, next=items[-1].name if len(found) > limit else None)


@get("/templates/{name:str}", **needs("viewer"))
async def show_template(request: ApiRequest, name: FromPath[str]) -> TemplateDocument:
    """A template, and what its parameters are."""
    found = await request.read(
        lambda tx: find_template(tx, named(name), namespace=request.namespace)
    )
    show_etag(request, _etag(found))
    return _document(found, request.credential)


@put("/templates/{name:str}", **needs("author", changes=True, also=("exec",)))
async def replace_template(
    request: ApiRequest,
    name: FromPath[str],
    data: JSONBody[TemplateBody],
    if_match: IfMatch = None,
    if_none_match: IfNoneMatch = None,
) -> TemplateDocument:
    """Make or change one; jobs that were made from it stay as they are."""
    called = check_name("template", named(name))

    def put_it(tx: Tx, by: Actor) -> TemplateDocument:
        _check(tx, request, called, if_match, if_none_match=if_none_match)
        check_template_rights(request, data.definition)
        made = put_template(tx, called, data.template(), namespace=request.namespace, who=by.who)
        return _document(made, request.credential)

    return await request.change("put template", called, put_it, answers=TemplateDocument)


@delete("/templates/{name:str}", **needs("author", changes=True, also=("exec",)), status_code=200)
async def delete_template(
    request: ApiRequest, name: FromPath[str], if_match: IfMatch = None
) -> TemplateGone:
    """Take one off the record."""
    called = named(name)

    def take_away(tx: Tx, _: Actor) -> TemplateGone:
        _check(tx, request, called, if_match)
        remove_template(tx, called, namespace=request.namespace)
        return TemplateGone(name=called, removed=True)

    return await request.change("remove template", called, take_away, answers=TemplateGone)


@post("/templates/{name:str}/instantiate", **needs("author", changes=True, also=("exec",)))
async def instantiate_template(
    request: ApiRequest, name: FromPath[str], data: JSONBody[InstanceBody | None] = None
) -> JobMade:
    """Define a job: the template with these values in its blanks."""
    found = await request.read(
        lambda tx: find_template(tx, named(name), namespace=request.namespace)
    )
    filled = fill_template(found.template, data.parameters if data else {})
    try:
        body = msgspec.convert(filled, type=JobBody)
    except msgspec.ValidationError as error:
        raise BadOption(f"the definition of template {found.name}: {error}") from error
    return await put_job(request, body, is_new=True)


def _check(
    tx: Tx,
    request: ApiRequest,
    name: str,
    if_match: str | None,
    *,
    if_none_match: str | None = None,
) -> None:
    lock_name(tx, "template", name, namespace=request.namespace)
    try:
        found = find_template(tx, name, namespace=request.namespace)
    except UnknownTemplate:
        check_match(if_match, None, if_none_match=if_none_match)
        return
    check_template_rights(request, found.template.definition)
    check_match(if_match, _etag(found), if_none_match=if_none_match)


def _etag(view: TemplateView) -> str:
    return etag_of(view.name, view.revision, view.changed_at)


def _may_change(view: TemplateView, credential: Credential) -> bool:
    takes_exec = power_of_template(view.template.definition) is not None
    return credential.has("author") and (credential.has("exec") or not takes_exec)


def _document(view: TemplateView, credential: Credential) -> TemplateDocument:
    return TemplateDocument(
        name=view.name,
        description=view.template.description,
        definition=told_definition(view.template.definition, credential),
        parameters=schema_of(view.template),
        revision=view.revision,
        changed_by=view.changed_by,
        changed_at=then(view.changed_at),
        verbs=["edit", "delete", "instantiate"] if _may_change(view, credential) else [],
    )


ROUTES = (
    list_templates,
    show_template,
    replace_template,
    delete_template,
    instantiate_template,
)
