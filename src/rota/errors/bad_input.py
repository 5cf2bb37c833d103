"""Errors that the caller can fix: nothing was changed, and the message says what was wrong."""

from __future__ import annotations

from collections.abc import Iterable

from rota.errors.base import BadInput


class BadOption(BadInput):
    """An option is unknown, or its value is invalid."""


class BadGraph(BadInput):
    """A graph is invalid; the message names the node."""

    def __init__(self, message: str | None = None, *, path: tuple[str | int, ...] = ()) -> None:
        self.path = path
        """The place of the error in the input, for callers that can point to it."""
        super().__init__(message)


class BadExpression(BadInput):
    """An expression is malformed, mentions an unknown name, or gave no value."""


class BadFile(BadInput):
    """A file is malformed; the message gives line and column."""


class BadDuration(BadInput):
    """A duration is written like 500ms, 90s, 10m, 1h30m or 7d."""


class BadZone(BadInput):
    """A time zone is an IANA name such as Europe/Paris or UTC."""

    def __init__(self, name: str, known: Iterable[str] = ()) -> None:
        import difflib  # noqa: PLC0415  # only a refusal needs it, and every command starts with us

        self.name = name
        folded = {one.casefold(): one for one in sorted(known)}
        close = difflib.get_close_matches(name.casefold()[:64], folded, n=1)
        hint = f"did you mean {folded[close[0]]!r}?" if close else "write Europe/Paris or UTC"
        super().__init__(f"no time zone is named {name!r:.64}; {hint}")


class BadCron(BadInput):
    """A cron line has 5 fields, or 6 with seconds first, or 7 with the year last."""


class BadUrl(BadInput):
    """A store address is sqlite:///path/to/file.db or postgresql://user@host/database."""


class BadArguments(BadInput):
    """The arguments do not fit the job's signature."""


class BadResult(BadInput):
    """The handler returned something that is not JSON."""


class PayloadTooLarge(BadInput):
    """Arguments or a result are larger than the limit; pass a reference instead."""


class AppNotFound(BadInput):
    """The module could not be imported, or it holds no App."""


class DuplicateKey(BadInput):
    """The idempotency key was used before with other arguments; nothing was submitted."""

    def __init__(self, key: str, run_id: str, *, what: str = "run", has: str = "arguments") -> None:
        self.key = key
        self.run_id = run_id
        super().__init__(
            f"idempotency key {key!r} belongs to {what} {run_id} which has other {has}; "
            f"use another key, or the same {has}"
        )


class KeyReused(BadInput):
    """The Idempotency-Key was used before, with another request or by another credential."""


class WrongConnection(BadInput):
    """The connection is of an unknown kind, of another database, or in autocommit mode."""


class ArtifactLost(BadInput):
    """A large value that was stored separately is gone or changed."""

    def __init__(self, digest: str, found: str, *, whose: str = "") -> None:
        self.digest = digest
        self.found = found
        of = f"{whose} (sha256 {digest})" if whose else f"the value with sha256 {digest}"
        super().__init__(f"{of} {found}; rerun what made it")

    def of(self, whose: str) -> ArtifactLost:
        """Return this error with the name of the value."""
        return ArtifactLost(self.digest, self.found, whose=whose)
