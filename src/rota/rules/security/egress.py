"""Egress: the hosts that a worker's HTTP jobs may call, and the headers they may send."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping

from rota.errors import BadOption
from rota.model.workers.sandbox import Egress
from rota.rules.security.addresses import Address, is_metadata, is_public, lies_in

RUN_HEADERS = {
    "schedule": "Rota-Schedule",
    "started_by": "Rota-Started-By",
    "backfill": "Rota-Backfill",
    "scheduled_for": "Rota-Scheduled-For",
    "interval_start": "Rota-Interval-Start",
    "interval_end": "Rota-Interval-End",
}
"""The headers that carry facts of a run that a schedule started."""
_OURS = frozenset(
    ("rota-run-id", "rota-attempt", "rota-fence", *map(str.lower, RUN_HEADERS.values()))
)
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_BREAK = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_FRAMING = frozenset(
    (
        "connection",
        "content-length",
        "expect",
        "host",
        "http2-settings",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    )
)
"""Headers that define the end or the receiver of a message; duplicates enable request smuggling."""
_KEYS = frozenset(
    (
        "metadata",
        "metadata-flavor",
        "x-aws-ec2-metadata-token",
        "x-aws-ec2-metadata-token-ttl-seconds",
        "x-google-metadata-request",
        "x-metadata-token",
    )
)
"""Headers that clouds require before they give out the keys of a machine."""


def may_call(egress: Egress, host: str) -> bool:
    """Whether the name of a host is on the list, if there is one."""
    if not egress.hosts:
        return True
    name = host.lower().rstrip(".").strip("[]")
    return any(_fits(name, pattern) for pattern in egress.hosts)


def may_reach(egress: Egress, address: Address, *, allow_private: bool) -> bool:
    """Whether a job may connect to an address; `allow_private` is the job's own setting."""
    if is_public(address):
        return True
    if not allow_private:
        return False
    if egress.inside is None:
        return not is_metadata(address)
    return lies_in(address, map(ipaddress.ip_network, egress.inside))


def check_headers(headers: Mapping[str, str]) -> None:
    """Raise BadOption for a header that is malformed or that a job must not send."""
    names: set[str] = set()
    for name, text in headers.items():
        low = name.strip().lower()
        if not _TOKEN.fullmatch(name) or _BREAK.search(text):
            raise BadOption(f"header {name!r:.80} has a character that no header may have")
        if low in names:
            raise BadOption(f"header {name!r:.80} is given twice, in different case")
        names.add(low)
        if low in _OURS:
            raise BadOption(f"header {name!r:.80}: Rota sends it itself, with the facts of the run")
        if low in _FRAMING or low.startswith(("proxy-", "sec-")):
            raise BadOption(
                f"header {name!r:.80} says how messages travel and is set by Rota; leave it out"
            )
        if low in _KEYS:
            raise BadOption(f"header {name!r:.80} opens the metadata of clouds; jobs may not")


def read_host(text: str) -> str:
    """Read the name of a host, or `*.` and the name of a domain."""
    name = text.strip().lower().rstrip(".").strip("[]")
    plain = name.removeprefix("*.")
    if not plain or not plain.isascii() or any(sign in plain for sign in "*/@ ?#"):
        raise BadOption(f"{text!r:.64} is not a host such as api.example.org or *.example.org")
    return name


def read_network(text: str) -> str:
    """Read an address or a network of addresses."""
    try:
        return str(ipaddress.ip_network(text.strip()))
    except ValueError as error:
        raise BadOption(f"{text!r:.64} is not a network such as 10.1.0.0/16: {error}") from error


def _fits(name: str, pattern: str) -> bool:
    return name.endswith(pattern[1:]) if pattern.startswith("*.") else name == pattern
