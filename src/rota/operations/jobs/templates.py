"""Operations on templates of jobs: keep them, make jobs from them."""

from __future__ import annotations

from typing import Any

import msgspec

from rota.engine.jobs.templates import (
    RecordedTemplate,
    find_template,
    put_template,
    remove_template,
    templates,
)
from rota.engine.locks import lock_name
from rota.errors import BadOption, UnknownTemplate
from rota.model.jobs.job import JobMade
from rota.model.jobs.template import Blank, Kind, Template, TemplateView
from rota.model.schedules.definitions import Removed
from rota.model.view import Body, Page
from rota.operations.caller import Caller
from rota.operations.etags import check_match, etag_of
from rota.operations.jobs.bodies import JobBody
from rota.operations.jobs.definitions import put_job
from rota.operations.jobs.redaction import visible_definition
from rota.operations.operation import changes, nothing_changed, reads, tell
from rota.operations.paging import PAGE, Limit
from rota.operations.permissions import check_template_rights
from rota.rules.jobs.templates import fill_template, schema_of
from rota.rules.security.rights import power_of_template
from rota.rules.text.names import check_name
from rota.store.base import Tx

Scalar = str | int | float | bool


class BlankBody(Body):
    """The values that a parameter takes."""

    type: Kind = "string"
    default: Scalar | None = None
    """Without one the parameter must be given."""
    choices: list[Scalar] = msgspec.field(default_factory=list)
    description: str = ""

    def blank(self) -> Blank:
        """In the form that the store keeps."""
        default = msgspec.UNSET if self.default is None else self.default
        choices = tuple(self.choices)
        return Blank(type=self.type, default=default, choices=choices, description=self.description)


class TemplateBody(Body):
    """A job with blanks: `${name}` in any text of the definition stands for a parameter."""

    definition: dict[str, Any]
    """The definition of a job."""
    parameters: dict[str, BlankBody] = msgspec.field(default_factory=dict)
    description: str = ""

    def template(self) -> Template:
        """In the form that the store keeps."""
        blanks = {name: each.blank() for name, each in self.parameters.items()}
        return Template(definition=self.definition, parameters=blanks, description=self.description)


def _etag(template: TemplateView | RecordedTemplate) -> str:
    return etag_of(template.name, template.revision, template.changed_at.ms)


@reads("/templates")
def list_templates(
    tx: Tx, caller: Caller, *, cursor: str | None = None, limit: Limit = PAGE
) -> Page[TemplateView]:
    """By name; `cursor` is the `next` of the page before."""
    found = templates(tx, namespace=caller.namespace, after=cursor or "", limit=limit + 1)
    items = [_view(each, caller) for each in found[:limit]]
    return Page(items=items, next=items[-1].name if len(found) > limit else None)


@reads("/templates/{name}", etag=_etag)
def show_template(tx: Tx, caller: Caller, name: str) -> TemplateView:
    """A template, and what its parameters are."""
    return _view(find_template(tx, name, namespace=caller.namespace), caller)


@changes("PUT", "/templates/{name}", verb="put template", role="author", also=("exec",))
def replace_template(
    tx: Tx,
    caller: Caller,
    name: str,
    body: TemplateBody,
    *,
    if_match: str | None = None,
    if_none_match: str | None = None,
) -> TemplateView:
    """Make or change one; jobs that were made from it stay as they are."""
    check_name("template", name)
    old = _check_present(tx, caller, name, if_match, if_none_match=if_none_match)
    check_template_rights(caller, body.definition)
    at = {"namespace": caller.namespace, "who": caller.actor.who}
    recorded = put_template(tx, name, body.template(), **at)
    if old is not None and old.revision == recorded.revision:
        nothing_changed(tx, caller)
    return _view(recorded, caller)


@changes("DELETE", "/templates/{name}", verb="remove template", role="author", also=("exec",))
def delete_template(tx: Tx, caller: Caller, name: str, *, if_match: str | None = None) -> Removed:
    """Take one off the record."""
    _check_present(tx, caller, name, if_match)
    remove_template(tx, name, namespace=caller.namespace)
    return Removed(name=name)


@changes(
    "POST",
    "/templates/{name}/instantiate",
    verb="define job",
    role="author",
    also=("exec",),
    status=201,
)
def instantiate_template(
    tx: Tx, caller: Caller, name: str, *, parameters: dict[str, Any] | None = None
) -> JobMade:
    """Define a job: the template with these values in its blanks."""
    found = find_template(tx, name, namespace=caller.namespace)
    filled = fill_template(found.template, parameters or {})
    try:
        body = msgspec.convert(filled, type=JobBody)
    except msgspec.ValidationError as error:
        raise BadOption(f"the definition of template {found.name}: {error}") from error
    tell(tx, caller, subject=body.name)
    return put_job(tx, caller, body, is_new=True)


def _check_present(
    tx: Tx,
    caller: Caller,
    name: str,
    if_match: str | None,
    *,
    if_none_match: str | None = None,
) -> RecordedTemplate | None:
    """Return the template if there is one; nobody changes it until the end."""
    lock_name(tx, "template", name, namespace=caller.namespace)
    try:
        found = find_template(tx, name, namespace=caller.namespace)
    except UnknownTemplate:
        check_match(if_match, None, if_none_match=if_none_match)
        return None
    check_template_rights(caller, found.template.definition)
    check_match(if_match, _etag(found), if_none_match=if_none_match)
    return found


def _view(recorded: RecordedTemplate, caller: Caller) -> TemplateView:
    template, credential = recorded.template, caller.credential
    takes_exec = power_of_template(template.definition) is not None
    may_change = credential.has("exec") or not takes_exec
    verbs = caller.may("edit", "delete", "instantiate", role="author") if may_change else ()
    return TemplateView(
        name=recorded.name,
        description=template.description,
        definition=visible_definition(template.definition, credential),
        parameters=schema_of(template),
        revision=recorded.revision,
        changed_by=recorded.changed_by,
        changed_at=recorded.changed_at,
        verbs=verbs,
    )
