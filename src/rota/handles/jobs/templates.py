"""Handles for templates: jobs with blanks, to be filled."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Any

import msgspec

from rota.errors import BadOption
from rota.handles.backend import Backend
from rota.handles.pages import all_items
from rota.model.jobs.job import JobMade
from rota.model.jobs.template import TemplateView
from rota.operations.jobs.templates import (
    TemplateBody,
    delete_template,
    instantiate_template,
    list_templates,
    replace_template,
    show_template,
)


class Templates:
    """The templates of a namespace; get it as `app.templates` or `client.templates`."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def list(self) -> builtins.list[TemplateView]:
        """Return all templates by name."""
        return all_items(self._backend, list_templates)

    def show(self, name: str) -> TemplateView:
        """Return a template, with its parameters in JSON Schema."""
        return self._backend.call(show_template, name)

    def put(
        self, name: str, template: Mapping[str, Any], *, who: str | None = None
    ) -> TemplateView:
        """Make a template or change it; `template` has `definition`, `parameters`, `description`.

        Jobs that were made from it stay as they are.
        """
        try:
            body = msgspec.convert(template, TemplateBody)
        except msgspec.ValidationError as error:
            raise BadOption(f"template {name}: {error}") from error
        return self._backend.acting_as(who).call(replace_template, name, body)

    def remove(self, name: str, *, who: str | None = None) -> None:
        """Remove a template; jobs that were made from it stay."""
        self._backend.acting_as(who).call(delete_template, name)

    def make(self, name: str, parameters: Mapping[str, Any], *, who: str | None = None) -> JobMade:
        """Define a job: the template with these values in its blanks."""
        return self._backend.acting_as(who).call(
            instantiate_template, name, parameters=dict(parameters)
        )
