"""Verbs for many runs at once, chosen by a filter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from rota.errors import BadOption

if TYPE_CHECKING:
    from rota.handles.backend import Backend
    from rota.model.runs.answers import BulkDone
    from rota.operations.runs.reruns import BulkActBody

# ruff: noqa: PLC0415  # imported at first use: importing an App stays quick


class BulkVerbs:
    """The verbs for many runs, which an App and a Client inherit.

    A filter is `status`, `job`, `queue`, `schedule`, `error`, `text`, `since`, `until` or `steps`
    as in a list of runs; up to 10,000 runs are meant, the newest first.
    """

    @property
    def backend(self) -> Backend:
        """The backend that carries out operations."""
        raise NotImplementedError

    def cancel_runs(
        self, *, reason: str | None = None, dry_run: bool = False, **filters: Any
    ) -> BulkDone:
        """End waiting runs that the filter finds, ask running ones to stop."""
        from rota.operations.runs.reruns import cancel_runs

        body = _body(filters, reason=reason, dry_run=dry_run)
        return self.backend.call(cancel_runs, body)

    def rerun_runs(
        self, *, reason: str | None = None, dry_run: bool = False, **filters: Any
    ) -> BulkDone:
        """Submit ended runs that the filter finds again, with their arguments, as new runs."""
        from rota.operations.runs.reruns import rerun_runs

        body = _body(filters, reason=reason, dry_run=dry_run)
        return self.backend.call(rerun_runs, body)


def _body(filters: dict[str, Any], *, reason: str | None, dry_run: bool) -> BulkActBody:
    from rota.operations.runs.reruns import BulkActBody, FilterBody

    unknown = set(filters) - set(FilterBody.__struct_fields__)
    if unknown:
        raise BadOption(f"{min(unknown)} is not a filter of runs")
    names = dict(
        zip(FilterBody.__struct_fields__, FilterBody.__struct_encode_fields__, strict=True)
    )
    fields = {names[name]: value for name, value in filters.items()}
    try:
        chosen = msgspec.convert(fields, FilterBody)
    except msgspec.ValidationError as error:
        raise BadOption(f"filter of runs: {error}") from error
    return BulkActBody(filter=chosen, dry_run=dry_run, reason=reason)
