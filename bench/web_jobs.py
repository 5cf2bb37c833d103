"""The jobs of `bench.web`: graphs of a thousand nodes, and one that does nothing, often."""

from __future__ import annotations

from rota import App, group

app = App()
GROUPS, WIDTH = 37, 9


@app.job
def noop(x: int = 0) -> int:
    return x


@app.job
def total(xs: list[int]) -> int:
    return len(xs)


@app.graph
def grouped() -> int:
    """1 + 37 x (9 + 9 + 9) nodes, in groups that a picture closes at first."""
    root = noop(1)
    for number in range(GROUPS):
        with group(f"part_{number}"):
            _part(root)
    return root


@app.graph
def plain() -> int:
    """The same without groups: all nodes have to be drawn."""
    root = noop(1)
    for _ in range(GROUPS):
        _part(root)
    return root


def _part(root: int) -> None:
    first = [noop(root) for _ in range(WIDTH)]
    second = [noop(each) for each in first]
    for _ in range(WIDTH):
        total(second)
