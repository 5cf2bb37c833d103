"""Parse one line of a crontab(5) as cron does."""

from __future__ import annotations

import re
from typing import NamedTuple

BLANKS = " \t"
"""The characters between the fields of a line."""
_VARIABLE = re.compile(r"(\"[^\"]*\"|'[^']*'|[^\s=]+)[ \t]*=[ \t]*(.*)", re.DOTALL)
_USER = re.compile(r"[A-Za-z_][\w.-]*\$?(?::[\w.-]+)?(?:/[\w.-]+)?")
_FIELDS = 5
_COMMENTED_OUT = re.compile(
    r"(?:@[a-z]+|(?:[\d*][\d*,/~-]*[ \t]+){2}\S+[ \t]+\S+[ \t]+\S+)[ \t]+\S"
)
_HEADING = re.compile(r"m(?:in\w*)?[ \t]+h(?:our\w*)?[ \t]+(?:dom|day)", re.IGNORECASE)
_SURE_USERS = frozenset({"root", "www-data", "nobody", "postgres", "daemon"})
"""User names that no program has."""


class Fields(NamedTuple):
    """The time of a line, and the rest of the line."""

    expression: str
    rest: str


def variable(line: str) -> tuple[str, str] | None:
    """Return `NAME = value`, with or without quotes; None for a line that starts something."""
    match = _VARIABLE.fullmatch(line)
    return (_unquote(match[1]), _unquote(match[2].strip(BLANKS))) if match else None


def fields(line: str) -> Fields:
    """Split off five fields or a nickname; any number of blanks ends a field."""
    count = 1 if line.startswith("@") else _FIELDS
    parts = re.split(r"[ \t]+", line, maxsplit=count)
    return Fields(" ".join(parts[:count]), parts[count] if len(parts) > count else "")


def split_user(rest: str) -> tuple[str, str]:
    """Split the user from the command in a system table."""
    user, *command = re.split(r"[ \t]+", rest, maxsplit=1)
    return user, command[0] if command else ""


def is_user(word: str) -> bool:
    """Whether a word could be a user name; a program with a path could not."""
    return _USER.fullmatch(word) is not None


def looks_like_user(rest: str, file: str) -> str:
    """Return the user before the command, in a table that is read without a user column."""
    user, command = split_user(rest)
    is_of_system = file.endswith("/etc/crontab") or "/cron.d/" in file
    if command and (user in _SURE_USERS or (is_of_system and is_user(user))):
        return user
    return ""


def split_input(command: str) -> tuple[str, str | None]:
    """Split a command from its input: everything after the first `%` without a backslash.

    In the command a backslash stays, except before `%`. In the input each further `%` is a new
    line, and the last line is ended.
    """
    parts: list[str] = []
    at = 0
    while at < len(command):
        pair = command[at : at + 2]
        if pair == "\\%":
            parts.append("%")
        elif pair[0] == "\\":
            parts.append(pair)
        elif pair[0] == "%":
            return "".join(parts), _input(command[at + 1 :])
        else:
            parts.append(pair[0])
        at += 2 if pair[0] == "\\" else 1
    return "".join(parts), None


def _input(text: str) -> str:
    lines = re.sub(r"\\%|%", lambda match: "%" if match[0] == "\\%" else "\n", text)
    return lines if not lines or lines.endswith("\n") else f"{lines}\n"


def comment(line: str) -> str:
    """Return what a comment says about the line below it; empty for rules and disabled lines."""
    text = line.lstrip("#").strip()
    is_told = re.search(r"\w", text) and not _COMMENTED_OUT.match(text)
    return text if is_told and not _HEADING.search(text) else ""


def _unquote(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text
