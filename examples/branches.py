"""A report that takes a different branch each time: a branch chooses nodes, a join collects them.

Run it with `python examples/branches.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rota import App

app = App()


@app.job
def figures(week: int) -> dict[str, Any]:
    return {"week": week, "sales": [900, 120, 40, 2_000][week % 4]}


@app.job
def judge(found: dict[str, Any]) -> str | list[str]:
    """Return the names of the nodes to run next."""
    if found["sales"] > 1_000:  # noqa: PLR2004
        return ["praise", "chart"]
    return "chart" if found["sales"] > 100 else "alarm"  # noqa: PLR2004


@app.job
def chart(found: dict[str, Any]) -> str:
    return f"week {found['week']}: {'#' * (found['sales'] // 100)}"


@app.job
def praise(found: dict[str, Any]) -> str:
    return f"a good week: {found['sales']}"


@app.job
def alarm(found: dict[str, Any]) -> str:
    return f"only {found['sales']} in week {found['week']}"


@app.job
def send(parts: Sequence[str | None]) -> str:
    """Join the results; a skipped node has none."""
    return " | ".join(part for part in parts if part is not None)


@app.graph
def weekly(week: int) -> str:
    found = figures(week)
    way = judge.node(kind="branch")(found)
    parts = [each.node(after=way)(found) for each in (praise, chart, alarm)]
    return send.node(join="none_failed_min_one_success")(parts)


def main() -> None:
    worker = app.worker(slots=4)
    worker.start()
    runs = weekly.submit_many([{"week": week} for week in range(4)])
    for run in runs:
        print(run.result(timeout="1m"))
    skipped = [node.name for node in runs[2].nodes() if node.state == "skipped"]
    print("left out in week 2:", ", ".join(skipped))
    worker.stop()
    app.close()


if __name__ == "__main__":
    main()
