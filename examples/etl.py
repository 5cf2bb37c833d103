"""A nightly ETL as one graph: extract, clean, load by region, and report.

Run it with `python examples/etl.py`. In production `rota up examples/etl.py` starts it at two each
night, for that day; `rota schedules backfill nightly` runs it for past days.
`rota graphs show examples/etl.py:nightly` draws it.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from rota import App, Failure, expr, group, this_run

app = App()
WAREHOUSE = Path("warehouse.db")
ORDERS = [
    {"region": "north", "cats": 2, "price": 30},
    {"region": "south", "cats": 1, "price": 30},
    {"region": "north", "cats": -4, "price": 30},
    {"region": "south", "cats": 3, "price": 28},
]


@app.job(retries=5)
def extract(day: str) -> list[dict[str, Any]]:
    """Return the orders of a day; a real one queries the shop's database."""
    return [{**order, "day": day} for order in ORDERS]


@app.job
def clean(orders: list[dict[str, Any]]) -> dict[str, Any]:
    """Group valid orders by region and count the invalid ones."""
    good = [order for order in orders if order["cats"] > 0]
    regions = sorted({order["region"] for order in good})
    parts = [
        {"region": region, "orders": [each for each in good if each["region"] == region]}
        for region in regions
    ]
    return {"parts": parts, "dropped": len(orders) - len(good)}


@app.job(retries=3, timeout="5m")
def load(part: dict[str, Any]) -> int:
    """Replace the rows of a region and a day, so that a repetition changes nothing."""
    rows = [(each["day"], part["region"], each["cats"], each["price"]) for each in part["orders"]]
    with closing(sqlite3.connect(WAREHOUSE, timeout=30)) as warehouse, warehouse:
        warehouse.execute("create table if not exists sale (day, region, cats int, price int)")
        warehouse.execute("delete from sale where day = ? and region = ?", rows[0][:2])
        warehouse.executemany("insert into sale values (?, ?, ?, ?)", rows)
    return len(rows)


@app.job
def report(day: str, loaded: list[int], dropped: int) -> str:
    with closing(sqlite3.connect(WAREHOUSE)) as warehouse:
        (sum_,) = warehouse.execute(
            "select sum(cats * price) from sale where day = ?", (day,)
        ).fetchone()
    return f"{day}: {sum(loaded)} orders of {len(loaded)} regions, {sum_} in all, {dropped} dropped"


@app.job
def complain(dropped: int) -> str:
    return f"{dropped} orders make no sense"


@app.job
def tell(failure: Failure) -> str:
    """Describe the failure; a real one writes to a chat or calls the person on duty."""
    return f"{failure.job} of {failure.scheduled_for}: {failure.error_message}; {failure.logs}"


@app.graph(
    schedule="0 2 * * *",
    timezone="Europe/Paris",
    args={"day": this_run.scheduled_day},
    max_runs=1,
    on_failure=tell,
)
def nightly(day: str) -> str:
    good = clean(extract(day))
    with group("loading"):
        loaded = load.node(concurrency=4).map(good["parts"])
    complain.node(when=expr("nodes.clean.result.dropped > 0"))(good["dropped"])
    return report(day, loaded, good["dropped"])


def main() -> None:
    WAREHOUSE.unlink(missing_ok=True)
    worker = app.worker(slots=4)
    worker.start()
    run = nightly.submit("2026-03-01")
    print(run.result(timeout="1m"))
    for node in run.nodes():
        print(f"{node.name:<8} {node.state}")
    print(f"again: {nightly.submit('2026-03-01').result(timeout='1m')}")
    worker.stop()
    app.close()


if __name__ == "__main__":
    main()
