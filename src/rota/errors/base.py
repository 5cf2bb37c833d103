"""The base classes: RotaError for all errors, BadInput for those of the caller."""

from __future__ import annotations

import inspect


class RotaError(Exception):
    """Something went wrong in Rota."""

    exit_code = 1

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or inspect.cleandoc(self.__doc__ or ""))


class BadInput(RotaError):
    """The input is invalid; nothing was changed."""

    exit_code = 2

    def __init__(self, message: str | None = None, *, field: str = "", parameter: str = "") -> None:
        if field:
            self.field = field
            """The field of the request that is wrong, for programs that can point to it."""
        if parameter:
            self.parameter = parameter
            """The parameter that is wrong, of a template for example."""
        super().__init__(message)
