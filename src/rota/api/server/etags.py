"""Headers of conditional requests: the state of a definition that a change is meant for."""

from __future__ import annotations

from typing import Annotated

from litestar.params import HeaderParameter

IfMatch = Annotated[
    str | None,
    HeaderParameter(
        name="If-Match",
        description="The ETag that was read; if it is another one by now, nothing is changed.",
    ),
]

IfNoneMatch = Annotated[
    str | None,
    HeaderParameter(
        name="If-None-Match",
        description="`*`: only if there is none of that name yet; else nothing is changed.",
    ),
]
