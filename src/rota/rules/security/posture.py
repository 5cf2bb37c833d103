"""The checks of `rota doctor --security` for a store, its servers and its workers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from urllib.parse import parse_qs, urlsplit

from rota.model.identity.credentials import TokenView
from rota.rules.insight.checkup import Finding, Status, finding

DAY_MS = 86_400_000
UNUSED_MS = 90 * DAY_MS
SHOWN = 5
SURE = ("verify-full", "verify-ca")
NEAR = ("", "localhost", "127.0.0.1", "::1")


def listener(where: str, *, is_near: bool, has_tls: bool, behind_proxy: bool) -> Finding:
    """Check where a server with these settings listens, and whether it uses TLS."""
    how = "with TLS" if has_tls else "behind a proxy" if behind_proxy else "without TLS"
    is_good = is_near or has_tls or behind_proxy
    where_text = f"{where}, {'for this machine' if is_near and not has_tls else how}"
    return finding(
        "listener",
        "ok" if is_good else "problem",
        where_text,
        advice="give --tls-cert and --tls-key, or --behind-proxy",
    )


def open_files(paths: Collection[str]) -> Finding:
    """Report files with secrets or data that everybody on the machine can read."""
    return finding(
        "files",
        "problem" if paths else "ok",
        f"everybody here can read {', '.join(paths)}" if paths else "for their owner only",
        advice="chmod go-rwx them",
    )


def endless_tokens(tokens: Sequence[TokenView]) -> Finding:
    """Report powerful tokens that never expire."""
    powerful = [
        each for each in tokens if each.expires_at is None and {"admin", "exec"} & {*each.roles}
    ]
    return finding(
        "tokens that never expire",
        "warning" if powerful else "ok",
        f"{_names_text(powerful)} with admin or exec" if powerful else "none with admin or exec",
        advice="`rota tokens rotate ID --expires 90d`, then put the new secret into place",
    )


def idle_tokens(tokens: Sequence[TokenView], now: int) -> Finding:
    """Report tokens that nobody has used lately."""
    idle = [each for each in tokens if now - (each.used_at or each.created_at).ms > UNUSED_MS]
    return finding(
        "unused tokens",
        "warning" if idle else "ok",
        f"{_names_text(idle)}, for 90 days" if idle else "none",
        advice="`rota tokens revoke ID`",
    )


def shared_file(namespaces: int) -> Finding:
    """Report several tenants in one file, which has no second line of defence."""
    return finding(
        "namespaces",
        "warning" if namespaces > 1 else "ok",
        f"{namespaces} in one SQLite file: kept apart by Rota alone"
        if namespaces > 1
        else "one for each file",
        advice="give each a file, or use PostgreSQL with `rota db protect`",
    )


def anchored(*, has_sink: bool, is_signed: bool) -> Finding:
    """Check whether the owner of the database could rewrite the audit log unnoticed."""
    anchor_text = "noted outside" if has_sink else "its end is not noted outside"
    unsigned = has_sink and not is_signed
    return finding(
        "audit",
        "ok" if has_sink and is_signed else "warning",
        f"{anchor_text}, not signed" if unsigned else anchor_text,
        advice="set `anchor` and `anchor_key_file` in [audit] of the workers' rota.toml",
    )


def programs(*, is_root: bool, user: str | None, new_privileges: bool) -> Iterator[Finding]:
    """Check the user that jobs' programs run as, if a worker is started from here."""
    as_root = is_root and user is None
    yield finding(
        "programs",
        "warning" if as_root else "ok",
        "run as root" if as_root else f"run as {user or 'the user of the worker'}",
        advice="start workers as a user of their own, or set `user` in [commands]",
    )
    if new_privileges:
        advice = "leave new_privileges out of [commands]"
        yield Finding("privileges", "warning", "programs may gain privileges, as with sudo", advice)


def connection(url: str) -> Iterator[Finding]:
    """Check whether traffic to a remote database can be read or answered by others."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if not parts.scheme.startswith("postgres") or host in NEAR or host.startswith("/"):
        return
    mode = parse_qs(parts.query).get("sslmode", ["prefer"])[-1]
    status: Status = "ok" if mode in SURE else "warning"
    advice = "add sslmode=verify-full to the address"
    yield finding("connection", status, f"to {host}, sslmode={mode}", advice=advice)


def _names_text(tokens: Sequence[TokenView]) -> str:
    names = ", ".join(f"{each.name} ({each.namespace})" for each in tokens[:SHOWN])
    rest = len(tokens) - SHOWN
    return f"{names} and {rest} more" if rest > 0 else names
