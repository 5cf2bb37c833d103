"""Compiled schedules of this process, for operations that put or start one."""

from __future__ import annotations

import random
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rota.engine.schedules.compiled import CompiledSchedules


@cache
def compiled_schedules() -> CompiledSchedules:
    """Made when first asked for, since it loads zones, cron and holidays."""
    from rota.engine.schedules.compiled import (  # noqa: PLC0415
        CompiledSchedules,
        rules_version,
    )

    return CompiledSchedules(rules_version(), random.random)
