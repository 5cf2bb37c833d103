"""The root of all errors, and of those that are the caller's."""

from __future__ import annotations

import inspect


class RotaError(Exception):
    """Something went wrong in Rota."""

    exit_code = 1

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or inspect.cleandoc(self.__doc__ or ""))


class BadInput(RotaError):
    """The caller asked for something that makes no sense; nothing was changed."""

    exit_code = 2
