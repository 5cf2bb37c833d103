"""Programs that read words as code or as a command, and which of their words these are.

The rule does not hang on this list: inside a text an argument is refused for every program that is
not known to take texts for what they are (rules.programs). The list says where even a word of its
own would be carried out.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import NamedTuple

_VERSION = re.compile(r"(?<=[a-z])[-.\d]+$")


class Reader(NamedTuple):
    """What a program does with its words."""

    code: str = ""
    """Letters of options after which code stands, or a file of it."""
    valued: str = ""
    """Letters of options that take another value."""
    fixed: int = 1
    """So many words are written out before an argument: a script, a program, what leads to it."""
    runs: bool = False
    """The last of these words is a program, which may be one of these again."""
    goes_on: bool = False
    """Options are read after other words, too."""
    joins: bool = False
    """All of its words are read once more, by a shell or as code."""


SHELLS = frozenset(("ash", "bash", "csh", "dash", "fish", "ksh", "mksh", "sh", "tcsh", "zsh"))
_SHELL = Reader("c", "oO")
_JOINS = Reader(joins=True)
_RUNS = Reader(runs=True)
READERS = {
    **dict.fromkeys(SHELLS, _SHELL),
    **dict.fromkeys(("python", "pypy"), Reader("cm", "WX")),
    **dict.fromkeys(("perl", "raku"), Reader("eEmM", "I")),
    "ruby": Reader("er", "IC"),
    **dict.fromkeys(("node", "nodejs", "deno", "bun"), Reader("epr")),
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
    "scp": Reader("So", "", 0, goes_on=True),
    **dict.fromkeys(("ssh", "rsh", "mosh", "watch", "su", "runuser", "script", "at"), _JOINS),
    **dict.fromkeys(("batch", "eval", "parallel", "screen", "tmux", "make", "gmake"), _JOINS),
    **dict.fromkeys(("vi", "vim", "nvim", "emacs", "xterm"), _JOINS),
    "env": Reader("S", "uC", runs=True),
    **dict.fromkeys(("nohup", "setsid", "time", "busybox", "exec", "command", "xargs"), _RUNS),
    **dict.fromkeys(("strace", "ltrace", "valgrind", "unshare", "uv", "npx"), _RUNS),
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
"""Options after which code or a program stands, whatever the program."""
PLAIN_TAKERS = frozenset(
    (
        *("basename", "cat", "cp", "curl", "cut", "date", "df", "dirname", "du", "echo", "gpg"),
        *("grep", "gunzip", "gzip", "head", "logger", "ls", "mail", "mailx", "mkdir", "mv"),
        *("notify-send", "printf", "rm", "rmdir", "seq", "sha256sum", "sleep", "sort", "stat"),
        *("tail", "tee", "test", "touch", "tr", "wc", "wget"),
    )
)
"""Programs that take a text for what it is, so that an argument may stand inside of one."""
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
    )
)
"""Variables whose value is run or loaded by programs that find it."""


def reader_of(word: str) -> Reader | None:
    """What is known of a program by its name, whatever its folder and version."""
    name = PurePath(word).name
    return READERS.get(name) or READERS.get(_VERSION.sub("", name))


def is_loaded(variable: str) -> bool:
    """Whether programs take the value of a variable for code, or for where code is."""
    return variable in LOADED or variable.startswith(("LD_", "DYLD_", "BASH_FUNC_"))
