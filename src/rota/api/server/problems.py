"""Errors as problem documents (RFC 9457): a code for programs, a cause and a remedy for people.

Each class of rota.errors that can reach a client has its status and its remedy here. An unforeseen
error is reported as `internal`, with the id of the request and nothing else: the log has the rest.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException

from rota import errors
from rota.errors import BadInput, RotaError, TooMany

MEDIA_TYPE = "application/problem+json"
LONGEST = 2000
"""The most characters of a cause."""

_log = logging.getLogger("rota.api")


class Problem(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """An error: what went wrong and what to do."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    """The cause, in a sentence."""
    remedy: str
    request_id: str = ""
    facts: dict[str, str | float] = {}
    """The subject of the error, for programs: the id of a run, the name of a job..."""


class ErrorText(NamedTuple):
    """The status and texts for a class of errors."""

    status: int
    remedy: str


_FIX = "Change the request as the detail says, and send it again; nothing was changed."
_LOOK = (
    "Check the id and the namespace of your token; what is not yours looks as if it were not there."
)
_LATER = "Wait as long as Retry-After says, then send it again."

TOLD: Mapping[type[RotaError], ErrorText] = {
    RotaError: ErrorText(500, "Tell the people who run this server; give them the request id."),
    BadInput: ErrorText(400, _FIX),
    errors.BadArguments: ErrorText(422, "Fit the arguments to the parameters that the job names."),
    errors.PayloadTooLarge: ErrorText(413, "Store the data elsewhere and pass its name."),
    errors.DuplicateKey: ErrorText(409, "Use another key, or the same arguments."),
    errors.KeyReused: ErrorText(
        422, "Use a new key for each request, and the same one to repeat it."
    ),
    errors.UnknownJob: ErrorText(404, _LOOK),
    errors.UnknownRun: ErrorText(404, _LOOK),
    errors.UnknownEffect: ErrorText(404, _LOOK),
    errors.UnknownSchedule: ErrorText(404, _LOOK),
    errors.UnknownBackfill: ErrorText(404, _LOOK),
    errors.UnknownToken: ErrorText(404, _LOOK),
    errors.UnknownTemplate: ErrorText(404, _LOOK),
    errors.UnknownCalendar: ErrorText(404, _LOOK),
    errors.UnknownAlert: ErrorText(404, _LOOK),
    errors.UnknownAlertChannel: ErrorText(404, _LOOK),
    errors.UnknownAlertRule: ErrorText(404, _LOOK),
    errors.UnknownMonitor: ErrorText(404, _LOOK),
    errors.UnknownPing: ErrorText(404, _LOOK),
    errors.UnknownBlackout: ErrorText(404, _LOOK),
    errors.UnknownVersion: ErrorText(404, _LOOK),
    errors.UnknownRelease: ErrorText(404, _LOOK),
    errors.UnknownNamespace: ErrorText(404, _LOOK),
    errors.UnknownQueue: ErrorText(404, _LOOK),
    errors.UnknownWorker: ErrorText(404, _LOOK),
    errors.NotAllowed: ErrorText(409, "Look at the present state first; it does not allow this."),
    errors.Outdated: ErrorText(
        412, "Read it again, make the change to what it is now, and send the new ETag as If-Match."
    ),
    errors.NotSignedIn: ErrorText(
        401, "Send `Authorization: Bearer TOKEN` with a token of `rota tokens create`, or sign in."
    ),
    errors.NotPermitted: ErrorText(
        403, "Ask an admin for a token with that role, or of that queue."
    ),
    TooMany: ErrorText(429, _LATER),
    errors.StoreUnavailable: ErrorText(503, _LATER),
    errors.CommitUnknown: ErrorText(
        503, "Send it again with the same Idempotency-Key: then it is done once, whatever happened."
    ),
    errors.SchemaMismatch: ErrorText(503, "Run `rota db migrate` with the version of this server."),
    errors.RunNotFinished: ErrorText(504, "Wait longer, or ask again; the run goes on."),
    errors.RunFailed: ErrorText(409, "See the run's error and attempts."),
    errors.LeaseLost: ErrorText(409, "Stop the work: another worker has it now."),
}

_COUNTED = {errors.NotPermitted: "not-permitted", TooMany: "too-many"}
_STATUS = {
    400: ("bad-request", _FIX),
    401: ("not-signed-in", TOLD[errors.NotSignedIn].remedy),
    403: ("not-permitted", TOLD[errors.NotPermitted].remedy),
    404: ("not-found", "See /api/v1/openapi.json for all that is here."),
    405: ("method-not-allowed", "Use one of the methods in the Allow header."),
    413: ("too-large", "Send less at once; see the limits in the documentation."),
    415: ("unsupported-media-type", "Send JSON, with `Content-Type: application/json`."),
    429: ("too-many", _LATER),
}


def problem_of(error: Exception, request_id: str = "") -> tuple[Problem, dict[str, str]]:
    """Return the document for an error, and the headers that go with it."""
    if isinstance(error, RotaError):
        return _of_ours(error, request_id)
    if isinstance(error, HTTPException) and error.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
        return _of_http(error, request_id), dict(error.headers or {})
    return make(
        "internal", 500, "Something went wrong here.", TOLD[RotaError].remedy, request_id
    ), {}


def make(code: str, status: int, detail: str, remedy: str, request_id: str = "") -> Problem:
    """Return a document for a refusal that is not an exception."""
    return Problem(
        type=f"urn:rota:problem:{code}",
        title=HTTPStatus(status).phrase,
        status=status,
        code=code,
        detail=" ".join(detail.split())[:LONGEST],
        remedy=remedy,
        request_id=request_id,
    )


def code_of(kind: type[Exception]) -> str:
    """Turn `UnknownRun` into `unknown-run`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", kind.__name__).lower()


