"""Starlette: submit many runs and answer when all are done, without blocking the event loop.

Run it with `rota worker thumbnails.py` and `uvicorn thumbnails:web` in this folder. Then
`curl '127.0.0.1:8000/?count=3'`.
"""

from __future__ import annotations

import asyncio

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from rota import App

app = App()


@app.job
def shrink(image: str, width: int = 160) -> str:
    """Return the name of the small image."""
    name, _, kind = image.rpartition(".")
    return f"{name}-{width}.{kind}"


async def shrink_all(request: Request) -> JSONResponse:
    """Shrink some images at once, and wait for all of them."""
    count = int(request.query_params.get("count", "1"))
    runs = await shrink.submit_many_async(f"{number}.png" for number in range(count))
    return JSONResponse(await asyncio.gather(*(run.result_async("30s") for run in runs)))


web = Starlette(routes=[Route("/", shrink_all)])
