"""What whoever runs a worker allows: programs and requests stay inside, whatever a job says."""

from __future__ import annotations

import json
import os
import pwd
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from rota.errors import RotaError
from rota.model.workers.sandbox import Egress, Programs
from rota.notices import subscribe, unsubscribe
from rota.runtime.attempts.attempt import Raised
from rota.runtime.chores.webhook import post
from rota.runtime.executors.command.executor import CommandExecutor
from rota.runtime.executors.http.executor import HttpExecutor
from rota.runtime.executors.http.ssrf import GuardedResolver, NotReached
from tests.support.calls import Ledger, command_call, http_call
from tests.support.webserver import WebServer

ARGV = "import json, sys; print(json.dumps(sys.argv[1:]))"
HOSTILE = (
    "; rm -rf /",
    "$(touch /tmp/rota-owned)",
    "`id`",
    "a\nb",
    "-rf",
    "--output=/etc/passwd",
    "| cat",
    "&& true",
    "*",
    "~",
    "'\"",
    "\\",
    "\u202etxt.exe",
    "é\U0001f4a9",
    "%s%n",
    "{name}",
    "${HOME}",
    "",
)


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
def heard() -> Iterator[list[tuple[str, dict[str, Any]]]]:
    told: list[tuple[str, dict[str, Any]]] = []

    def listen(notice: str, facts: dict[str, Any]) -> None:
        told.append((notice, facts))

    subscribe(listen)
    yield told
    unsubscribe(listen)


def run(ledger: Ledger, programs: Programs, *argv: str, **options: Any) -> Any:
    executor = CommandExecutor(
        slots=1, started=ledger.started, done=ledger.done, grace_s=0.3, programs=programs
    )
    call = command_call(*argv, **options)
    try:
        executor.start(call)
        return ledger.wait(call)
    finally:
        executor.close()


def printed(ledger: Ledger, programs: Programs, *argv: str, **options: Any) -> str:
    return str(json.loads(run(ledger, programs, *argv, **options).result)["stdout"])


def test_the_program_sees_exactly_the_words_that_were_given(ledger: Ledger) -> None:
    words = [f"{{w{number}}}" for number in range(len(HOSTILE))]
    args = {f"w{number}": text for number, text in enumerate(HOSTILE)}

    seen = printed(ledger, Programs(), sys.executable, "-c", ARGV, *words, args=args)

    assert json.loads(seen) == list(HOSTILE)


def test_a_zero_byte_is_no_word(ledger: Ledger) -> None:
    ending = run(ledger, Programs(), "echo", "{name}", args={"name": "a\0b"})

    assert ending.gives_up


@pytest.mark.skipif(sys.platform != "linux", reason="a matter of the Linux kernel")
@pytest.mark.parametrize(("allowed", "flag"), [(False, "1"), (True, "0")])
def test_a_program_gains_no_rights_unless_allowed(
    ledger: Ledger, *, allowed: bool, flag: str
) -> None:
    status = printed(ledger, Programs(new_privileges=allowed), "cat", "/proc/self/status")

    assert f"NoNewPrivs:\t{flag}\n" in status


def test_the_path_of_the_settings_counts_more_than_that_of_a_job(
    ledger: Ledger, tmp_path: Path
) -> None:
    own = tmp_path / "ls"
    own.write_text("#!/bin/sh\necho mine\n")
    own.chmod(0o755)

    with_own = printed(ledger, Programs(), "ls", env={"PATH": f"{tmp_path}:/usr/bin:/bin"})
    fixed = printed(
        ledger, Programs(path="/usr/bin:/bin"), "printenv", "PATH", env={"PATH": str(tmp_path)}
    )

    assert with_own == "mine\n"
    assert fixed == "/usr/bin:/bin\n"


def test_programs_run_below_the_folders_of_the_settings(
    ledger: Ledger, tmp_path: Path, heard: list[tuple[str, dict[str, Any]]]
) -> None:
    (tmp_path / "jobs" / "deep").mkdir(parents=True)
    (tmp_path / "jobs-secret").mkdir()
    (tmp_path / "jobs" / "way-out").symlink_to(tmp_path / "jobs-secret")
    walls = Programs(folders=(str(tmp_path / "jobs"),))

    inside = printed(ledger, walls, "pwd", cwd=str(tmp_path / "jobs" / "deep"))
    unsaid = printed(ledger, walls, "pwd")
    outside = [
        run(ledger, walls, "pwd", cwd=cwd)
        for cwd in (
            "/",
            str(tmp_path / "jobs" / ".."),
            str(tmp_path / "jobs-secret"),
            str(tmp_path / "jobs" / "way-out"),
        )
    ]

    assert inside == f"{tmp_path}/jobs/deep\n"
    assert unsaid == f"{tmp_path}/jobs\n"
    assert all(ending.gives_up and "[commands]" in ending.error.message for ending in outside)
    assert [notice for notice, _ in heard].count("command.refused") == len(outside)


