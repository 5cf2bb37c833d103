"""The graphs of `bench.flows`; separate workers load them as `bench.flow_jobs:app`."""

from __future__ import annotations

from rota import App

CHAIN, FAN, SIZE = 20, 200, 10


def make_app(url: str | None = None) -> App:
    app = App(url)

    @app.job
    def noop(x: int = 0) -> int:
        return x

    @app.job
    def total(xs: list[int]) -> int:
        return len(xs)

    @app.graph
    def chain() -> int:
        last = noop(0)
        for _ in range(CHAIN - 1):
            last = noop(last)
        return last

    @app.graph
    def fan() -> int:
        root = noop(1)
        return total([noop(root) for _ in range(FAN)])

    @app.graph
    def small() -> int:
        root = noop(1)
        middle = [noop(root) for _ in range(SIZE - 2)]
        return total(middle)

    @app.graph
    def spread(n: int) -> int:
        return total(noop.map(numbers(n)))

    @app.job
    def numbers(n: int) -> list[int]:
        return list(range(n))

    return app


app = make_app()
