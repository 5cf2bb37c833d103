"""The options of a worker, from the settings of its process."""

from __future__ import annotations

from typing import Any

import msgspec

from rota.engine.prune import Retention
from rota.model.workers.sandbox import Egress, Programs
from rota.runtime.options import WorkerOptions
from rota.settings.secret_files import anchor_options
from rota.settings.table import Settings


def worker_options(said: Settings) -> WorkerOptions:
    """Return the settings as options of a worker; others keep their defaults."""
    return WorkerOptions(
        **said.options_of("worker"),
        retention=Retention(**said.options_of("retention")),
        **anchor_options(said),
        **_limits(said),
    )


def with_settings(options: WorkerOptions, said: Settings) -> WorkerOptions:
    """Return the options with alerts, anchors and limits of the settings, where none are set."""
    plain = WorkerOptions()
    changes = {
        name: limit
        for name, limit in _limits(said).items()
        if getattr(options, name) == getattr(plain, name)
    }
    if not options.alert_webhook and said.alert_webhook:
        changes |= {"alert_webhook": said.alert_webhook}
    if said.alert_private:
        changes |= {"alert_private": True}
    if not options.anchor:
        changes |= anchor_options(said)
    return msgspec.structs.replace(options, **changes)


def _limits(said: Settings) -> dict[str, Any]:
    return {
        "egress": Egress(**said.options_of("egress")),
        "programs": Programs(**said.options_of("programs")),
    }
