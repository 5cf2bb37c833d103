"""Allowed statements of a user inside our transaction: one at a time, none that ends it."""

from __future__ import annotations

import re

from rota.errors import NotAllowed

CONTROL = {
    *("abort", "begin", "commit", "end", "prepare", "release", "rollback", "savepoint", "start"),
    *("attach", "detach", "discard", "listen", "pragma", "reset", "set", "unlisten", "vacuum"),
}
"""Words that end the transaction, or change the connection for its next users."""
_QUOTED = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | \$(\w*)\$.*?\$\1\$ | --[^\n]* | /\*.*?\*/""",
    re.VERBOSE | re.DOTALL,
)


def check_statement(text: str) -> str:
    """Return the text if it is one statement that leaves the transaction alone."""
    bare = _QUOTED.sub(" ", text).strip().rstrip(";").strip()
    word = re.split(r"\W", bare, maxsplit=1)[0].lower()
    if word in CONTROL:
        raise NotAllowed(
            f"{word.upper()} is not allowed here: the transaction is committed with the run, "
            "or rolled back when the function raises"
        )
    if ";" in bare:
        raise NotAllowed("give one statement at a time to tx.execute()")
    return text
