"""Real programs as handlers: exit codes, output, environment, process groups."""

from __future__ import annotations

import os
import resource
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rota.rules.runs.effect_keys import idempotency_key
from rota.runtime.attempts.attempt import Stopped
from rota.runtime.executors.command.executor import CommandExecutor
from tests.support.calls import BACKFILLED, TIMES, Ledger, command_call, eventually
from tests.support.programs import is_alive, pids_in

IGNORES_TERM = "trap '' TERM; "


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
def executor(ledger: Ledger) -> Iterator[CommandExecutor]:
    executor = CommandExecutor(slots=2, started=ledger.started, done=ledger.done, grace_s=0.3)
    yield executor
    executor.close()


def test_a_program_that_succeeds_returns_its_output(
    executor: CommandExecutor, ledger: Ledger
) -> None:
    call = command_call("sh", "-c", "echo out; echo err >&2")
    executor.start(call)

    assert ledger.value(call) == {
        "exit_code": 0,
        "stdout": "out\n",
        "stderr": "err\n",
        "truncated_bytes": 0,
    }
    assert ledger.begun == [call]


def test_arguments_are_filled_in_as_single_words_and_no_shell_sees_them(
    executor: CommandExecutor, ledger: Ledger
) -> None:
    nasty = "a b; $(touch /tmp/x) {size} 'q'"
    call = command_call(
        "printf", "%s|", "{name}", "{size}", "{{}}", args={"name": nasty, "size": 3}
    )
    executor.start(call)

    assert ledger.value(call)["stdout"] == f"{nasty}|3|{{}}|"


def test_a_failing_program_is_told_with_its_last_words(
    executor: CommandExecutor, ledger: Ledger
) -> None:
    call = command_call("sh", "-c", "echo first >&2; echo no such cat >&2; echo >&2; exit 3")
    executor.start(call)

    raised = ledger.raised(call)

    assert raised.error.type == "ExitCode"
    assert raised.types == ("ExitCode",)
    assert raised.error.message == "exited with 3: no such cat"
    assert "first" in raised.error.traceback
    assert not raised.gives_up


@pytest.mark.parametrize(("code", "gives_up"), [(75, False), (2, True)])
def test_only_the_codes_worth_it_are_tried_again(
    executor: CommandExecutor, ledger: Ledger, code: int, gives_up: object
) -> None:
    call = command_call("sh", "-c", f"exit {code}", retry_codes=(75,))
    executor.start(call)

    assert ledger.raised(call).gives_up is gives_up


def test_other_codes_may_count_as_success(executor: CommandExecutor, ledger: Ledger) -> None:
    call = command_call("sh", "-c", "exit 1", ok_codes=(0, 1))
    executor.start(call)

    assert ledger.value(call)["exit_code"] == 1


def test_a_program_killed_by_a_signal_is_told_in_words(
    executor: CommandExecutor, ledger: Ledger
) -> None:
    call = command_call("sh", "-c", "kill -9 $$", retry_codes=(75,))
    executor.start(call)

    raised = ledger.raised(call)

    assert raised.error.message == "killed by SIGKILL"
    assert not raised.gives_up


@pytest.mark.parametrize(
    ("argv", "env"),
    [
        (("python3", "-c", "open('{mark}', 'w')"), {}),
        (("env", "-S", "touch {mark}"), {}),
        (("sh", "-c", "touch {mark}"), {}),
        (("touch", "mark"), {"LD_PRELOAD": "{mark}"}),
    ],
)
def test_a_stored_command_that_is_now_refused_does_not_run(
    executor: CommandExecutor, ledger: Ledger, tmp_path: Path, argv: tuple[str, ...], env: Any
) -> None:
    call = command_call(*argv, env=env, cwd=str(tmp_path), args={"mark": str(tmp_path / "mark")})
    executor.start(call)

    raised = ledger.raised(call)

    assert raised.error.message.startswith("define this job again: ")
    assert raised.gives_up
    assert list(tmp_path.iterdir()) == []


