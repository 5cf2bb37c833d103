"""Masks secrets in endings: in errors, tracebacks and reasons, as in logs.

Results stay as they are: they are data that other jobs read.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from rota.errors import RotaError
from rota.model.runs.run import ErrorDetail
from rota.rules.jobs.target_kinds import target_kind
from rota.rules.text.template import Value, fill
from rota.runtime.attempts.attempt import Attempt, Crashed, Ending, Raised
from rota.runtime.logs.masking import Masker, secrets_in


def masked(call: Attempt, ending: Ending, masker: Masker) -> Ending:
    """Return the ending with `***` in place of the secrets of its attempt."""
    match ending:
        case Raised(error=error, reason=reason):
            more = _secrets_of(call)
            return msgspec.structs.replace(
                ending,
                error=_masked(error, masker, more),
                reason=None if reason is None else masker.cut(reason, more),
            )
        case Crashed(error=error):
            return Crashed(_masked(error, masker, _secrets_of(call)))
        case _:
            return ending


def _masked(error: ErrorDetail, masker: Masker, more: tuple[str, ...]) -> ErrorDetail:
    return msgspec.structs.replace(
        error,
        message=masker.cut(error.message, more),
        traceback=masker.cut(error.traceback, more),
    )


def _secrets_of(call: Attempt) -> tuple[str, ...]:
    """Return the secrets of this job: variables of its program, headers and address of requests."""
    target = call.work.spec.target
    kind = target_kind(target)
    texts = kind.secrets(target)
    secrets = secrets_in(_filled(call, texts)) if texts else ()
    if not kind.repeats_words:
        return secrets
    words = [word for text in secrets for word in (text, *text.split()[1:])]
    return tuple(word for word in words if word in secrets_in({"token": word}))


def _filled(call: Attempt, texts: Mapping[str, str]) -> dict[str, str]:
    signature = call.work.signature
    try:
        values: Mapping[str, Value] = {} if signature is None else signature.load(call.lease.args)
        return {name: fill(text, values) for name, text in texts.items()}
    except RotaError:  # it failed because its arguments do not fit
        return dict(texts)
