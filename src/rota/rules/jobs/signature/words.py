"""Arguments of programs: words that the operating system can pass on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rota.rules.jobs.signature.binding import Signature

_ZERO = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
"""A zero byte in JSON; a doubled backslash before it is a real backslash."""


class Words(Signature):
    """The parameters of a program: a zero byte ends a word, so none may hold one."""

    __slots__ = ()

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        text = super().bind(args, kwargs)
        if _ZERO.search(text):
            raise self._refusal("a zero byte cannot be given to a program")
        return text
