"""The time to check a graph and put it in order: `python -m bench.graphs`.

It is processor time of one thread that never waits, so other load on the machine does not count.
"""

from __future__ import annotations

from random import Random
from statistics import median
from time import process_time
from typing import NamedTuple

from bench.measures import Figures
from rota.model.graphs.graph import Graph, Node
from rota.rules.graphs import JobFacts, plan_graph


class Size(NamedTuple):
    """A random graph, the number of checks, and the promised limit."""

    nodes: int
    edges: int
    rounds: int
    promised_s: float


SIZES = (Size(1_000, 3_000, 20, 0.05), Size(100_000, 300_000, 3, 2.0))
JOBS = {"work": JobFacts({"items": "list[int]"}, result="list[int]", takes_more=True)}


def random_graph(nodes: int, edges: int, chance: Random) -> Graph:
    """Return a random graph: two of three edges by `after`, the others by arguments."""
    after: list[set[int]] = [set() for _ in range(nodes)]
    left = edges
    while left:
        child = chance.randrange(1, nodes)
        parent = chance.randrange(max(0, child - 1_000), child)
        if parent not in after[child]:
            after[child].add(parent)
            left -= 1
    return Graph(name="bench", nodes=tuple(map(_node, range(nodes), map(sorted, after))))


def _node(at: int, parents: list[int]) -> Node:
    return Node(
        name=f"n{at}",
        job="work",
        after=tuple(f"n{each}" for each in parents if each % 3),
        args={f"x{each}": {"$ref": f"n{each}"} for each in parents if not each % 3},
    )


def measure(rounds: int) -> Figures:
    """Return seconds for the large graph, milliseconds for the small one."""
    (small_s, _), (large_s, _) = (_median_s(size, rounds) for size in SIZES)
    return {"graph_check_ms": small_s * 1_000, "graph_check_large_s": large_s}


def _median_s(size: Size, rounds: int) -> tuple[float, Size]:
    graph = random_graph(size.nodes, size.edges, Random(size.nodes))
    took = []
    for _ in range(min(rounds, size.rounds)):
        started = process_time()
        plan_graph(graph, jobs=JOBS)
        took.append(process_time() - started)
    return median(took), size


def main() -> None:
    for took_s, size in (_median_s(size, size.rounds) for size in SIZES):
        print(
            f"{size.nodes:>7,} nodes, {size.edges:>7,} edges: {took_s * 1_000:8.1f} ms "
            f"(promised {size.promised_s * 1_000:,.0f} ms)"
        )


if __name__ == "__main__":
    main()
