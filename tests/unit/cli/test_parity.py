"""Whatever the API does can be done with a command, or stands here with the reason why not."""

from __future__ import annotations

import pkgutil
import re
from importlib import import_module
from pathlib import Path

import rota.cli
import rota.handles
import rota.operations
from rota.operations.operation import Operation

WITHOUT = {
    "show_parameters": "`rota jobs show` has the parameters",
    "define_new_job": "`rota apply` defines jobs",
    "replace_job": "`rota apply` defines jobs",
    "show_graph": "`rota graphs show` draws it from its file or app",
    "show_grid": "a picture for a wide screen",
    "preview_schedule": "`rota schedules preview` needs no store",
    "redrive_letter": "`rota dead redrive` takes some ids or one",
    "discard_letter": "`rota dead discard` takes some ids or one",
    "show_alert_rule": "`rota alerts rules` has all of each",
    "show_calendar": "`rota calendars` has all of each",
    "show_blackout": "`rota blackouts` has all of each",
}


def operations() -> set[str]:
    return {
        each.name
        for found in pkgutil.walk_packages(rota.operations.__path__, "rota.operations.")
        for each in vars(import_module(found.name)).values()
        if isinstance(each, Operation)
    }


def source_of(*packages: object) -> str:
    folders = [Path(str(each.__file__)).parent for each in packages]  # type: ignore[attr-defined]
    return "\n".join(path.read_text() for each in folders for path in each.rglob("*.py"))


def test_each_operation_is_reached_by_handles_or_has_a_reason() -> None:
    """A command calls handles, so an operation that no handle calls has no command either."""
    called = set(re.findall(r"\w+", source_of(rota.handles, rota.cli)))

    assert operations() - called == set(WITHOUT)
