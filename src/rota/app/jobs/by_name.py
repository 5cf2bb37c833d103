"""Submits by the name of a job, which an App offers as a Client does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from rota.app.app import App
    from rota.app.run import Run


class JobsByName:
    """The verbs of an App that take the name of a job: one of its code, or one on record."""

    @property
    def _app(self) -> App:
        return cast("App", self)

    def submit(self, job: str, /, *args: Any, **kwargs: Any) -> Run[Any]:
        """Submit a job by its name, of this app or on record; see `Job.submit`."""
        from rota.app.jobs.named import submit_named  # noqa: PLC0415  # few need it

        return submit_named(self._app, job, args, kwargs)

    def submit_many(self, job: str, calls: Iterable[Any]) -> list[Run[Any]]:
        """Submit many runs of a job by its name; see `Job.submit_many`."""
        from rota.app.jobs.named import submit_many_named  # noqa: PLC0415  # few need it

        return submit_many_named(self._app, job, calls)

    async def submit_async(self, job: str, /, *args: Any, **kwargs: Any) -> Run[Any]:
        """Submit a job by its name, without blocking the event loop."""
        from rota.app.jobs.named import named_job  # noqa: PLC0415  # few need it

        return await (await self._app.threads.call(named_job, self._app, job)).submit_async(
            *args, **kwargs
        )

    async def submit_many_async(self, job: str, calls: Iterable[Any]) -> list[Run[Any]]:
        """Submit many runs of a job by its name, without blocking the event loop."""
        from rota.app.jobs.named import named_job  # noqa: PLC0415  # few need it

        return await (await self._app.threads.call(named_job, self._app, job)).submit_many_async(
            calls
        )

    def trigger(self, job: str, /, **args: Any) -> Run[Any]:
        """Start a job by hand, now; the audit distinguishes this from a submit."""
        from rota.app.jobs.named import trigger_named  # noqa: PLC0415  # few need it

        return trigger_named(self._app, job, args)
