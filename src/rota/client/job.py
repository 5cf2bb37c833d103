"""A job behind a server: submitted by name, without its function."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from rota.client.run import ServedRun
from rota.errors import BadArguments, BadInput, BadOption, DuplicateKey
from rota.handles.jobs.job import JobHandle, arguments_of
from rota.model.runs.answers import SubmittedRun, SubmittedRuns
from rota.rules.jobs.option_table import OPTIONS
from rota.rules.jobs.signature import wire
from rota.rules.text.checks import hint
from rota.rules.text.duration import parse_duration
from rota.rules.text.option import Option, Time, options_of_body

if TYPE_CHECKING:
    from rota.client.client import Client
    from rota.model.jobs.job import ParameterSchema

MOST = 10_000
"""The most runs of one request; all of them are made or none."""
OF_SUBMIT = {option.name: option for option in options_of_body(OPTIONS, "submit")}


class ServedJob(JobHandle["ServedJob"]):
    """A job by its name, with the policies of the submits made through it."""

    def __init__(self, client: Client, name: str, options: Mapping[str, Any] | None = None) -> None:
        self.name = name
        self._client = client
        self._options = dict(options or {})

    def __repr__(self) -> str:
        return f"<ServedJob {self.name}>"

    @property
    def parameters(self) -> dict[str, str]:
        """The annotation of each parameter, by name and in order; requested once."""
        known = self._schema.properties.items()
        return {name: str(each.get("description", "Any")) for name, each in known}

    @property
    def more(self) -> str | None:
        """The annotation of arguments with other names; None if the job accepts none."""
        more = self._schema.more
        return str(more.get("description", "Any")) if isinstance(more, dict) else None

    @cached_property
    def _schema(self) -> ParameterSchema:
        from rota.operations.jobs.jobs import show_parameters  # noqa: PLC0415  # few need it

        return self._client.backend.call(show_parameters, self.name)

    def submit(self, *args: Any, **kwargs: Any) -> ServedRun:
        """Ask for one execution; when this returns, it is recorded on disk."""
        made = self._client.line.post(
            "/runs", SubmittedRun, wire.ENCODER.encode(self._body(args, kwargs))
        )
        return ServedRun(self._client, made.run_id)

    def submit_many(self, calls: Iterable[Any]) -> list[ServedRun]:
        """Ask for up to 10,000 runs at once, all or none.

        Each item is a tuple of positional arguments, a mapping of keyword arguments or, if it is
        anything else, the single argument.
        """
        bodies = [self._body(*arguments_of(call)) for call in calls]
        if not bodies:
            return []
        if len(bodies) > MOST:
            raise BadInput(f"{len(bodies):,} runs at once are too many; give up to {MOST:,}")
        made = self._client.line.post(
            "/runs/bulk", SubmittedRuns, wire.ENCODER.encode({"runs": bodies})
        )
        for each in made.runs:
            if each.status == "refused":
                raise DuplicateKey(str(self._options.get("key", "")), each.run_id)
        return [ServedRun(self._client, each.run_id) for each in made.runs]

    async def submit_async(self, *args: Any, **kwargs: Any) -> ServedRun:
        """Submit as `submit` does, without blocking the event loop."""
        return await self._client.threads.call(self.submit, *args, **kwargs)

    async def submit_many_async(self, calls: Iterable[Any]) -> list[ServedRun]:
        """Submit many as `submit_many` does, without blocking the event loop."""
        return await self._client.threads.call(self.submit_many, calls)

    def with_options(self, **options: Any) -> ServedJob:
        """Change policies for the submits that are made through the result.

        Options: priority, queue, timeout, expires, key, key_window, delay, at, retries and
        cache=False.
        """
        told: dict[str, Any] = {}
        for name, value in options.items():
            if name not in OF_SUBMIT:
                close = hint(name, OF_SUBMIT)
                raise BadOption(f"a submit over a server has no option {name!r:.64}.{close}")
            told[OF_SUBMIT[name].json_name] = _told(OF_SUBMIT[name], value)
        fresh = ServedJob(self._client, self.name, self._options | told)
        if "_schema" in vars(self):
            fresh._schema = self._schema  # of the same class
        return fresh

    def _body(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        return {"jobId": self.name, "args": self.encoded(args, kwargs), **self._options}

    def encoded(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> msgspec.Raw:
        """Return the arguments by name, in a fixed order: the same call is the same request."""
        given = self._placed(args, kwargs)
        try:
            text = wire.SORTED_ENCODER.encode(given)
            if b"null" in text:
                wire.refuse_nan(given)
        except (*wire.UNENCODABLE, msgspec.MsgspecError) as error:
            raise BadArguments(f"job {self.name}: {wire.in_words(error)}") from error
        return msgspec.Raw(text)

    def _placed(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
        if not args:
            return kwargs
        names = list(self.parameters)
        if len(args) > len(names):
            raise BadArguments(f"job {self.name} takes {len(names)} arguments, not {len(args)}")
        placed = dict(zip(names, args, strict=False))
        for name in placed.keys() & kwargs.keys():
            raise BadArguments(f"job {self.name}: {name} is given twice")
        return placed | dict(kwargs)


def _told(option: Option, value: Any) -> Any:
    if value is None or option.body is not Time:
        if isinstance(value, datetime) and value.tzinfo is None:
            raise BadOption(
                f"{option.name}= needs a zone: datetime(..., tzinfo=UTC) or .astimezone()"
            )
        return value
    return f"{parse_duration(value)}ms"
