"""Arguments of programs: words that the system can hand over."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rota.rules.jobs.signature.binding import Signature

_ZERO = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
"""A zero byte in JSON; a backslash before it may be one that was meant."""


class Words(Signature):
    """The parameters of a program: a word ends at a zero byte, so none may hold one."""

    __slots__ = ()

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        text = super().bind(args, kwargs)
        if _ZERO.search(text):
            raise self._refusal("a zero byte cannot be given to a program")
        return text
