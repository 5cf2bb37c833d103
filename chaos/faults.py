"""The plan of a nemesis, derived from the seed: the faults, their order and their lengths."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from chaos.sizes import Sizes

KILLS = ("kill_worker", "kill_child", "vanish", "kill_client")
STOPS = ("stop_worker", "pause_worker")
OF_LEASE = {
    "stop_worker": (1.1, 1.4),  # past its lease: it wakes up as a zombie
    "pause_worker": (0.05, 0.5),  # shorter: its lease survives
    "silence": (0.3, 1.1),  # the TCP peers notice only by their own timeouts
    "vanish": (1.3, 1.6),
    "silence_standby": (0.1, 2.5),  # commits hang, often until leases have run out
    "fail_over": (0.1, 0.6),  # of one that comes while commits hang: for how long they have
}
"""The length of some faults, in leases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One disturbance; `chance` picks its victim among healthy processes."""

    kind: str
    chance: float
    pause_s: float
    """The pause before it."""
    hold_s: float
    """Its length, if it has one."""


def plan_faults(seed: int, sizes: Sizes) -> list[Fault]:
    """Return all faults of the run in the order of the nemesis."""
    random = Random(f"{seed}:nemesis")
    kinds = [kind for kind, count in sizes.faults.items() for _ in range(count)]
    random.shuffle(kinds)
    return [
        Fault(
            kind=kind,
            chance=random.random(),
            pause_s=random.uniform(*sizes.pause_s),
            hold_s=_hold_s(kind, random, lease_s=sizes.lease_ms / 1000),
        )
        for kind in kinds
    ]


def _hold_s(kind: str, random: Random, *, lease_s: float) -> float:
    if kind in OF_LEASE:
        return lease_s * random.uniform(*OF_LEASE[kind])
    longest_s = 1.5 if kind in ("crash_postgres", "crash_pooler") else 0.5
    return random.uniform(0.0, longest_s)
