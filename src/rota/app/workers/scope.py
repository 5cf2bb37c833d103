"""The scope of a worker: the jobs of its app, on record, and the queues they are in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rota.app.jobs.definitions import told_jobs
from rota.app.workers.handler_resolver import HandlerResolver
from rota.rules.admission.dependencies import check_circles
from rota.rules.jobs.accepted_arguments import takes_of_all
from rota.rules.jobs.claim_facts import claim_facts
from rota.runtime.options import WorkerOptions, WorkerScope

if TYPE_CHECKING:
    from rota.app.app import App


def worker_scope(app: App, options: WorkerOptions) -> WorkerScope:
    """Record what the code of the app declares, and return the scope for the starting worker."""
    jobs = app.everything
    check_circles({name: job.spec for name, job in jobs.items()})
    told_jobs(app, jobs.values())
    from rota.app.declare import declare  # noqa: PLC0415  # zones and cron, as with schedules

    declare(app, jobs.values(), decides=options.decides)
    queues = options.queues or tuple(sorted({job.spec.queue for job in jobs.values()}))
    return WorkerScope(
        namespace=app.namespace,
        queues=queues or ("default",),
        jobs=tuple(sorted(jobs)),
        facts={name: claim_facts(job.spec) for name, job in jobs.items()},
        versions={name: job.version for name, job in jobs.items() if job.version is not None},
        takes=takes_of_all(job.spec for job in jobs.values()),
        find_work=HandlerResolver(app, stored=options.stored).find,
        all_queues=not options.queues,
    )
