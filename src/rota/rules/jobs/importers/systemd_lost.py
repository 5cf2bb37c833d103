"""The keys of a timer and its service that Rota does not keep, each by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rota.rules.jobs.importers.report import Note
from rota.rules.jobs.importers.unit_file import Sections, Unit

_KEPT = {
    "Timer": frozenset({
        "OnCalendar", "OnUnitActiveSec", "OnUnitInactiveSec", "Unit", "Persistent",
        "RandomizedDelaySec", "FixedRandomDelay", "AccuracySec", "DeferReactivation",
        "OnBootSec", "OnStartupSec", "OnActiveSec",
    }),
    "Service": frozenset({
        "ExecStart", "ExecStartPre", "Environment", "WorkingDirectory", "SuccessExitStatus",
        "Restart", "Type", "TimeoutStartSec", "TimeoutSec", "RuntimeMaxSec", "User", "Group",
    }),
    "Unit": frozenset({"Description"}),
}  # fmt: skip
"""Keys that are carried over, or have a note of their own."""
_VARIABLES = ("EnvironmentFile", "PassEnvironment", "LoadCredential", "SetCredential")
_CONDITIONS = ("Condition", "Assert", "ExecCondition")
_Key = tuple[str, str]
"""A section, and a key in it."""


def lost_notes(timer: Sections, service: Sections) -> Iterator[Note]:
    """Yield the losses; conditions and variables first, since they change a command's work."""
    unread = {
        (f"{kind}'s [{section}]", key): values[-1]
        for kind, sections in (("timer", timer), ("service", service))
        for section, unit in sections.items()
        for key, values in unit.items()
        if values and key not in _KEPT.get(section, ())
    }
    conditions = _take(unread, _CONDITIONS)
    if conditions:
        yield Note(
            topic="condition",
            old=f"starts only if {', '.join(f'{key}={it}' for (_, key), it in conditions)} allows",
            default="starts in any case, as conditions are not checked; let the command check them",
        )
    variables = _take(unread, _VARIABLES)
    if variables:
        yield Note(
            topic="variables",
            old=f"from {', '.join(f'{key}={it}' for (_, key), it in variables)}",
            default="not kept; set them under env:, or give them to the worker and name them in "
            "pass_env of [commands] in its rota.toml",
        )
    by_place: dict[str, list[str]] = {}
    for place, key in unread:
        by_place.setdefault(place, []).append(key)
    for place, keys in by_place.items():
        yield Note(topic="not kept", old=f"{', '.join(keys)} of the {place} section")


def boot_notes(timer: Unit) -> Iterator[Note]:
    """Yield notes on starts that count from a boot, beside starts that are kept."""
    for key in ("OnBootSec", "OnStartupSec", "OnActiveSec"):
        for span in timer.get(key, []):
            yield Note(
                topic="boot",
                old=f"{key}={span}: starts once more, so long after a boot or a start of the timer",
                default="not kept: the first start is at the first time of the schedule",
            )


def _take(unread: dict[_Key, str], beginnings: tuple[str, ...]) -> list[tuple[_Key, str]]:
    matching = [
        (place, value) for place, value in unread.items() if place[1].startswith(beginnings)
    ]
    for place, _ in matching:
        del unread[place]
    return matching


def description(timer: Mapping[str, Unit], service: Mapping[str, Unit]) -> str:
    """Return the description of the service, else of the timer."""
    for sections in (service, timer):
        text = sections.get("Unit", {}).get("Description")
        if text:
            return text[-1].replace("%%", "%") if "%" not in text[-1].replace("%%", "") else ""
    return ""
