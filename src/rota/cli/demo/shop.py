"""The bigger half of `rota demo`: a graph with branches, schedules of all kinds, a paused queue.

It is there to be explored, above all in the browser; like the rest, copy what you like.
"""

from __future__ import annotations

import logging
import time
from typing import Any

from rota import group, progress
from rota.cli.demo.jobs import app

log = logging.getLogger("shop")
COURIER_FROM = 3
"""The number of parcels from which a courier is worth it."""


@app.job(queue="orders")
def take_orders(day: str) -> list[dict[str, Any]]:
    """Return the orders of a day; a real shop asks a database."""
    time.sleep(0.4)
    towns = ("Paris", "Oslo", "Rome", "Lisbon")
    orders = [{"order": 100 + n, "town": town, "items": n + 1} for n, town in enumerate(towns)]
    log.info("%s orders of %s", len(orders), day)
    return orders


@app.job(queue="orders")
def check_stock(orders: list[dict[str, Any]]) -> dict[str, Any]:
    """Sorts out what is not there."""
    time.sleep(0.3)
    for order in orders:
        print(f"\x1b[32m ok \x1b[0m order {order['order']}: {order['items']} items")
    log.warning("only a few items are left on shelf 7")
    return {"parcels": orders, "count": len(orders)}


@app.job(queue="orders")
def choose_way(stock: dict[str, Any]) -> str:
    """A branch: it answers with the name of the node that goes on."""
    return "book_courier" if stock["count"] >= COURIER_FROM else "book_post"


@app.job(queue="orders", retries=1, backoff="fixed", retry_delay="300ms")
def pack(parcel: dict[str, Any], fragile: str = "") -> str:
    """Runs once for each parcel, at once."""
    for step in range(4):
        progress(step / 4, f"item {step} of order {parcel['order']}")
        time.sleep(0.2)
    if parcel["town"] == fragile:
        log.error("order %s: the vase is broken", parcel["order"])
        raise ValueError(f"the vase for {fragile} is broken")
    return f"parcel for {parcel['town']}"


@app.job(queue="orders")
def book_courier(stock: dict[str, Any]) -> str:
    time.sleep(0.5)
    return f"a van for {stock['count']} parcels"


@app.job(queue="orders")
def book_post(stock: dict[str, Any]) -> str:
    return f"stamps for {stock['count']} parcels"


@app.job(queue="orders")
def hand_over(parcels: list[str], courier: str | None, post: str | None) -> str:
    """Waits for the parcels and for the way that was chosen."""
    time.sleep(0.3)
    return f"{len(parcels)} parcels, {courier or post}"


@app.job(queue="mail")
def write_invoices(orders: list[dict[str, Any]]) -> int:
    time.sleep(0.6)
    return len(orders)


@app.job(queue="mail")
def tell_customers(handed: str, invoices: int) -> str:
    return f"{handed}; {invoices} invoices"


@app.graph(schedule="*/5 * * * *", overlap="skip", timezone="Europe/Paris")
def fulfil(day: str = "today", fragile: str = "") -> str:
    """Orders of a day, from the basket to the door."""
    orders = take_orders(day)
    stock = check_stock(orders)
    way = choose_way.node(kind="branch")(stock)
    with group("packing"):
        packed = pack.node(concurrency=2).map(stock["parcels"], fragile=fragile)
    courier = book_courier.node(after=way)(stock)
    post = book_post.node(after=way)(stock)
    handed = hand_over.node(join="none_failed_min_one_success")(packed, courier, post)
    return tell_customers(handed, write_invoices(orders))


@app.job(schedule="30 2 * * *", timezone="Europe/Paris", timeout="1h")
def nightly_backup() -> str:
    """At half past two there is a night in spring without that hour; the preview shows it."""
    return "saved"


@app.job(schedule="0 8 * * mon-fri", timezone="America/New_York")
def morning_figures() -> str:
    return "sent"


@app.job(schedule="@every 15m")
def warm_caches() -> str:
    time.sleep(0.2)
    return "warm"


@app.job(queue="newsletter")
def send_newsletter(issue: int) -> str:
    """Its queue is paused: the page of its run says why it does not run."""
    return f"issue {issue} is out"
