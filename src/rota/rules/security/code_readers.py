"""Programs that read words as code or as a command, and which words these are.

Safety does not depend on this list: inside a text, an argument is refused for every program that is
not known to treat texts as plain data (programs.py). The list covers programs that would carry out
even a separate word.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import NamedTuple

_VERSION = re.compile(r"(?<=[a-z])[-.\d]+$")
_LOADER = re.compile(r"^(ld-linux|ld-musl)\b.*")


class Reader(NamedTuple):
    """The treatment that a program gives its words."""

    code: str = ""
    """Letters of options that take code, or a file of it."""
    valued: str = ""
    """Letters of options that take another value."""
    fixed: int = 1
    """The number of words that must be literal: a script, a program, or words before it."""
    runs: bool = False
    """Whether the last of these words is a program, which may again be one of these readers."""
    goes_on: bool = False
    """Whether options are read after other words, too."""
    joins: bool = False
    """Whether all words are read once more, by a shell or as code."""
    flags: tuple[str, ...] = ()
    """Further options of the program that take code or a program."""


SHELLS = frozenset(
    ("ash", "bash", "csh", "dash", "fish", "ksh", "mksh", "rbash", "sh", "tcsh", "yash", "zsh")
)
_SHELL = Reader("c", "oO")
_JOINS = Reader(joins=True)
_RUNS = Reader(runs=True)
READERS = {
    **dict.fromkeys(SHELLS, _SHELL),
    **dict.fromkeys(("python", "pypy"), Reader("cm", "WX")),
    **dict.fromkeys(("perl", "raku"), Reader("eEmM", "I")),
    "ruby": Reader("er", "IC"),
    **dict.fromkeys(("node", "nodejs", "bun"), Reader("epr")),
    **dict.fromkeys(("elvish", "gjs", "ipython", "nu", "xonsh"), Reader("c")),
    **dict.fromkeys(("pwsh", "powershell", "cmd"), _JOINS),
    "deno": Reader("epr", "", 2),
    "deno eval": _JOINS,
    "java": Reader("", "ph"),
    "php": Reader("rBEFf", "dc"),
    **dict.fromkeys(("lua", "luajit"), Reader("el")),
    **dict.fromkeys(("R", "Rscript", "julia"), Reader("eEf")),
    **dict.fromkeys(("tclsh", "wish", "expect", "osascript", "gdb"), Reader("cex")),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), Reader("feEi", "Fv")),
    **dict.fromkeys(
        ("sed", "gsed", "ed", "ex", "bc", "dc", "jq", "yq", "m4"), Reader("ef", "l", goes_on=True)
    ),
    **dict.fromkeys(("sqlite", "sqlite3"), Reader("", "", 2)),
    **dict.fromkeys(("psql", "pg"), Reader("cfv", "", 0, goes_on=True)),
    **dict.fromkeys(("mysql", "mariadb", "rsync"), Reader("e", "", 0, goes_on=True)),
    "git": Reader("c", "", 0, goes_on=True),
    "tar": Reader("IF", "", 0, goes_on=True),
    "split": Reader("", "", 0, flags=("--filter",)),
    "sort": Reader("", "", 0, flags=("--compress-program",)),
    "wget": Reader("e", "", 0, goes_on=True, flags=("--execute", "--use-askpass")),
    "man": Reader("PH", "", 0, goes_on=True, flags=("--pager", "--html")),
    "zip": Reader("", "", 0, flags=("-TT", "--unzip-command")),
    **dict.fromkeys(
        ("cc", "clang", "g++", "gcc"), Reader("B", "", 0, goes_on=True, flags=("-wrapper",))
    ),
    **dict.fromkeys(
        ("nc", "ncat", "netcat"), Reader("ec", "", 0, goes_on=True, flags=("--sh-exec",))
    ),
    "run-parts": Reader(),
    "scp": Reader("So", "", 0, goes_on=True),
    **dict.fromkeys(("ssh", "rsh", "mosh", "watch", "su", "runuser", "script", "at"), _JOINS),
    **dict.fromkeys(("batch", "eval", "parallel", "screen", "tmux", "make", "gmake"), _JOINS),
    **dict.fromkeys(("vi", "vim", "nvim", "emacs", "xterm"), _JOINS),
    "env": Reader("S", "uC", runs=True),
    **dict.fromkeys(("nohup", "setsid", "time", "busybox", "exec", "command", "xargs"), _RUNS),
    **dict.fromkeys(("strace", "ltrace", "valgrind", "unshare", "npx"), _RUNS),
    "sudo": Reader("", "CDghpRTtUu", runs=True),
    "doas": Reader("", "Cu", runs=True),
    "nice": Reader("", "n", runs=True),
    "ionice": Reader("", "cnp", runs=True),
    "stdbuf": Reader("", "ioe", runs=True),
    "timeout": Reader("", "ks", 2, runs=True),
    "flock": Reader("c", "wE", 2, runs=True),
    "taskset": Reader("", "", 2, runs=True),
    "chroot": Reader("", "", 2, runs=True),
    "sshpass": Reader("", "pfde", runs=True),
    **dict.fromkeys(("bwrap", "capsh", "firejail", "hyperfine", "mpirun", "perf", "proot"), _JOINS),
    **dict.fromkeys(("ansible", "salt", "salt-call", "socat", "start-stop-daemon"), _JOINS),
    **dict.fromkeys(("i386", "linux32", "linux64", "uname26", "x86_64", "prlimit"), _RUNS),
    **dict.fromkeys(("catchsegv", "dumb-init", "eatmydata", "pkexec", "tini", "uvx"), _RUNS),
    **dict.fromkeys(("proxychains", "torsocks", "unbuffer", "xvfb-run"), _RUNS),
    **dict.fromkeys(("ld-linux", "ld-musl", "ld.so"), _RUNS),
    **dict.fromkeys(
        ("chrt", "envdir", "envuidgid", "faketime", "gosu", "logsave", "s6-setuidgid", "setarch"),
        Reader("", "", 2, runs=True),
    ),
    **dict.fromkeys(("setlock", "setuidgid", "su-exec"), Reader("", "", 2, runs=True)),
    "choom": Reader("", "np", runs=True),
    "chpst": Reader("", "/bcdefLlmnoprtuU", runs=True),
    "fakeroot": Reader("", "bils", runs=True),
    "numactl": Reader("", "CilmNp", runs=True),
    "cgexec": Reader("", "g", runs=True),
    "uv": Reader("", "", 2, runs=True),
    "uv tool": Reader("", "", 3, runs=True),
    "ip netns": Reader("", "", 4, runs=True),
    "npm exec": Reader("c", "", 2, runs=True),
    **dict.fromkeys(
        ("bun run", "bun x", "bundle exec", "npm run", "npm x", "pipx run", "pnpm dlx"),
        Reader("", "", 2, runs=True),
    ),
    **dict.fromkeys(
        ("pnpm exec", "poetry run", "yarn dlx", "yarn exec"), Reader("", "", 2, runs=True)
    ),
    "conda run": Reader("", "np", 2, runs=True),
    "kubectl exec": Reader("", "cfn", 3, runs=True),
    **dict.fromkeys(
        ("docker exec", "nerdctl exec", "podman exec"), Reader("", "euw", 3, runs=True)
    ),
    **dict.fromkeys(("systemd-run", "nsenter", "setpriv"), Reader("", "utp", runs=True)),
}
CODE_FLAGS = frozenset(
    (
        *(
            "--eval",
            "--exec",
            "--execute",
            "--expression",
            "--command",
            "--print",
            "--split-string",
        ),
        *("--rsh", "--remsh", "--checkpoint-action", "--to-command", "--use-compress-program"),
        *("--init-command", "--init-file", "--rcfile", "--require", "--source", "--upload-pack"),
        *("-exec", "-execdir", "-ok", "-okdir"),
    )
)
"""Options that take code or a program, whatever the program."""
PLAIN_TAKERS = frozenset(
    (
        *("basename", "cat", "cp", "curl", "cut", "date", "df", "dirname", "du", "echo", "gpg"),
        *("grep", "gunzip", "gzip", "head", "logger", "ls", "mail", "mailx", "mkdir", "mv"),
        *("notify-send", "printf", "rm", "rmdir", "seq", "sha256sum", "sleep", "sort", "stat"),
        *("tail", "tee", "test", "touch", "tr", "wc", "wget"),
    )
)
"""Programs that treat a text as plain data, so that it may contain an argument."""
LOADED = frozenset(
    (
        *("BASH_ENV", "EDITOR", "ENV", "GCONV_PATH", "GIT_EXTERNAL_DIFF", "GIT_SSH", "IFS"),
        *(
            "GIT_SSH_COMMAND",
            "JAVA_TOOL_OPTIONS",
            "LESSOPEN",
            "MANPAGER",
            "NODE_OPTIONS",
            "NODE_PATH",
        ),
        *(
            "PAGER",
            "PATH",
            "PERL5DB",
            "PERL5LIB",
            "PERL5OPT",
            "PROMPT_COMMAND",
            "PS4",
            "PYTHONHOME",
        ),
        *("PYTHONPATH", "PYTHONSTARTUP", "RUBYLIB", "RUBYOPT", "SHELL", "SHELLOPTS", "VISUAL"),
        *("BROWSER", "CDPATH", "CLASSPATH", "EXINIT", "FPATH", "HOME", "INPUTRC", "MAKEFILES"),
        *("OPENSSL_CONF", "PSQLRC", "PYTHONBREAKPOINT", "PYTHONWARNINGS", "RSYNC_RSH", "TERMCAP"),
        *("SSH_ASKPASS", "SUDO_ASKPASS", "VIMINIT", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "ZDOTDIR"),
        *("CVS_RSH", "DOTNET_STARTUP_HOOKS", "OPENSSL_MODULES", "PGSERVICEFILE", "TERMINFO"),
    )
)
"""Variables whose value programs run or load."""
_FAMILY = re.compile(
    r"(LD|DYLD|BASH_FUNC|LUA|NPM_CONFIG|npm_config)_.*|GIT_(CONFIG|DIR|EXEC|SSH|TEMPLATE).*"
    r"|.*(_OPTIONS|_OPTS|[A-Z\d]OPT|[A-Z]FLAGS|_INIT|_PRELOAD|_RCFILE)"
    r"|.*(_COMMAND|_PAGER|_EDITOR|_SHELL|_ASKPASS)"
)
"""Names of variables from which programs take options, hooks or other programs."""


def reader_of(word: str, after: str = "") -> Reader | None:
    """Return how a program treats its words, by its name without folder and version.

    The word after it may be a part of the name: `kubectl exec` runs another program, `kubectl get`
    does not.
    """
    name = PurePath(word).name.removesuffix(".exe")
    bare = _LOADER.sub(r"\1", _VERSION.sub("", name))
    names = (f"{name} {after}", name, bare, f"{bare} {after}")
    return next((READERS[each] for each in names if each in READERS), None)


def is_loaded(variable: str) -> bool:
    """Whether programs treat the value of a variable as code, or as the place of code."""
    return variable in LOADED or _FAMILY.fullmatch(variable) is not None
