"""Where a handler runs: apart from jobs and graphs, which both say it."""

from __future__ import annotations

from typing import Literal

Isolation = Literal["thread", "process"]
