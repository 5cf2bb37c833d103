"""Stored texts: read text from rows, which may be unreadable after a change by hand."""

from __future__ import annotations

from typing import Protocol, TypeVar

import msgspec

from rota.errors import BadInput
from rota.model.runs.run import ErrorDetail, ErrorView

T_co = TypeVar("T_co", covariant=True)
UNREADABLE = (msgspec.MsgspecError, ValueError, RecursionError)
"""The errors that a decoder raises for a text that it does not understand."""


class Decoder(Protocol[T_co]):
    """Any decoder of text."""

    def decode(self, text: str, /) -> T_co: ...


_error = msgspec.json.Decoder(ErrorDetail)
_error_view = msgspec.json.Decoder(ErrorView)
UNREADABLE_ERROR = ErrorDetail(type="Unreadable", message="the error on record cannot be read")


def error_of(text: str | None) -> ErrorDetail | None:
    """The error of a run or an attempt; for an unreadable text, an error that says so."""
    if not text:
        return None
    try:
        return _error.decode(text)
    except UNREADABLE:
        return UNREADABLE_ERROR


def error_view(text: str | None) -> ErrorView | None:
    """The error view of a run or an attempt; for an unreadable text, an error that says so."""
    if not text:
        return None
    try:
        return _error_view.decode(text)
    except UNREADABLE:
        return ErrorView(type=UNREADABLE_ERROR.type, message=UNREADABLE_ERROR.message)


def read(decoder: Decoder[T_co], text: str, what: str) -> T_co:
    """Decode a stored text; BadInput names `what` it is and why it cannot be read."""
    try:
        return decoder.decode(text)
    except UNREADABLE as error:
        raise BadInput(f"{what} cannot be read: {error}"[:500]) from error
