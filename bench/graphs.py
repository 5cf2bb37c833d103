"""How long it takes to check a graph and put it in order: `python -m bench.graphs`.

Processor time, as it is one thread that waits for nothing: others on the machine do not count.
"""

from __future__ import annotations

from random import Random
from statistics import median
from time import process_time

from rota.model.graph import Graph, Node
from rota.rules.graphs import JobFacts, plan_graph

SIZES = ((1_000, 3_000, 20, 0.05), (100_000, 300_000, 3, 2.0))
"""Nodes, edges, rounds, and the seconds we promise."""
JOBS = {"work": JobFacts({"items": "list[int]"}, result="list[int]", takes_more=True)}


def random_graph(nodes: int, edges: int, chance: Random) -> Graph:
    """Two of three edges by `after`, the others as references in arguments."""
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


def main() -> None:
    for nodes, edges, rounds, promised in SIZES:
        graph = random_graph(nodes, edges, Random(nodes))
        took = []
        for _ in range(rounds):
            started = process_time()
            plan_graph(graph, jobs=JOBS)
            took.append(process_time() - started)
        print(
            f"{nodes:>7,} nodes, {edges:>7,} edges: {median(took) * 1_000:8.1f} ms "
            f"(promised {promised * 1_000:,.0f} ms)"
        )


if __name__ == "__main__":
    main()
