"""A small shop: serve it with `rota up shop.py`.

Then submit from another terminal: `rota submit resize image=cat.png width=200 --wait`,
or from a program: `python shop.py`.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from rota import App, current_run, progress

app = App()  # ./rota.db; ROTA_URL=postgresql://... in production


@dataclass
class Item:
    """One line of an order."""

    name: str
    price: Decimal
    count: int = 1


@app.job(queue="images", retries=5, timeout="10m", priority="high")
def resize(image: str, width: int = 800) -> str:
    """Run in a thread; any exception causes a retry."""
    stem, _, kind = image.rpartition(".")
    return f"{stem}-{width}.{kind}"


@app.job
def invoice(items: list[Item]) -> Decimal:
    """Sum up an order; arguments and results have types: dataclasses, decimals, enums..."""
    return sum((item.price * item.count for item in items), Decimal(0))


@app.job(queue="mail", retries=3)
async def welcome(user: int) -> str:
    """Run as an async function; hundreds of these wait at once in one worker."""
    await asyncio.sleep(0.01)
    return f"user {user} is welcome"


@app.job(timeout="1h")
def close_of_day(day: date, shops: int = 3) -> str:
    """Report progress; the idempotency key is the same for each attempt of a run."""
    for shop in range(shops):
        progress(shop / shops, f"shop {shop + 1} of {shops}")
    return f"{day} closed, receipt {current_run().idempotency_key[:8]}"


disk_report = app.command("disk_report", ["df", "-h", "{folder}"], timeout="10s")


if __name__ == "__main__":
    run = resize.submit("cat.png", width=200)
    print(f"submitted {run.id}; `rota up shop.py` carries it out")
    print(run.result(timeout="1m"))
