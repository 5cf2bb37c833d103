"""Programs as handlers: an argument list, never a shell; exit codes become endings."""

from __future__ import annotations

import errno
import signal
import subprocess
import threading
import time
from pathlib import Path

import msgspec

from rota.errors import BadInput, BadOption
from rota.model.jobs.spec import CommandTarget
from rota.model.workers.sandbox import Programs
from rota.notices import emit
from rota.rules.runs.effect_keys import idempotency_key
from rota.rules.runs.times import run_values
from rota.rules.security.programs import check_command
from rota.rules.text.template import fill, values_for
from rota.runtime.attempts.attempt import (
    Attempt,
    Done,
    Ending,
    Raised,
    Returned,
    Started,
    Stopped,
    StopReason,
)
from rota.runtime.attempts.context import ProgressSink
from rota.runtime.attempts.error_text import MAX_TRACEBACK, bounded
from rota.runtime.executors.command.output import Tail, collect
from rota.runtime.executors.command.start import ANYHOW, NotStarted, at_home, start_program
from rota.runtime.executors.endings import begin, failure, no_function, refused, undecodable
from rota.runtime.executors.outside_signals import Leaving, came_with_our_end
from rota.runtime.executors.parts import ExecutorParts
from rota.runtime.executors.process_group import ProcessGroup, exit_in_words
from rota.runtime.executors.threads.pool import PooledExecutor
from rota.runtime.logs.attempt_log import STDERR, STDOUT
from rota.runtime.logs.buffer import sink
from rota.runtime.logs.masking import secrets_in


class CommandSlot:
    """The program that one thread has started, and whether it was asked to end."""

    def __init__(self, grace_s: float) -> None:
        self._grace_s = grace_s
        self._lock = threading.Lock()
        self._call: Attempt | None = None
        self._group: ProcessGroup | None = None
        self._was_asked = False
        self._abandoned = False

    def open(self, call: Attempt) -> None:
        with self._lock:
            self._call, self._group = call, None
            self._was_asked = self._abandoned = False

    def run_in(self, group: ProcessGroup, call: Attempt) -> None:
        """Note the running program; pass on a stop that came while it was being started."""
        with self._lock:
            self._group = group
            if self._abandoned:
                group.send(signal.SIGKILL)
        if call.stop_reason is not None:
            self.ask(call, call.stop_reason)

    def ask(self, call: Attempt, why: StopReason) -> None:  # noqa: ARG002  # TERM, whatever the reason
        with self._lock:
            group = self._group
            if self._call is call and group is not None and group.popen.poll() is None:
                self._was_asked = True
                group.send(signal.SIGTERM)
                group.kill_after(self._grace_s)

    def kill(self, call: Attempt) -> None:
        with self._lock:
            if self._call is call:
                self._abandoned = True
                if self._group is not None:
                    self._group.send(signal.SIGKILL)

    def finish_off(self, group: ProcessGroup) -> bool:
        """If the program was asked to end, see that everything it started ends too."""
        with self._lock:
            was_asked = self._was_asked
        if was_asked:
            end = time.monotonic() + self._grace_s
            while group.has_members():
                if time.monotonic() > end:
                    group.send(signal.SIGKILL)
                    break
                time.sleep(0.01)
        return was_asked

    def shut(self) -> bool:
        """Close the place of an attempt that is over; return whether it was abandoned meanwhile."""
        with self._lock:
            self._call = self._group = None
            return self._abandoned