@pytest.mark.skipif(os.getuid() != 0, reason="only root becomes somebody else")
def test_programs_get_the_variables_of_the_worker_that_the_settings_name(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGHOST", "db.example.org")
    monkeypatch.setenv("PGUSER", "shop")
    monkeypatch.setenv("DATABASE_PASSWORD", "hunter22")
    passes = Programs(pass_env=("PGHOST", "PGUSER", "NOT_SET_ANYWHERE"))

    def variables(programs: Programs) -> dict[str, str]:
        lines = printed(ledger, programs, "env", "-0", env={"PGUSER": "of the job"}).split("\0")
        return dict(line.split("=", 1) for line in lines if line)

    assert "PGHOST" not in variables(Programs())
    seen = variables(passes)
    assert (seen["PGHOST"], seen["PGUSER"]) == ("db.example.org", "of the job")
    assert {"DATABASE_PASSWORD", "NOT_SET_ANYWHERE"}.isdisjoint(seen)


def test_a_tilde_is_the_home_folder_of_whom_the_program_runs_as(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "below").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    inside, outside = Programs(folders=(str(tmp_path),)), Programs(folders=("/nowhere",))

    def refusal(programs: Programs, *argv: str, cwd: str) -> str:
        ending = run(ledger, programs, *argv, cwd=cwd)
        return ending.error.message if isinstance(ending, Raised) else "it ran"

    assert "not below one that this worker allows" in refusal(outside, "pwd", cwd="~")
    assert printed(ledger, Programs(), "pwd", cwd="~").strip() == str(tmp_path)
    assert printed(ledger, inside, "pwd", cwd="~/below").strip() == str(tmp_path / "below")
    missing = refusal(Programs(), "no-such-program", cwd="~")
    assert missing == "the program 'no-such-program' was not found on this machine"
    absent = refusal(Programs(), "pwd", cwd="~/absent")
    assert f"the working folder {tmp_path}/absent does not exist" in absent


def test_programs_run_as_the_user_of_the_settings(ledger: Ledger) -> None:
    nobody = pwd.getpwnam("nobody")

    told = printed(
        ledger,
        Programs(user="nobody"),
        "sh",
        "-c",
        "id -u; id -g; id -G; echo $HOME $USER",
        cwd="/",
    )

    uid, gid, groups, home = told.splitlines()
    assert (int(uid), int(gid)) == (nobody.pw_uid, nobody.pw_gid)
    assert "0" not in groups.split()
    assert home == f"{nobody.pw_dir} nobody"


def test_a_user_that_is_not_there_is_told(ledger: Ledger) -> None:
    ending = run(ledger, Programs(user="nobody-of-this-name"), "id")

    assert ending.gives_up
    assert "no user" in ending.error.message


class FakeResolver(AbstractResolver):
    """Answers with the next addresses each time; counts how often it is asked."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.asked = 0

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: int = 0,  # noqa: ARG002  # as resolvers are asked
    ) -> list[ResolveResult]:
        self.asked += 1
        found = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return [
            ResolveResult(
                hostname=host,
                host=each,
                port=port,
                family=socket.AF_INET6 if ":" in each else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for each in found
        ]

    async def close(self) -> None:
        """Nothing to close."""


@pytest.fixture(scope="module")
def server() -> Iterator[WebServer]:
    with WebServer() as server:
        yield server


def ask(ledger: Ledger, egress: Egress, url: str, **options: Any) -> Any:
    executor = HttpExecutor(slots=1, started=ledger.started, done=ledger.done, egress=egress)
    call = http_call(url, **options)
    try:
        executor.start(call)
        return ledger.wait(call)
    finally:
        executor.close()


@pytest.mark.parametrize(
    "answer",
    [
        ["127.0.0.1"],
        ["8.8.8.8", "10.0.0.1"],
        ["::ffff:127.0.0.1"],
        ["::ffff:0:7f00:1"],
        ["64:ff9b::7f00:1"],
    ],
)
def test_a_name_is_judged_by_all_its_addresses(
    ledger: Ledger,
    server: WebServer,
    answer: list[str],
    monkeypatch: pytest.MonkeyPatch,
    heard: list[tuple[str, dict[str, Any]]],
) -> None:
    fake(monkeypatch, FakeResolver(answer))
    before = len(server.seen)

    ending = ask(ledger, Egress(), server.url("/json", host="shop.test"), allow_private=False)

    assert ending.gives_up
    assert "not on the public internet" in ending.error.message
    assert len(server.seen) == before
    assert [facts["job"] for notice, facts in heard if notice == "http.refused"] == ["request"]


def test_a_name_that_changes_its_mind_is_asked_once(
    ledger: Ledger, server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it was found is where the connection goes: the second answer is never heard."""
    resolver = FakeResolver(["127.0.0.1"], ["8.8.8.8"])
    fake(monkeypatch, resolver)
    inside = Egress(inside=("127.0.0.1/32",))

    ending = ask(ledger, inside, server.url("/json", host="shop.test"), allow_private=True)

    assert json.loads(ending.result)["status"] == 200
    assert resolver.asked == 1


@pytest.mark.parametrize(
    ("answer", "allow_private"),
    [
        (["8.8.8.8", "127.0.0.1"], False),
        (["127.0.0.1"], False),
        (["169.254.169.254"], True),
        (["127.0.0.1", "169.254.169.254"], True),
    ],
)
def test_a_webhook_is_judged_by_all_addresses_of_its_name(
    server: WebServer, answer: list[str], allow_private: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolver = FakeResolver(answer)
    fake(monkeypatch, resolver)
    before = len(server.seen)
    url = server.url("/json", host="shop.test")

    with pytest.raises(NotReached, match=r"shop\.test leads to"):
        post(url, b"{}", key="k", allow_private=bool(allow_private))

    assert len(server.seen) == before
    assert resolver.asked == 1


def test_a_webhook_authenticates_and_never_tells_how(server: WebServer) -> None:
    secret = "bob:tell%20nobody"
    post(server.url("/json", host=f"{secret}@127.0.0.1"), b"{}", key="k", allow_private=True)
    assert server.seen[-1].headers["Authorization"] == "Basic Ym9iOnRlbGwgbm9ib2R5"

    for url in (f"http://{secret}@127.0.0.1:1/", f"ftp://{secret}@h/", f"http://{secret}@h:99999/"):
        with pytest.raises(RotaError) as failed:
            post(url, b"{}", key="k", allow_private=True)
        assert "nobody" not in str(failed.value)


def test_no_proxy_of_the_environment_is_used(
    ledger: Ledger, server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, server.url("/"))
    before = len(server.seen)

    ending = ask(ledger, Egress(), "http://127.0.0.1:1/", allow_private=True)

    assert ending.error.message
    assert len(server.seen) == before


def test_only_hosts_of_the_list_are_called(ledger: Ledger, server: WebServer) -> None:
    egress = Egress(hosts=("127.0.0.1",))

    good = ask(ledger, egress, server.url("/json"), allow_private=True)
    other = ask(ledger, egress, server.url("/json", host="localhost"), allow_private=True)

    assert json.loads(good.result)["status"] == 200
    assert other.gives_up
    assert "[http]" in other.error.message


@pytest.mark.parametrize("url", ["http://169.254.169.254/", "http://metadata.google.internal/"])
def test_the_metadata_of_a_cloud_is_not_a_private_address_like_others(
    ledger: Ledger, url: str
) -> None:
    assert ask(ledger, Egress(), url, allow_private=True).gives_up


def test_a_stored_job_with_a_header_of_ours_is_refused(ledger: Ledger, server: WebServer) -> None:
    before = len(server.seen)

    ending = ask(ledger, Egress(), server.url("/"), headers={"Host": "metadata"})

    assert ending.gives_up
    assert len(server.seen) == before


def fake(monkeypatch: pytest.MonkeyPatch, resolver: AbstractResolver) -> None:
    plain = GuardedResolver.__init__

    def init(self: GuardedResolver, **options: Any) -> None:
        plain(self, **options)
        self._resolver = resolver

    monkeypatch.setattr(GuardedResolver, "__init__", init)
