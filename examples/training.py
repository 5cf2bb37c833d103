"""Map and reduce: train a model with many settings in parallel and keep the best one.

Run it with `python examples/training.py`. A setup creates the cluster; a teardown removes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

from rota import App

app = App()
POINTS = [(x / 10, 3.0 * x / 10 + 2.0) for x in range(20)]


@app.job
def cluster(size: int) -> str:
    """Create or remove a cluster; a real one rents machines in a cloud."""
    return f"cluster of {size}" if size else "gone"


@app.job
def grid(rates: list[float], steps: list[int]) -> list[dict[str, Any]]:
    return [{"rate": rate, "steps": count} for rate, count in product(rates, steps)]


@app.job(retries=2)
def train(setting: dict[str, Any], where: str) -> dict[str, Any]:
    """Fit a line by gradient descent; too high a rate diverges."""
    slope = start = 0.0
    for _ in range(setting["steps"]):
        errors = [(slope * x + start - y, x) for x, y in POINTS]
        slope -= setting["rate"] * sum(error * x for error, x in errors) / len(errors)
        start -= setting["rate"] * sum(error for error, _ in errors) / len(errors)
    loss = sum((slope * x + start - y) ** 2 for x, y in POINTS) / len(POINTS)
    if loss > 1e6:  # noqa: PLR2004
        raise OverflowError(f"rate {setting['rate']} runs away on {where}")
    return {**setting, "slope": round(slope, 2), "start": round(start, 2), "loss": loss}


@app.job
def best(models: Sequence[dict[str, Any] | None]) -> dict[str, Any]:
    """Return the best model; results are in the order of the settings, None for a failed one."""
    trained = [model for model in models if model is not None]
    return {**min(trained, key=lambda model: model["loss"]), "of": len(models)}


@app.graph(timeout="1h")
def sweep(rates: list[float], steps: list[int]) -> dict[str, Any]:
    up = cluster.node(name="up", kind="setup")(8)
    models = train.node(concurrency=4, tolerate="50%", retries=0).map(grid(rates, steps), where=up)
    chosen = best(models)
    cluster.node(name="down", kind="teardown", setups=up, after=chosen)(0)
    return chosen


def main() -> None:
    worker = app.worker(slots=4)
    worker.start()
    run = sweep.submit(rates=[0.01, 0.1, 0.5, 5.0], steps=[10, 500])
    model = run.result(timeout="1m")
    print(f"y = {model['slope']} x + {model['start']} with rate {model['rate']}")
    trained = next(node for node in run.nodes() if node.name == "train")
    print(f"{model['of']} settings, {trained.map.failed if trained.map else 0} ran away")
    run.wait()
    print({node.name: node.state for node in run.nodes()}["down"])
    worker.stop()
    app.close()


if __name__ == "__main__":
    main()
