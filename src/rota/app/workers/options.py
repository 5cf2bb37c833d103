"""The options of a worker, from the settings of its process."""

from __future__ import annotations

from typing import Any

import msgspec

from rota.engine.prune import Retention
from rota.model.workers.sandbox import Egress, Programs
from rota.runtime.options import WorkerOptions
from rota.settings.secret_files import anchor_options
from rota.settings.table import Settings


def worker_options(settings: Settings) -> WorkerOptions:
    """Return the settings as options of a worker; others keep their defaults."""
    return WorkerOptions(
        **settings.options_of("worker"),
        retention=Retention(**settings.options_of("retention")),
        **anchor_options(settings),
        **_limits(settings),
    )


def with_settings(options: WorkerOptions, settings: Settings) -> WorkerOptions:
    """Return the options with alerts, anchors and limits of the settings, where none are set."""
    plain = WorkerOptions()
    changes = {
        name: limit
        for name, limit in _limits(settings).items()
        if getattr(options, name) == getattr(plain, name)
    }
    if not options.alert_webhook and settings.alert_webhook:
        changes |= {"alert_webhook": settings.alert_webhook}
    if settings.alert_private:
        changes |= {"alert_private": True}
    if not options.anchor:
        changes |= anchor_options(settings)
    return msgspec.structs.replace(options, **changes)


def _limits(settings: Settings) -> dict[str, Any]:
    return {
        "egress": Egress(**settings.options_of("egress")),
        "programs": Programs(**settings.options_of("programs")),
    }
