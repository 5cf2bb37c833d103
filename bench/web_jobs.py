"""The jobs of `bench.web`: graphs of a thousand nodes, and an empty job that runs often."""

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
    """A graph of 1 + 37 x (9 + 9 + 9) nodes, in groups that a picture closes at first."""
    root = noop(1)
    for number in range(GROUPS):
        with group(f"part_{number}"):
            _part(root)
    return root


@app.graph
def plain() -> int:
    """A graph of as many nodes without groups: all of them have to be drawn."""
    root = noop(1)
    for _ in range(GROUPS):
        _part(root)
    return root


def _part(root: int) -> None:
    first = [noop(root) for _ in range(WIDTH)]
    second = [noop(each) for each in first]
    for _ in range(WIDTH):
        total(second)
