"""Masks secrets in texts for people: values of variables with telling names, and secret patterns.

A safety net, not a guarantee: a secret that the handler encoded or cut is not recognised.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from urllib.parse import unquote, urlsplit

MASK = "***"
LEAST_CHARS = 6
"""Shorter values are everyday words; masking them would blank out half of a log."""
HALF_CHARS = 4
_CUT = re.compile(r"\n\.\.\. \d+ characters cut \.\.\.\n")
"""The form that `error_text.bounded` writes."""
_NAME = re.compile(
    r"TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|APIKEY|_PWD|AUTHORIZATION|COOKIE"
    r"|(^|[_-])(KEY|PASS|DSN)([_-]|$)",
    re.IGNORECASE,
)
_SIGNS = ("=", ":", "earer ", "asic ")
_HINTS = (
    "@",
    "bearer",
    "basic",
    "passw",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "key",
    "credential",
)
"""Every text that a pattern matches contains one of these; a search for them is much faster."""
_PATTERNS = (
    re.compile(r"(?P<keep>[a-z][a-z0-9+.-]*://[^\s/@:]*:)[^\s/@]+(?=@)", re.IGNORECASE),
    re.compile(r"(?P<keep>\b(?:bearer|basic)\s+)[\w.~+/=-]{6,}", re.IGNORECASE),
    re.compile(
        r"(?P<keep>(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key"
        r"|credentials?)[\"']?\s*[:=]\s*)(?P<quote>[\"']?)(?!\*\*\*)[^\s\"',;&]+(?P=quote)",
        re.IGNORECASE,
    ),
)


class Masker:
    """Replaces secrets in complete lines; line breaks stay where they are."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        # Longest first: one secret may be the beginning of another.
        self._secrets = tuple(sorted(set(secrets), key=len, reverse=True))
        self.longest = max(map(len, self._secrets), default=0)

    @classmethod
    def of(cls, environment: Mapping[str, str], *urls: str) -> Masker:
        """Return a masker for secrets in these variables and passwords in these addresses."""
        return cls((*secrets_in(environment), *_passwords(urls)))

    def __call__(self, text: str, more: Iterable[str] = ()) -> str:
        for secret in (*self._secrets, *more):
            if secret in text:
                text = text.replace(secret, MASK)
        if _has_hint(text):
            for pattern in _PATTERNS:
                text = pattern.sub(rf"\g<keep>{MASK}", text)
        return text

    def cut(self, text: str, more: Iterable[str] = ()) -> str:
        """Mask a text whose middle may have been cut out: halves of secrets go, too."""
        secrets = tuple(more)
        parts = [self(part, secrets) for part in _CUT.split(text)]
        for secret in (*self._secrets, *secrets) if len(parts) > 1 else ():
            parts = [
                _without_half(part, secret, at_end=number == 0) for number, part in enumerate(parts)
            ]
        return "".join(
            part + mark for part, mark in zip(parts, [*_CUT.findall(text), ""], strict=True)
        )

    def is_needed(self, text: str) -> bool:
        """Whether there may be something to mask; a quick check for many lines at once."""
        return any(secret in text for secret in self._secrets) or _has_hint(text)


def _without_half(text: str, secret: str, *, at_end: bool) -> str:
    """Remove what is left of a secret beside a cut, if it is more than a few characters."""
    for size in range(len(secret) - 1, HALF_CHARS - 1, -1):
        if at_end and text.endswith(secret[:size]):
            return text[:-size] + MASK
        if not at_end and text.startswith(secret[-size:]):
            return MASK + text[size:]
    return text


def _has_hint(text: str) -> bool:
    if not any(sign in text for sign in _SIGNS):
        return False
    low = text.lower()
    return any(hint in low for hint in _HINTS)


def secrets_in(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return values whose name marks them as secret, and passwords inside of addresses."""
    values = [value for name, value in environment.items() if _NAME.search(name)]
    # A key of several lines is printed line by line.
    lines = [line.strip() for value in values for line in value.splitlines()]
    return tuple(
        secret
        for secret in (*lines, *_passwords(environment.values()))
        if len(secret) >= LEAST_CHARS
    )


def _passwords(texts: Iterable[str]) -> list[str]:
    secrets: list[str] = []
    for text in texts:
        if "://" not in text or "@" not in text:
            continue
        try:
            password = urlsplit(text).password
        except ValueError:  # something that only looks like an address
            continue
        if password and len(password) >= LEAST_CHARS:
            secrets += [password, unquote(password)]
    return secrets
