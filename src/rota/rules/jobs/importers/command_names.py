"""Derive job names from command lines, as a person would choose them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from urllib.parse import urlsplit

_WRAPPERS = frozenset({
    "chronic", "command", "cronitor", "doas", "env", "eval", "exec", "flock", "ionice", "nice",
    "nohup", "run-one", "setsid", "stdbuf", "sudo", "systemd-cat", "time", "timeout",
})  # fmt: skip
"""Programs that start another one, whose name says more."""
_TAKES_WORD = {
    "flock": 1, "timeout": 1,
}  # fmt: skip
"""The number of their own words before the program."""
_OPTIONS_WITH_VALUE = {
    "cronitor": {"-c"}, "env": {"-u", "-C"}, "flock": {"-w", "-E"}, "ionice": {"-c", "-n"},
    "nice": {"-n"}, "stdbuf": {"-i", "-o", "-e"}, "sudo": {"-u", "-g", "-h"},
    "systemd-cat": {"-t", "-p"}, "timeout": {"-k", "-s"},
}  # fmt: skip
_INTERPRETERS = re.compile(r"(?:python|perl|ruby|php|node|bash|dash|sh|zsh|ksh)[0-9.]*")
_FIRST = frozenset({"cd", "test", "[", "[[", ".", "source", "export", "umask", "set", "sleep"})
"""Words that only prepare the next command of a line."""
_LINKS = frozenset({"&&", "||", ";", "|", "&", "(", ")", "{", "}", ";;", "|&",
                    "if", "then", "do", "fi", "done", "else", "while"})  # fmt: skip
_ENDING = re.compile(r"\.(?:sh|bash|py|pl|rb|php|js)$")
_WORD = re.compile(r"[A-Za-z][\w:.-]{0,39}")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_MOST_CHARS = 4_096


def command_name(line: str) -> str:
    """Return a name: `flock -n /run/x /srv/shop/manage.py migrate` gives `manage-migrate`."""
    parts = list(_parts(line[:_MOST_CHARS]))
    for inner in map(_inner, parts):
        if inner and inner[0] not in _FIRST:
            return _telling_word(inner)
    return next((_base(words[0]) for words in parts if words), "") or "cron"


def _parts(line: str) -> Iterator[list[str]]:
    """Yield the simple commands of a shell line, without redirections."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.commenters = ""
    lexer.whitespace_split = True
    words: list[str] = []
    is_target = False
    try:
        for word in lexer:
            if word in _LINKS:
                yield words
                words = []
            elif set(word) <= set("<>&|") and word:
                is_target = True
                if words and words[-1].isdecimal():
                    words.pop()
            elif is_target:
                is_target = False
            else:
                words.append(word)
    except ValueError:  # an open quote: what stands before it is still a command
        pass
    yield words


def _inner(words: list[str]) -> list[str]:
    """Strip assignments, wrappers and interpreters from the front."""
    while words:
        base = words[0].rsplit("/", 1)[-1]
        if _ASSIGNMENT.fullmatch(words[0]) and "/" not in words[0].partition("=")[0]:
            words = words[1:]
        elif base in _WRAPPERS:
            words = _after_options(words[1:], _OPTIONS_WITH_VALUE.get(base, set()))
            own = _TAKES_WORD.get(base, 0)
            if base == "flock" and words[own:] and words[own] == "-c":
                return list(next(iter(_parts(" ".join(words[own + 1 : own + 2]))), []))
            words = words[own:]
        elif _INTERPRETERS.fullmatch(base) and words[1:]:
            return _script(words)
        else:
            return words
    return []


def _after_options(words: list[str], with_value: set[str]) -> list[str]:
    while words and words[0].startswith("-"):
        words = words[2 if words[0] in with_value else 1 :]
    return words


def _script(words: list[str]) -> list[str]:
    """Return the argument of an interpreter: a module, a script, or a line for a shell."""
    for at, word in enumerate(words[1:], start=1):
        if word == "-m" and words[at + 1 :]:
            return words[at + 1 :]
        if word in ("-c", "-lc", "-ec", "-e", "-r") and words[at + 1 :]:
            inner = next((part for part in _parts(words[at + 1]) if part), [])
            return inner if word.endswith("c") and inner else words[:1]
        if not word.startswith("-"):
            return words[at:]
    return words[:1]


def _telling_word(words: list[str]) -> str:
    name = _base(words[0])
    if not re.search(r"\w", name):
        return "cron"
    rest = words[1:]
    if rest and _WORD.fullmatch(rest[0]):
        return f"{name}-{_base(rest[0])}"
    shown = next((text for word in rest if (text := _address(word))), "")
    return f"{name}-{shown}" if shown else name


def _address(word: str) -> str:
    """Return host and last part of a URL, the last part of a path, else nothing."""
    if word.startswith(("http://", "https://")):
        try:
            parts = urlsplit(word)
            host = parts.hostname or ""
        except ValueError:
            return ""
        last = parts.path.rstrip("/").rsplit("/", 1)[-1]
        return f"{host}-{last}" if last else host
    if word.startswith(("/", "./", "../", "~/")):
        return _base(word.rstrip("/"))
    return ""


def _base(word: str) -> str:
    return _ENDING.sub("", word.rsplit("/", 1)[-1])
