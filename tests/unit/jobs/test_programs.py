"""Which words of a command an argument may fill in, however the job is defined."""

from __future__ import annotations

import pytest

from rota.app import App
from rota.errors import BadInput
from rota.rules.jobs.definitions import command_target
from rota.rules.jobs.files.read import read_bundle
from rota.rules.security.programs import check_argv, check_command

GOOD = (
    ["pg_dump", "--file={path}", "{database}"],
    ["sh", "-c", 'echo "$1"', "sh", "{name}"],
    ["bash", "-o", "pipefail", "-ec", 'cat "$1" | wc', "bash", "{path}"],
    ["sh", "script.sh", "{name}"],
    ["sh", "-c", "echo {{braces}}"],
    ["wc", "-c", "{path}"],
    ["backup.sh", "{day}"],
    ["./backup", "--date={day}", "-o", "/var/{day}.tar", "host:{day}", "{a}-{b}", "x={{}}"],
    ["python3.11", "-u", "job.py", "{day}", "--date={day}"],
    ["python", "-X", "utf8", "-m", "shop.report", "{day}"],
    ["python", "-c", "import sys; print(sys.argv)", "{day}"],
    ["awk", "-F", ",", "{{print $1}}", "{path}"],
    ["sed", "-n", "-e", "1p", "-e", "2p", "{path}"],
    ["env", "-i", "LANG=C", "backup.sh", "{day}"],
    ["timeout", "-k", "5", "10", "backup.sh", "{day}"],
    ["sudo", "-u", "me", "backup.sh", "{day}"],
    ["flock", "/run/lock", "backup.sh", "{day}"],
    ["nice", "-n", "5", "python", "job.py", "{day}"],
    ["find", "/data", "-name", "{pattern}", "-exec", "rm", "{{}}", ";"],
    ["grep", "-e", "{pattern}", "python", "{path}"],
    ["echo", "rows of {day}: {count}"],
    ["curl", "-H", "X-Day: {day}", "https://example.com/{day}"],
    ["psql", "-d", "{database}", "-f", "report.sql"],
    ["java", "-cp", "lib", "shop.Report", "{day}"],
    ["java", "-jar", "report.jar", "{day}"],
    ["uv", "run", "report.py", "{day}"],
    ["kubectl", "get", "pod", "{name}"],
    ["kubectl", "exec", "-n", "shop", "pod", "--", "report", "{day}"],
    ["docker", "run", "--rm", "report", "{day}"],
    ["chrt", "-o", "0", "report", "{day}"],
    ["split", "-l", "100", "{path}"],
    ["sort", "-k", "2", "{path}"],
    ["publish", "{day}"],
    ["tar", "--create", "--file", "{target}", "--directory", "{folder}", "."],
)
BAD = (
    ["{program}"],
    ["/opt/{program}/run", "x"],
    ["sh", "-c", "echo {name}"],
    ["/bin/bash", "-lc", "{script}"],
    ["env", "-i", "sh", "-e", "-c", "rm -r {folder}"],
    ["sudo", "-u", "me", "dash", "-c", "cat '{path}'"],
    ["bash", "-o", "pipefail", "-c", "cat {path} | wc"],
)
CODE = (
    ["python", "-c", "print('{name}')"],
    ["python3.12", "-c", "{code}"],
    ["/usr/bin/python3", "-m", "{module}"],
    ["python", "{script}"],
    ["python", "-X", "utf8", "{script}"],
    ["perl", "-e", "print {x}"],
    ["perl", "-ne", "{x}"],
    ["perl", "-e", "1", "-e", "{x}"],
    ["perl", "-e{x}"],
    ["ruby", "-e", "{x}"],
    ["node", "--eval", "{x}"],
    ["node", "--eval={x}"],
    ["php", "-r", "{x}"],
    ["awk", "{program}", "file"],
    ["awk", "-F", ",", "{program}", "file"],
    ["gawk", "/{x}/", "file"],
    ["sed", "s/a/{x}/", "file"],
    ["sed", "-e", "s/a/b/", "-e", "s/c/{x}/"],
    ["sed", "--expression=s/a/{x}/"],
    ["env", "-S", "{x}"],
    ["env", "{x}"],
    ["env", "LD_PRELOAD={x}", "ls"],
    ["script", "-c", "ls {x}"],
    ["su", "me", "-c", "{x}"],
    ["watch", "ls", "{x}"],
    ["ssh", "host", "ls", "{x}"],
    ["ssh", "{host}"],
    ["flock", "-c", "{x}", "/run/lock"],
    ["flock", "/run/lock", "-c", "{x}"],
    ["flock", "/run/lock", "{x}"],
    ["sh", "{file}"],
    ["bash", "-x", "{file}"],
    ["timeout", "5", "{program}"],
    ["timeout", "5", "python", "-c", "{x}"],
    ["sudo", "-u", "me", "{program}"],
    ["sudo", "-u", "me", "env", "perl", "-e", "{x}"],
    ["nice", "-n", "5", "{program}"],
    ["xargs", "{program}"],
    ["busybox", "awk", "{program}"],
    ["find", ".", "-exec", "{program}", ";"],
    ["psql", "-c", "select '{x}'"],
    ["psql", "-c", "{x}"],
    ["sqlite3", "shop.db", "{sql}"],
    ["rsync", "-e", "{shell}", "a", "b"],
    ["rsync", "--rsh={shell}", "a", "b"],
    ["tar", "--checkpoint-action={x}", "f"],
    ["git", "-c", "core.pager={x}", "log"],
    ["make", "{target}"],
    ["rbash", "-c", "{x}"],
    ["split", "--filter={x}", "file"],
    ["nice", "split", "--filter", "{x}", "file"],
    ["sort", "--compress-program={x}", "file"],
    ["chrt", "-o", "0", "{x}"],
    ["choom", "-n", "0", "{x}"],
    ["choom", "-n", "0", "--", "{x}"],
    ["prlimit", "--nproc=1000", "{x}"],
    ["linux64", "{x}"],
    ["setarch", "x86_64", "{x}"],
    ["/lib64/ld-linux-x86-64.so.2", "{x}"],
    ["run-parts", "{x}"],
    ["pwsh", "-Command", "{x}"],
    ["cmd.exe", "/c", "{x}"],
    *([each, "-c", "{x}"] for each in ("nu", "elvish", "xonsh", "ipython", "gjs")),
    ["deno", "eval", "{x}"],
    ["deno", "run", "{x}"],
    ["capsh", "--", "-c", "{x}"],
    *([each, "{x}"] for each in ("tini", "dumb-init", "firejail", "fakeroot", "uvx", "proot")),
    *([each, "me", "{x}"] for each in ("gosu", "su-exec", "s6-setuidgid", "faketime")),
    ["tini", "--", "{x}"],
    ["chpst", "-u", "me", "{x}"],
    ["bwrap", "--ro-bind", "/", "/", "{x}"],
    ["numactl", "-N", "0", "{x}"],
    ["hyperfine", "{x}"],
    ["perf", "stat", "{x}"],
    ["socat", "-", "EXEC:{x}"],
    ["nc", "-e", "{x}", "host", "1"],
    ["zip", "-T", "-TT", "{x}", "a.zip", "a"],
    ["gcc", "-wrapper", "{x}", "a.c"],
    ["ansible", "all", "-m", "shell", "-a", "{x}"],
    ["salt", "*", "cmd.run", "{x}"],
    ["kubectl", "exec", "pod", "--", "{x}"],
    ["kubectl", "exec", "-n", "shop", "pod", "--", "sh", "-c", "{x}"],
    ["docker", "exec", "-u", "me", "box", "{x}"],
    ["java", "-jar", "{x}"],
    ["java", "-cp", "lib", "{x}"],
    ["uv", "run", "{x}"],
    *([*each, "{x}"] for each in (["npm", "exec"], ["pipx", "run"], ["poetry", "run"])),
    ["conda", "run", "-n", "base", "{x}"],
    ["somelang", "do({x})"],
    ["somelang", "run {x}"],
    ["somelang", "$(cat {x})"],
    ["somelang", "a;{x}"],
)
LOADS = (
    *(
        "PATH",
        "LD_PRELOAD",
        "BASH_ENV",
        "PYTHONPATH",
        "PERL5OPT",
        "TAR_OPTIONS",
        "HOME",
        "RSYNC_RSH",
    ),
    *(
        "LUA_INIT",
        "PYTHONBREAKPOINT",
        "DOTNET_STARTUP_HOOKS",
        "_JAVA_OPTIONS",
        "CLASSPATH",
        "PSQLRC",
    ),
    *("SSH_ASKPASS", "SUDO_ASKPASS", "VIMINIT", "EXINIT", "OPENSSL_CONF", "BROWSER", "MAKEFLAGS"),
    *("MAVEN_OPTS", "GIT_PROXY_COMMAND", "SYSTEMD_PAGER", "GREP_OPTIONS"),
)


