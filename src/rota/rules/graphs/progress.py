"""Progress of a run of a graph, and the time it will still take if nodes take as long as before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median

import msgspec

from rota.clock import moment
from rota.model.graphs.run_nodes import Progress
from rota.rules.graphs.order import children_of, remaining

WAITS = ("pending", "held", "ready", "active")
"""The states of a node that has not ended."""
PERCENT = 100


class Stand(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a node, as far as progress is concerned."""

    name: str
    state: str
    parents: tuple[str, ...] = ()
    started_at: int | None = None
    width: int | None = None
    ended: int | None = None

    @property
    def is_over(self) -> bool:
        return self.state not in WAITS

    @property
    def share(self) -> float:
        """Return the share of the node that is done; for a mapped node, of its instances."""
        if self.is_over:
            return 1.0
        return (self.ended or 0) / self.width if self.width else 0.0


class NodeDuration(msgspec.Struct, frozen=True, kw_only=True):
    """The time that a node took in one run; for a mapped node, its instances together."""

    took_ms: int
    instances: int = 0
    width: int | None = None
    """The number of instances in total."""


def progress_of(
    stands: Sequence[Stand], past: Mapping[str, Sequence[NodeDuration]], *, now: int
) -> Progress:
    """Return the progress; `stands` has parents first, `past` holds durations from other runs."""
    by_name = {each.name: _left_ms(each, past.get(each.name, ()), now) for each in stands}
    open_ = [each for each in stands if not each.is_over]
    way, left_ms = _critical(open_, {name: ms for name, ms in by_name.items() if ms is not None})
    is_known = any(by_name[name] is not None for name in way)
    share = sum(each.share for each in stands) / len(stands) if stands else 0.0
    return Progress(
        total=len(stands),
        done=len(stands) - len(open_),
        states=dict(sorted(Counter(each.state for each in stands).items())),
        share=share,
        percent=percent_of(share),
        critical_path=tuple(way),
        left_ms=left_ms if is_known else None,
        ends_at=moment(now + left_ms) if is_known else None,
        unknown=sum(by_name[each.name] is None for each in open_),
    )


def percent_of(share: float) -> float:
    """A part of a whole in percent."""
    return round(share * PERCENT, 2)


def _left_ms(stand: Stand, spans: Sequence[NodeDuration], now: int) -> int | None:
    """Return the time a node still needs; None if unknown."""
    if stand.is_over:
        return 0
    elapsed = max(0, now - stand.started_at) if stand.started_at is not None else 0
    if stand.width and stand.ended and elapsed:
        return round(elapsed / stand.ended * (stand.width - stand.ended))
    if not spans:
        return None
    if spans[0].instances:
        pace = median(span.took_ms / max(1, span.instances) for span in spans)
        width = stand.width or median(span.width or span.instances for span in spans)
        return max(0, round(pace * width) - elapsed)
    return max(0, round(median(span.took_ms for span in spans)) - elapsed)


def _critical(stands: Sequence[Stand], left_ms: Mapping[str, int]) -> tuple[list[str], int]:
    names = {each.name for each in stands}
    ordered = [each.name for each in stands]
    children = children_of(
        {each.name: [name for name in each.parents if name in names] for each in stands}
    )
    longest = remaining(ordered, children, left_ms)
    if not longest:
        return [], 0
    # Of two that take as long, the one that has more after it.
    depth = remaining(ordered, children, dict.fromkeys(ordered, 1.0))
    way = [max(ordered, key=lambda name: (longest[name], depth[name]))]
    while children[way[-1]]:
        way.append(max(children[way[-1]], key=lambda name: (longest[name], depth[name])))
    return way, round(longest[way[0]])
