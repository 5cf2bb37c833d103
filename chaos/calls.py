"""The calls of clients, all derived from the seed: submits, repeats under a key, cancels."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any, Literal

Op = Literal["submit", "repeat", "conflict", "cancel"]
WEIGHTS = {
    "effect": 30,
    "receipt": 14,
    "flaky": 14,
    "once": 14,
    "delayed": 8,
    "keyed": 14,
    "cancel": 24,
}
MOST_BATCH = 20
SHARED = 9_000_000_000
"""The first of the numbers that both clients submit under equal keys."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a client; `cancel` means the run of the submit before it."""

    op: Op
    job: str = ""
    arguments: tuple[dict[str, Any], ...] = ()
    key: str | None = None
    delay_ms: int = 0
    wait_s: float = 0.0

    @property
    def numbers(self) -> list[int]:
        return [each["number"] for each in self.arguments]


def calls_of(seed: int, client: int, turn: int) -> list[Call]:
    """Return the calls of one turn of a client; only numbers under a key are submitted twice."""
    random = Random(f"{seed}:{client}:{turn}")
    kind = random.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
    first = client * 1_000_000_000 + turn * 100
    numbers = range(first, first + random.randint(1, MOST_BATCH))
    if kind == "keyed":
        return _keyed(turn, conflicts=random.random() < 0.3)
    if kind == "cancel":
        return _cancelled(first, random)
    if kind == "flaky":
        return [_submit("flaky", *({"number": n, "failures": n % 6} for n in numbers))]
    if kind == "delayed":
        delay_ms = random.randint(100, 3000)
        return [_submit("effect", *({"number": n} for n in numbers), delay_ms=delay_ms)]
    return [_submit(kind, *({"number": n} for n in numbers))]


def _submit(job: str, *arguments: dict[str, Any], delay_ms: int = 0) -> Call:
    return Call(op="submit", job=job, arguments=arguments, delay_ms=delay_ms)


def _keyed(turn: int, *, conflicts: bool) -> list[Call]:
    """Return calls whose keys and numbers the other client uses at about the same time."""
    same = {"number": SHARED + turn // 4 * 100}
    other = {"number": SHARED + turn // 4 * 100 + 1}
    key = f"key-{turn // 4}"
    calls = [
        Call(op="submit", job="effect", arguments=(same,), key=key),
        Call(op="repeat", job="effect", arguments=(same,), key=key),
    ]
    if conflicts:
        calls.append(Call(op="conflict", job="effect", arguments=(other,), key=key))
    return calls


def _cancelled(number: int, random: Random) -> list[Call]:
    job = random.choice(("slow", "slow", "effect", "flaky"))
    arguments: dict[str, Any] = {"number": number}
    if job == "flaky":
        arguments["failures"] = 6
    delay_ms = random.choice((0, 0, 500))
    return [
        _submit(job, arguments, delay_ms=delay_ms),
        Call(op="cancel", wait_s=random.uniform(0, 0.35)),
    ]