def told_of(kind: type[RotaError]) -> ErrorText:
    """Return the text of the class, or of its nearest base class that has one."""
    return next(TOLD[each] for each in kind.__mro__ if each in TOLD)


def respond(request: Request[Any, Any, Any], error: Exception) -> Response[Problem]:
    """Answer an exception; Litestar calls this for every one."""
    request_id = str(request.scope.get("request_id", ""))
    problem, headers = problem_of(error, request_id)
    _count(request, error)
    if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        is_outage = isinstance(error, errors.StoreUnavailable)
        _log.error(
            "request %s failed: %s", request_id, error, exc_info=None if is_outage else error
        )
    return Response(problem, status_code=problem.status, headers=headers, media_type=MEDIA_TYPE)


def _count(request: Request[Any, Any, Any], error: Exception) -> None:
    """Count a refusal of a known caller; bad credentials are counted where they fail."""
    kind = next((label for of, label in _COUNTED.items() if isinstance(error, of)), None)
    if kind is not None:
        facts: Mapping[str, Any] = request.scope
        whose = {"namespace": facts["credential"].namespace} if "credential" in facts else {}
        request.app.state.server_state.refusals.count(kind, **whose)


def _of_ours(error: RotaError, request_id: str) -> tuple[Problem, dict[str, str]]:
    entry = told_of(type(error))
    headers = {}
    detail = str(error)
    if isinstance(error, TooMany):
        headers["Retry-After"] = str(max(1, round(error.retry_after_s)))
    elif isinstance(error, errors.StoreUnavailable):
        # The message of the driver may name hosts and users; the log has it.
        headers["Retry-After"] = "1"
        detail = "The database cannot be reached."
        if isinstance(error, errors.CommitUnknown):
            detail = "The connection to the database broke during the commit."
    elif entry.status == HTTPStatus.INTERNAL_SERVER_ERROR:
        detail = "Something went wrong here."
    if isinstance(error, errors.NotSignedIn):
        headers["WWW-Authenticate"] = 'Bearer realm="rota"'
    problem = make(code_of(type(error)), entry.status, detail, entry.remedy, request_id)
    if entry.status < HTTPStatus.INTERNAL_SERVER_ERROR:
        problem = msgspec.structs.replace(problem, facts=_facts(error))
    return problem, headers


def _facts(error: RotaError) -> dict[str, str | float]:
    """Return the plain values that the error carries besides its message."""
    return {
        _camel(name): value[:LONGEST] if isinstance(value, str) else value
        for name, value in vars(error).items()
        if isinstance(value, str | int | float)
    }


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _of_http(error: HTTPException, request_id: str) -> Problem:
    status = error.status_code
    code, remedy = _STATUS.get(status, ("bad-request", _FIX))
    return make(code, status, _detail(error), remedy, request_id)


def _detail(error: HTTPException) -> str:
    """Return the message of Litestar, with the place of each complaint."""
    if not isinstance(error.extra, list):
        return error.detail
    parts = [
        f"{_source(each)} {each.get('key', '')}: {each.get('message', '')}"
        for each in error.extra
        if isinstance(each, dict)
    ]
    return "; ".join(parts) or error.detail


def _source(scope: dict[str, Any]) -> str:
    source = scope.get("source", "request")
    return str(getattr(source, "value", source))
