"""Errors for unknown names and ids; the message says how to list the existing ones."""

from __future__ import annotations

from collections.abc import Iterable

from rota.errors.base import BadInput

MOST_TOLD = 8


class NotFound(BadInput):
    """Nothing has that name or id."""


class UnknownJob(NotFound):
    """No job of that name is registered; import the module that defines it.

    `lists` adds the known names, for callers with permission to see them all.
    """

    def __init__(self, name: str, known: Iterable[str] = (), *, lists: bool = False) -> None:
        import difflib  # noqa: PLC0415  # only a refusal needs it, and every command starts with us

        self.name = name
        names = sorted(known)
        close = difflib.get_close_matches(name, names, n=1)
        hint = ""
        if close:
            hint = f" Did you mean {close[0]!r}?"
        elif names and lists:
            more = ", ..." if len(names) > MOST_TOLD else ""
            hint = f" There are: {', '.join(names[:MOST_TOLD])}{more}"
        super().__init__(f"no job named {name!r} is registered.{hint}")


class UnknownRun(NotFound):
    """No run has that id; it may have been pruned."""

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        super().__init__(f"no run has the id {run_id!r}; it may have been pruned by retention")


class UnknownEffect(NotFound):
    """The run has no effect of that name."""

    def __init__(self, name: str, run_id: str, known: Iterable[str] = ()) -> None:
        self.name = name
        names = ", ".join(sorted(known)[:MOST_TOLD])
        hint = f"it has {names}" if names else "it has none"
        super().__init__(f"run {run_id} has no effect named {name!r:.140}; {hint}")


class UnknownSchedule(NotFound):
    """No schedule has that name."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"no schedule is named {name!r}")


class UnknownBackfill(NotFound):
    """No backfill has that id; it may have been pruned."""

    def __init__(self, backfill_id: str) -> None:
        self.backfill_id = backfill_id
        super().__init__(f"no backfill has the id {backfill_id!r}; it may have been pruned")


class UnknownName(NotFound):
    """Nothing of this kind has that name."""

    kind = ""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"no {self.kind} is named {name!r:.140}")


class UnknownTemplate(UnknownName):
    """No template has that name."""

    kind = "template"


class UnknownCalendar(UnknownName):
    """No calendar has that name."""

    kind = "calendar"


class UnknownBlackout(UnknownName):
    """No maintenance window has that name."""

    kind = "maintenance window"


class UnknownView(UnknownName):
    """No saved view has that name."""

    kind = "saved view"


class UnknownAlertRule(UnknownName):
    """No alert rule has that name."""

    kind = "alert rule"


class UnknownAlertChannel(UnknownName):
    """No alert channel has that name."""

    kind = "alert channel"


class UnknownAlert(NotFound):
    """No alert has that id; alerts that are over are removed some weeks later."""

    def __init__(self, alert_id: str) -> None:
        self.alert_id = alert_id
        super().__init__(f"there is no alert {alert_id!r:.64}; `rota alerts` lists them")


class UnknownMonitor(NotFound):
    """No monitor has that name."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"no monitor is named {name!r:.140}; `rota monitors` lists them")


class UnknownPing(NotFound):
    """The monitor has no such ping, or it is not kept any more."""

    def __init__(self, name: str, number: int) -> None:
        self.name = name
        self.number = number
        super().__init__(
            f"monitor {name!r:.140} has no ping {number}; `rota monitors pings {name:.140}` "
            "lists those that are kept"
        )


class UnknownRelease(NotFound):
    """No release of an app has that number; a release that was restored has a new number."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(f"there is no release {number}; `rota releases` lists them")


class UnknownVersion(NotFound):
    """The job has no such version."""

    def __init__(self, name: str, version: int) -> None:
        self.name = name
        self.version = version
        super().__init__(f"job {name!r:.140} has no version {version}")


class UnknownToken(NotFound):
    """No token has that id."""

    def __init__(self, token_id: str) -> None:
        self.token_id = token_id
        super().__init__(f"no token of this namespace has the id {token_id!r:.64}")


class UnknownNamespace(NotFound):
    """No namespace has that name; make it with `rota namespaces create`."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(
            f"there is no namespace {name!r:.140}; make it with "
            f"`rota namespaces create {name:.140}`"
        )


class UnknownQueue(NotFound):
    """No queue has that name."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"there is no queue {name!r:.140}; `rota queues` lists them")


class UnknownWorker(NotFound):
    """No worker with this id is on record."""

    def __init__(self, worker_id: str) -> None:
        self.worker_id = worker_id
        super().__init__(
            f"there is no worker {worker_id!r:.64}; `rota workers` lists those on record"
        )
