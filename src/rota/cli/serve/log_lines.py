"""Log lines for `rota up` and `rota worker`: notices and Python's own logging, on stderr."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec

from rota.cli.safe_text import ESCAPED, ONE_LINE
from rota.notices import subscribe
from rota.runtime.logs.masking import Masker

WARNING = {
    "logs.unheard",
    "store.unavailable",
    "batch.split",
    "finish.refused",
    "item.set_aside",
    "judge.failed",
    "lease.lost",
    "run.blamed",
    "runs.reaped",
    "schedule.broken",
    "stall.untold",
    "work.unavailable",
    "worker.crashed",
    "worker.broken",
    "worker.stuck",
    "process.died",
    "worker.cut_off",
    "workers.gone",
    "handler.ignored_stop",
    "logs.dropped",
    "loop.blocked",
    "breaker.opened",
    "alert.failed",
    "artifact.refused",
    "artifact.unavailable",
    "handler.failed_late",
    "api.denied",
    "api.refused",
    "command.refused",
    "http.refused",
}
ERROR = {"store.lost", "service.failed", "loop.broken", "retry_function.failed"}

MESSAGES = {
    "server.started": "server started",
    "server.stopped": "server stopped",
    "api.denied": "a request with a bad credential was refused",
    "api.refused": "somebody tried what is not allowed",
    "command.refused": "a job wanted to start a program as the settings do not allow",
    "http.refused": "a job wanted to call an address that it may not",
    "worker.started": "worker started",
    "worker.stopped": "worker stopped",
    "worker.left": "the worker process was told to stop and has; another takes its place",
    "worker.crashed": "the worker process has died and is started again",
    "worker.broken": "the worker process could not go on and has ended; it is started again",
    "worker.stuck": "the worker process does not answer and is killed: a handler holds it up",
    "process.died": "a process has died and is started again",
    "worker.cut_off": "the lease could not be renewed: own work was stopped",
    "worker.learned": "stored jobs have changed: the worker serves these now",
    "worker.rejoined": "the worker works again",
    "workers.gone": "processes of workers are gone: their leases were ended",
    "store.unavailable": "the store cannot be reached, trying again",
    "store.recovered": "the store is back",
    "store.lost": "the store is lost to this process, which writes nothing any more and ends",
    "service.failed": "a background service failed, trying again",
    "service.recovered": "a background service works again",
    "batch.split": "something in a batch was refused: its runs are handled one by one",
    "finish.refused": "the server did not take some endings: they are told one by one",
    "item.set_aside": "something cannot be read or written and was left as it is",
    "judge.failed": "what follows from an ending could not be decided: the run fails",
    "schedule.broken": "a schedule cannot be understood: it is set to error and starts nothing",
    "stall.untold": "the record does not say yet that this worker makes no progress",
    "work.unavailable": "a run could not be started here",
    "migration.waits": "the tables cannot be changed yet: others use them",
    "lease.lost": "results were dropped: other workers own these runs now",
    "run.blamed": "a worker died while this run, in a process of its own, was the suspect",
    "runs.strayed": "runs that were claimed for this worker without its knowledge were given back",
    "runs.reaped": "runs of dead workers were given back",
    "handler.ignored_stop": "a handler was left behind: it did not stop in its grace",
    "handler.failed_late": "a handler failed after its commit: the run stays a success",
    "logs.unheard": "the console takes no more lines of handlers; `rota logs` has them",
    "logs.dropped": "log lines were dropped: the store did not take them in time",
    "loop.blocked": "a handler blocks the event loop",
    "loop.broken": "the event loop had to be replaced",
    "api.oidc_failed": "somebody could not sign in through the identity provider",
    "breaker.opened": "a breaker opened: runs of this job are held back",
    "breaker.closed": "a breaker closed: runs of this job are started again",
    "audit.anchored": "the end of the audit was noted outside",
    "alert.failed": "an alert could not be sent, trying again",
    "retry_function.failed": "a custom retry function failed",
    "artifact.refused": "the artifact store took no result, the database keeps it",
    "artifact.unavailable": "a large value could not be read",
    "artifacts.swept": "removed large values that nothing mentions",
    "labels.swept": "removed labels of runs that are gone",
}
"""The message for each notice; a notice without one is printed under its name."""


def level_of(notice: str) -> str:
    if notice in ERROR:
        return "error"
    return "warning" if notice in WARNING else "info"


Write = Callable[[str, str, dict[str, Any]], None]
_writers: list[Write] = []
"""The writers of this process, or of the process that it was forked from."""


def tell_notices(log_format: str) -> Write:
    """Write one line per notice, for a process without logging of its own, and for its forks."""
    if _writers:
        return _writers[0]
    # Take the stream of now: later a worker puts its own in place, to keep handlers' output.
    stream = sys.stderr
    line_of = line_in(log_format)
    masker = Masker.of(os.environ)

    def write(level: str, message: str, facts: dict[str, Any]) -> None:
        shown = {name: _masked(fact, masker) for name, fact in facts.items()}
        stream.write(line_of(level, masker(message), shown) + "\n")

    def told(notice: str, facts: dict[str, Any]) -> None:
        write(level_of(notice), MESSAGES.get(notice, notice), {"notice": notice, **facts})

    _writers.append(write)
    subscribe(told)
    return write


def start_logging(log_format: str) -> None:
    """Write one line per notice and per record of Python's logging."""
    write = tell_notices(log_format)

    class Records(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            facts = {"logger": record.name}
            if record.exc_info:
                facts["error"] = logging.Formatter().formatException(record.exc_info)
            write(record.levelname.lower(), record.getMessage(), facts)

    logging.basicConfig(level=logging.INFO, handlers=[Records()])


def line_in(log_format: str) -> Callable[[str, str, dict[str, Any]], str]:
    """Return the function that makes a line of a level, a message and facts."""
    return _json_line if log_format == "json" else _text_line


def _text_line(level: str, message: str, facts: dict[str, Any]) -> str:
    now = datetime.now().astimezone()
    facts_text = " ".join(
        f"{name}={_short(fact)}" for name, fact in facts.items() if name != "notice"
    )
    text = f"{_one_line(message)}  {facts_text}".translate(ONE_LINE)
    return f"{now:%H:%M:%S}.{now.microsecond // 1000:03d} {level:<7} {text}"


def _json_line(level: str, message: str, facts: dict[str, Any]) -> str:
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    line = {"time": now, "level": level, "message": message, **facts}
    return msgspec.json.encode(line, enc_hook=str).decode().translate(ESCAPED)


def _masked(fact: Any, masker: Masker) -> Any:
    """Mask a fact: the errors of handlers are logged too, and may hold secrets."""
    if isinstance(fact, str | BaseException):
        return masker(str(fact))
    if isinstance(fact, dict):
        return {name: _masked(each, masker) for name, each in fact.items()}
    return [_masked(each, masker) for each in fact] if isinstance(fact, list | tuple) else fact


def _one_line(fact: Any) -> str:
    """Return a fact that cannot look like a line of ours, nor move the cursor of a terminal."""
    return " | ".join(str(fact).splitlines())


def _short(fact: Any) -> str:
    """Return a fact on one line; lists without Python's brackets."""
    if isinstance(fact, list | tuple):
        return ",".join(map(_one_line, fact))
    text = _one_line(fact)
    return repr(text) if " " in text or not text else text