def test_a_program_gets_a_small_environment_and_the_facts_of_its_run(
    executor: CommandExecutor, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_PASSWORD", "secret")
    call = command_call("env", env={"CAT": "{cat} & Co"}, args={"cat": "Tom"})
    executor.start(call)

    lines = ledger.value(call)["stdout"].splitlines()
    found = dict(line.split("=", 1) for line in lines)

    run_id = call.lease.run_id
    assert found["CAT"] == "Tom & Co"
    assert found["PATH"] == os.environ["PATH"]
    assert "DATABASE_PASSWORD" not in found
    assert found["ROTA_RUN_ID"] == run_id
    assert found["ROTA_JOB"] == "command"
    assert (found["ROTA_ATTEMPT"], found["ROTA_FENCE"]) == ("1", "7")
    assert found["ROTA_IDEMPOTENCY_KEY"] == idempotency_key(run_id, "command")


def test_a_program_knows_the_time_its_run_is_for(executor: CommandExecutor, ledger: Ledger) -> None:
    call = command_call("sh", "-c", "env; echo $0", "for {run.scheduled_day}", origin=BACKFILLED)
    executor.start(call)

    lines = ledger.value(call)["stdout"].splitlines()

    assert lines[-1] == "for 2026-03-29"
    found = dict(line.split("=", 1) for line in lines[:-1])
    assert {name: text for name, text in found.items() if name in TIMES} == TIMES


def test_a_program_that_needs_a_time_fails_without_one_and_says_so(
    executor: CommandExecutor, ledger: Ledger
) -> None:
    call = command_call("echo", "{run.scheduled_day}")
    executor.start(call)

    assert "no schedule started this run" in ledger.raised(call).error.message


def test_a_program_runs_in_its_folder_with_nothing_to_read(
    executor: CommandExecutor, ledger: Ledger, tmp_path: Path
) -> None:
    call = command_call("sh", "-c", "pwd; cat", cwd=str(tmp_path))
    executor.start(call)

    assert ledger.value(call)["stdout"] == f"{tmp_path}\n"


def test_endless_output_is_counted_and_only_its_end_kept(
    executor: CommandExecutor, ledger: Ledger
) -> None:
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    size = 200 * 2**20
    call = command_call("sh", "-c", f"head -c {size} /dev/zero | tr '\\0' x; echo the end")
    executor.start(call)

    result = ledger.value(call)

    assert result["stdout"].endswith("xxxthe end\n")
    assert len(result["stdout"]) == 64 * 1024
    assert result["truncated_bytes"] == size + len("the end\n") - 64 * 1024
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb < 50_000


def test_output_that_is_no_text_is_survived(executor: CommandExecutor, ledger: Ledger) -> None:
    call = command_call("printf", r"\377\000ok")
    failing = command_call("sh", "-c", r"printf 'bad \377\000' >&2; exit 1")
    executor.start(call)
    executor.start(failing)

    assert ledger.value(call)["stdout"] == "\ufffd\0ok"
    assert ledger.raised(failing).error.message == "exited with 1: bad \ufffd\ufffd"


def test_a_program_left_in_the_background_is_not_waited_for(
    executor: CommandExecutor, ledger: Ledger, tmp_path: Path
) -> None:
    path = tmp_path / "pid"
    call = command_call("sh", "-c", f"sleep 60 & echo $! > {path}; echo started")
    executor.start(call)

    assert ledger.value(call)["stdout"] == "started\n"
    (pid,) = pids_in(path)
    os.kill(pid, 9)


@pytest.mark.parametrize(
    ("argv", "options", "kind", "words"),
    [
        (["no-such-program"], {}, "FileNotFoundError", "'no-such-program' was not found"),
        (["/etc/passwd"], {}, "PermissionError", "may not be executed"),
        (["true"], {"cwd": "/no/such"}, "FileNotFoundError", "folder /no/such does not exist"),
        (["true", "a\0b"], {}, "ValueError", "null byte"),
    ],
)
def test_a_program_that_cannot_start_is_told_in_words(
    executor: CommandExecutor,
    ledger: Ledger,
    argv: list[str],
    options: dict[str, Any],
    kind: str,
    words: str,
) -> None:
    call = command_call(*argv, **options)
    executor.start(call)

    raised = ledger.raised(call)

    assert raised.error.type == kind
    assert words in raised.error.message


def test_a_script_without_a_first_line_is_told_in_words(
    executor: CommandExecutor, ledger: Ledger, tmp_path: Path
) -> None:
    script = tmp_path / "script"
    script.write_text("echo hello\n")
    script.chmod(0o755)
    call = command_call(str(script))
    executor.start(call)

    assert "needs a first line" in ledger.raised(call).error.message


def test_arguments_that_are_missing_are_not_tried_again(
    executor: CommandExecutor, ledger: Ledger
) -> None:
    call = command_call("echo", "{name}")
    executor.start(call)

    assert ledger.raised(call).gives_up


def test_a_stop_ends_the_program_and_what_it_started(
    executor: CommandExecutor, ledger: Ledger, tmp_path: Path
) -> None:
    path = tmp_path / "pids"
    call = command_call("sh", "-c", f"sleep 60 & echo $$ $! > {path}; wait")
    executor.start(call)
    pids = pids_in(path, count=2)
    executor.stop(call, "cancel")

    assert ledger.wait(call) == Stopped("cancel")
    eventually(lambda: not any(map(is_alive, pids)))


def test_a_program_may_clean_up_when_it_is_stopped(
    executor: CommandExecutor, ledger: Ledger, tmp_path: Path
) -> None:
    path, clean = tmp_path / "pid", tmp_path / "clean"
    script = f"trap 'touch {clean}; exit 0' TERM; echo $$ > {path}; while :; do sleep 0.01; done"
    call = command_call("sh", "-c", script)
    executor.start(call)
    pids_in(path)
    executor.stop(call, "timeout")

    assert ledger.wait(call) == Stopped("timeout")
    assert clean.exists()


@pytest.mark.parametrize("leader", [IGNORES_TERM, ""], ids=["both", "only the grandchild"])
def test_a_group_that_ignores_the_request_is_killed_whole(
    executor: CommandExecutor, ledger: Ledger, tmp_path: Path, leader: str
) -> None:
    path = tmp_path / "pids"
    stubborn = f"{IGNORES_TERM} echo $$ $PPID > {path}; while :; do sleep 0.05; done"
    call = command_call(
        "sh", "-c", leader + 'sh -c "$1" & while :; do sleep 0.05; done', "x", stubborn
    )
    executor.start(call)
    pids = pids_in(path, count=2)
    executor.stop(call, "timeout")

    assert ledger.wait(call) == Stopped("timeout")
    eventually(lambda: not any(map(is_alive, pids)))


def test_an_abandoned_program_is_killed_at_once_and_never_ends(
    executor: CommandExecutor, ledger: Ledger, tmp_path: Path
) -> None:
    path = tmp_path / "pid"
    call = command_call("sh", "-c", f"{IGNORES_TERM} echo $$ > {path}; sleep 60")
    after = command_call("true")
    executor.start(call)
    (pid,) = pids_in(path)
    executor.abandon(call)

    eventually(lambda: not is_alive(pid))
    executor.start(after)
    assert ledger.value(after)["exit_code"] == 0
    assert ledger.endings(call) == []


def test_stops_at_any_moment_end_each_call_once(executor: CommandExecutor, ledger: Ledger) -> None:
    calls = [command_call("sleep", "30") for _ in range(20)]
    for call in calls:
        executor.start(call)
    stoppers = [threading.Thread(target=executor.stop, args=(call, "drain")) for call in calls]
    for stopper in stoppers:
        stopper.start()

    assert all(ledger.wait(call) == Stopped("drain") for call in calls)
    assert len(ledger.ended) == 20


def test_a_program_of_this_interpreter_can_be_found(
    executor: CommandExecutor, ledger: Ledger
) -> None:
    call = command_call(sys.executable, "-c", "print(6 * 7)")
    executor.start(call)

    assert ledger.value(call)["stdout"] == "42\n"
