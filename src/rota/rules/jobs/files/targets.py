"""The target of a job in a file: a command, an HTTP request or a Python function."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from rota.errors import BadOption
from rota.model.jobs.spec import CommandTarget, HttpTarget, PythonTarget, Target
from rota.rules.jobs.files.field import Field
from rota.rules.jobs.files.parameters import DeclaredParameters, read_parameters
from rota.rules.jobs.files.words import split_words
from rota.rules.jobs.target_kinds import SCALAR, parameter_names, target_kind
from rota.rules.security.egress import check_headers
from rota.rules.security.programs import check_command
from rota.rules.security.web_address import METHODS, apart

KINDS = ("command", "http", "python")
BESIDE = {
    "command": frozenset({"env", "cwd", "ok_codes", "retry_codes"}),
    "http": frozenset[str](),
    "python": frozenset({"parameters"}),
}
HTTP_FIELDS = frozenset(HttpTarget.__struct_fields__)
TARGET_FIELDS = frozenset(KINDS).union(*BESIDE.values())

_REF = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_MAX_CODE = 255
_STATUSES = range(100, 600)


def read_target(job: Field, fields: Mapping[str, Field]) -> tuple[Target, DeclaredParameters]:
    """Return the target and its parameters; a job needs exactly one kind of target."""
    kinds = [kind for kind in KINDS if kind in fields]
    if len(kinds) != 1:
        kinds_text = " and ".join(kinds) or "none"
        raise job.refusal(f"it has {kinds_text} of {', '.join(KINDS)}; give exactly one")
    kind = kinds[0]
    for name in fields:
        if name in TARGET_FIELDS and name != kind and name not in BESIDE[kind]:
            raise fields[name].refusal(f"{name} does not go with {kind}")
    with fields[kind].blamed():
        target = _READERS[kind](fields)
        if not target_kind(target).is_template:
            return target, read_parameters(fields.get("parameters"))
        names = parameter_names(target)
    return target, DeclaredParameters(dict.fromkeys(names, SCALAR))


def _command(fields: Mapping[str, Field]) -> CommandTarget:
    command = fields["command"]
    argv = split_words(command.value) if isinstance(command.value, str) else command.texts()
    env = _env(fields.get("env"))
    check_command(argv, env)
    if any("\0" in word for word in argv):
        raise BadOption("a command cannot hold a zero byte")
    target = CommandTarget(argv=tuple(argv), env=env)
    cwd = fields.get("cwd")
    return CommandTarget(
        argv=target.argv,
        env=target.env,
        cwd=cwd.text() if cwd and cwd.value is not None else None,
        ok_codes=_codes(fields.get("ok_codes")) or (0,),
        retry_codes=_codes(fields.get("retry_codes")),
    )


def _env(value: Field | None) -> dict[str, str]:
    if value is None or value.value is None:
        return {}
    variables = {}
    for name, field in value.fields().items():
        if not name or "=" in name or "\0" in name:
            raise field.refusal(f"{name!r:.64} is not a name for a variable")
        variables[name] = field.word()
    return variables


def _codes(value: Field | None) -> tuple[int, ...] | None:
    if value is None or value.value is None:
        return None
    codes = value.integers()
    if not all(0 <= code <= _MAX_CODE for code in codes):
        raise value.refusal(f"exit codes are numbers from 0 to {_MAX_CODE}")
    return tuple(codes)


def _http(own_fields: Mapping[str, Field]) -> HttpTarget:
    http = own_fields["http"]
    if isinstance(http.value, str):
        url, headers = _address(http, {})
        return HttpTarget(url=url, headers=headers)
    fields = http.fields(HTTP_FIELDS)
    if "url" not in fields:
        raise http.refusal("a request needs its url")
    url, headers = _address(fields["url"], _headers(fields.get("headers")))
    return HttpTarget(
        url=url,
        method=_method(fields.get("method")),
        headers=headers,
        body=fields["body"].text() if "body" in fields else None,
        expect=_statuses(fields.get("expect")),
        allow_private=fields["allow_private"].flag() if "allow_private" in fields else False,
    )


def _address(field: Field, headers: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return the URL without credentials, and the headers with them."""
    with field.blamed():
        return apart(field.text(), headers)


def _method(field: Field | None) -> str:
    if field is None:
        return "POST"
    method = field.text().upper()
    if method not in METHODS:
        raise field.refusal(f"{method!r:.20} is not one of {', '.join(METHODS)}")
    return method


def _headers(field: Field | None) -> dict[str, str]:
    if field is None:
        return {}
    headers = {name: each.word() for name, each in field.fields().items()}
    check_headers(headers)
    return headers


def _statuses(field: Field | None) -> tuple[int, ...]:
    if field is None:
        return ()
    statuses = field.integers()
    if not all(status in _STATUSES for status in statuses):
        raise field.refusal("statuses are numbers from 100 to 599")
    return tuple(statuses)


def _python(fields: Mapping[str, Field]) -> PythonTarget:
    ref = fields["python"].text()
    if not _REF.fullmatch(ref):
        raise BadOption(f"{ref!r:.80} is not module:function such as shop.mail:send")
    return PythonTarget(ref=ref)


_READERS: dict[str, Callable[[Mapping[str, Field]], Target]] = {
    "command": _command,
    "http": _http,
    "python": _python,
}
