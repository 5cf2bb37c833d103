"""`rota doctor --security`: gathers the facts in the settings, the files and the store."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from rota.rules.security import posture

if TYPE_CHECKING:
    from rota.model.identity.credentials import TokenView
    from rota.rules.insight.checkup import Finding
    from rota.settings.table import Settings
    from rota.store.base import Store, Tx

SECRETS = ("admin_token", "client_secret", "anchor_key", "token", "password", "://")
"""Marks of secrets in rota.toml; an address with `://` may hold a password."""


def examine_posture(settings: Settings, url: str, store: Store) -> list[Finding]:
    """Return all findings; anything but `ok` is a weak point."""
    from rota.api.server.options import is_loopback
    from rota.cli.serve.server import server_options_of

    options = server_options_of(settings)
    return [
        posture.listener(
            options.host,
            is_near=is_loopback(options.host),
            has_tls=options.has_tls,
            behind_proxy=options.behind_proxy,
        ),
        posture.open_files(_open_files(settings, url)),
        *posture.connection(url),
        *store.read(lambda tx: _stored(tx, is_file=url.startswith("sqlite"))),
        posture.anchored(
            has_sink=settings.anchor is not None,
            is_signed=bool(settings.anchor_key or settings.anchor_key_file),
        ),
        *posture.programs(
            is_root=os.geteuid() == 0,
            user=settings.command_user,
            new_privileges=settings.command_new_privileges,
        ),
    ]


def _stored(tx: Tx, *, is_file: bool) -> list[Finding]:
    from rota.engine.identity.namespaces import HOME, namespaces
    from rota.engine.identity.tokens import tokens
    from rota.engine.runs.find import now_ms
    from rota.rules.insight import checkup

    names = {HOME, *(each.name for each in namespaces(tx))}
    views: list[TokenView] = []
    for name in sorted(names):
        views += tokens(tx, namespace=name, limit=10_000)
    vitals = {row["name"]: row["value"] for row in tx.all("vitals")}
    walls = [posture.shared_file(len(names))] if is_file else list(checkup.protection(vitals))
    return [*walls, posture.endless_tokens(views), posture.idle_tokens(views, now_ms(tx))]


def _open_files(settings: Settings, url: str) -> list[str]:
    from rota.settings.file import find_file
    from rota.store.open import file_of

    own = find_file(settings.folder)
    paths = [*_files_of(file_of(url)), *(Path(each) for each in _secret_files_of(settings))]
    if own is not None and any(word in own.read_text(errors="replace") for word in SECRETS):
        paths.append(own)
    return [str(path) for path in paths if _is_open(path)]


def _files_of(store: Path | None) -> list[Path]:
    """Return the file of a store, its log, and the large values beside it."""
    if store is None:
        return []
    return [store, *(store.with_name(store.name + end) for end in ("-wal", "-shm", ".artifacts"))]


def _secret_files_of(settings: Settings) -> list[str]:
    paths = (settings.tls_key, settings.anchor_key_file, settings.token_file)
    return [str(settings.folder / each) for each in paths if each is not None]


def _is_open(path: Path) -> bool:
    """Whether others can read the path; a file in a folder closed to them is not open."""
    try:
        if not path.stat().st_mode & stat.S_IROTH:
            return False
        return all(each.stat().st_mode & stat.S_IXOTH for each in path.absolute().parents)
    except OSError:
        return False