@pytest.mark.parametrize("argv", GOOD)
def test_words_may_be_arguments(argv: list[str]) -> None:
    check_argv(argv)


@pytest.mark.parametrize("argv", BAD)
def test_neither_the_program_nor_the_text_of_a_shell_may(argv: list[str]) -> None:
    with pytest.raises(BadInput, match=r"program|shell"):
        command_target(argv, env={}, cwd=None)
    with pytest.raises(BadInput, match=r"program|shell"):
        App("sqlite:///nowhere.db").command("job", argv)
    with pytest.raises(BadInput, match=r"program|shell"):
        read_bundle(f"jobs: {{job: {{command: {argv!r}}}}}".encode(), "jobs.yaml")


@pytest.mark.parametrize("argv", CODE, ids=" ".join)
def test_no_text_that_another_program_reads_as_code_takes_an_argument(argv: list[str]) -> None:
    with pytest.raises(BadInput, match=r"as code.* in env|shell would read|carry out"):
        check_argv(argv)


@pytest.mark.parametrize("name", LOADS)
def test_no_argument_chooses_what_programs_load(name: str) -> None:
    env = {name: "/opt/{x}"}
    with pytest.raises(BadInput, match=rf"load what {name} says"):
        command_target(["ls"], env=env, cwd=None)
    with pytest.raises(BadInput, match=rf"load what {name} says"):
        App("sqlite:///nowhere.db").command("job", ["ls"], env=env)
    text = f"jobs: {{job: {{command: ls, env: {{{name}: '/opt/{{x}}'}}}}}}"
    with pytest.raises(BadInput, match=rf"load what {name} says"):
        read_bundle(text.encode(), "jobs.yaml")
    check_command(
        ["ls"], {"DAY": "{x}", "OUTPUT_PATH": "/srv/{x}", "FEATURE_FLAGS": "{x}", name: "/opt/bin"}
    )
