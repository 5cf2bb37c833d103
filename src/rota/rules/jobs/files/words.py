"""Split a one-line command into words as a shell would, without ever running a shell."""

from __future__ import annotations

import shlex

from rota.errors import BadOption

_OPERATORS = "|&;<>()`\n"
_SHELL = 'for a shell write ["sh", "-c", "..."]'


def split_words(text: str) -> list[str]:
    """Return the words of a command; quotes and backslashes work, other shell syntax is refused."""
    if reason := _needs_shell(text):
        raise BadOption(f"{text!r:.80} holds {reason!r}, and no shell looks at it; {_SHELL}")
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise BadOption(f"{text!r:.80} cannot be split into words: {error}") from error
    if not words:
        raise BadOption("a command needs at least the name of a program")
    return words


def _needs_shell(text: str) -> str:
    """Return the first sign outside quotes that only a shell understands."""
    quote = ""
    skips = False
    for at, sign in enumerate(text):
        if skips:
            skips = False
        elif sign == "\\" and quote != "'":
            skips = True
        elif quote:
            if sign == quote:
                quote = ""
            elif quote == '"' and _is_expanded(text, at):
                return sign
        elif sign in "'\"":
            quote = sign
        elif sign in _OPERATORS or _is_expanded(text, at):
            return sign
    return ""


def _is_expanded(text: str, at: int) -> bool:
    following = text[at + 1 : at + 2]
    is_named = following.isalnum() or (following and following in "{(_?$@*#!")
    return text[at] == "`" or (text[at] == "$" and bool(is_named))
