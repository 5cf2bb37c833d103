"""FastAPI: an order and the job that confirms it, committed in one transaction of SQLAlchemy.

Run it with `rota worker orders.py` and `uvicorn orders:web` in this folder, with ROTA_URL set to a
PostgreSQL. Then `curl -X POST '127.0.0.1:8000/orders?item=lamp'`.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, HTTPException
from pydantic import BaseModel
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from rota import App, RunNotFinished

app = App()
URL = os.environ.get("ROTA_URL", "postgresql://localhost/rota")
engine = create_async_engine(URL.replace("postgresql://", "postgresql+asyncpg://"))
Session: async_sessionmaker[AsyncSession] = async_sessionmaker(engine, expire_on_commit=False)


@app.job(retries=3)
def confirm(order: int) -> str:
    """Tell the buyer, and return what was said."""
    return f"order {order} is on its way"


class Base(DeclarativeBase):
    """The tables of this shop."""


class Order(Base):
    """An order."""

    __tablename__ = "shop_order"

    id: Mapped[int] = mapped_column(primary_key=True)
    item: Mapped[str]


class Bought(BaseModel):
    """The answer to an order: it is recorded, and so is its run."""

    order: int
    run: str


class Result(BaseModel):
    """How far a run is."""

    state: str
    result: str | None = None


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncIterator[None]:
    async with engine.begin() as connection:
        await connection.run_sync(Base.metadata.create_all)
    yield
    await engine.dispose()
    app.close()


web = FastAPI(lifespan=lifespan)


@web.post("/orders", status_code=202)
async def buy(item: str) -> Bought:
    """Record an order, and its run if and only if that is committed."""
    async with Session() as session, session.begin():
        order = Order(item=item)
        session.add(order)
        await session.flush()
        run = await confirm.within(session).submit_async(order.id)
        if item == "nothing":
            raise HTTPException(404, "no such item; neither the order nor its run will exist")
    return Bought(order=order.id, run=run.id)


@web.get("/runs/{run_id}")
async def result(run_id: str) -> Result:
    """Wait a while for the result."""
    run = app.run(run_id)
    try:
        return Result(state="success", result=await run.result_async(timeout="10s"))
    except RunNotFinished:
        return Result(state="running")