class CommandExecutor(PooledExecutor):
    """Runs each attempt as a program, up to `slots` at once.

    A stop is SIGTERM to its process group, and SIGKILL when `grace_s` has passed.
    """

    name = "rota-command"

    def __init__(  # noqa: PLR0913  # what a pool needs, and what a program may
        self,
        *,
        slots: int,
        started: Started,
        done: Done,
        progress: ProgressSink | None = None,
        grace_s: float = 5.0,
        programs: Programs = ANYHOW,
        is_leaving: Leaving = lambda: False,
    ) -> None:
        super().__init__(slots=slots, started=started, done=done, progress=progress)
        self._is_leaving = is_leaving
        self._grace_s = grace_s
        self._programs = programs

    def abandon(self, call: Attempt) -> None:
        place: CommandSlot | None = call.slot
        if place is not None:
            place.kill(call)
        else:
            self._pool.take_back(call)

    def _serve(self, call: Attempt) -> bool:
        place: CommandSlot | None = getattr(self._here, "place", None)
        if place is None:
            place = self._here.place = CommandSlot(self._grace_s)
        place.open(call)
        call.slot = place
        ending = self._carry_out(call, place)
        if not place.shut():
            self._done(call, ending)
        return True

    def _carry_out(self, call: Attempt, place: CommandSlot) -> Ending:
        target, signature = call.work.spec.target, call.work.signature
        if not isinstance(target, CommandTarget) or signature is None:
            return no_function(call)
        try:
            values = values_for(signature.load(call.lease.args), call.lease.origin)
            argv = [fill(item, values) for item in target.argv]
            env = {name: fill(item, values) for name, item in target.env.items()}
            check_command(target.argv, target.env)
        except BadInput as exc:
            return _unusable(call, exc)
        if call.stop_reason is not None:
            return Stopped(call.stop_reason)
        begin(call)
        self._started(call)
        if call.log_buffer is not None and (secrets := secrets_in(env)):
            call.log_buffer.log_of(call).secrets = secrets
        try:
            popen = start_program(argv, target.cwd, {**env, **_facts(call)}, self._programs)
        except NotStarted as exc:
            return _refused(call, exc, str(exc))
        except (OSError, ValueError) as exc:
            return _not_started(argv[0], at_home(target.cwd, self._programs), exc)
        return self._follow(call, place, popen)

    def _follow(self, call: Attempt, place: CommandSlot, popen: subprocess.Popen[bytes]) -> Ending:
        assert popen.stdout is not None  # noqa: S101  # both are pipes
        assert popen.stderr is not None  # noqa: S101
        out, err = Tail(sink(call, STDOUT)), Tail(sink(call, STDERR))
        group = ProcessGroup(popen)
        try:
            with popen.stdout, popen.stderr:
                place.run_in(group, call)
                collect(group, {popen.stdout: out, popen.stderr: err})
            was_asked = place.finish_off(group)
        finally:
            group.release()
        if was_asked and call.stop_reason is not None:
            return Stopped(call.stop_reason)
        if came_with_our_end(-popen.returncode, self._is_leaving):
            return Stopped("drain")
        return _ending(call, popen.returncode, out, err)


def _unusable(call: Attempt, exc: BadInput) -> Ending:
    """Return the end for arguments that do not fit, or a stored command that is now refused."""
    if isinstance(exc, BadOption):
        return _refused(call, exc, f"define this job again: {exc}")
    return undecodable(call, exc)


def _refused(call: Attempt, exc: BadInput, message: str) -> Ending:
    emit("command.refused", job=call.lease.job, run=call.lease.run_id, detail=str(exc))
    return refused(exc, message)


def _facts(call: Attempt) -> dict[str, str]:
    lease = call.lease
    times = run_values(lease.origin) if lease.origin is not None else {}
    return {
        **{f"ROTA_{name.upper()}": value for name, value in times.items() if value is not None},
        "ROTA_RUN_ID": lease.run_id,
        "ROTA_JOB": lease.job,
        "ROTA_ATTEMPT": str(lease.attempt),
        "ROTA_FENCE": str(lease.fence),
        "ROTA_IDEMPOTENCY_KEY": idempotency_key(lease.run_id, lease.job),
    }


def _not_started(program: str, cwd: str | None, exc: OSError | ValueError) -> Raised:
    kind = type(exc).__name__
    types = (kind, "OSError") if isinstance(exc, OSError) else (kind,)
    gives_up = isinstance(exc, ValueError) or exc.errno == errno.E2BIG
    error = failure(kind, _why_not(program, cwd, exc))
    return Raised(error=error, types=types, exception=exc, gives_up=gives_up)


def _why_not(program: str, cwd: str | None, exc: OSError | ValueError) -> str:
    if cwd is not None and not Path(cwd).is_dir():
        return f"the working folder {cwd} does not exist on this machine"
    if isinstance(exc, FileNotFoundError):
        return f"the program {program!r} was not found on this machine"
    if isinstance(exc, PermissionError):
        return f"the program {program!r} may not be executed by this worker"
    if isinstance(exc, OSError) and exc.errno == errno.ENOEXEC:
        return f"{program!r} is not a program; a script needs a first line such as #!/bin/sh"
    return f"the program {program!r} could not be started: {exc}"


def _ending(call: Attempt, code: int, out: Tail, err: Tail) -> Ending:
    target = call.work.spec.target
    assert isinstance(target, CommandTarget)  # noqa: S101  # seen above
    if code in target.ok_codes:
        result = {
            "exit_code": code,
            "stdout": out.text(),
            "stderr": err.text(),
            "truncated_bytes": out.cut + err.cut,
        }
        return Returned(msgspec.json.encode(result).decode())
    text = err.text()
    last = next((line for line in reversed(text.splitlines()) if line.strip()), "")
    message = exit_in_words(code) + (f": {last.strip()}" if last else "")
    # A signal is not the program's own verdict, so it is worth another attempt.
    gives_up = target.retry_codes is not None and code >= 0 and code not in target.retry_codes
    kind = "ExitCode" if code >= 0 else "KilledBySignal"
    error = failure(kind, message, bounded(text, MAX_TRACEBACK))
    return Raised(error=error, types=(kind,), gives_up=gives_up)


def make(parts: ExecutorParts) -> CommandExecutor:
    return CommandExecutor(
        slots=parts.slots,
        started=parts.started,
        done=parts.done,
        progress=parts.progress,
        grace_s=parts.grace_s,
        programs=parts.programs,
        is_leaving=parts.is_leaving,
    )
