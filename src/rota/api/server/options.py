"""The options of a server: how it listens and its limits, frozen and checked before it starts."""

from __future__ import annotations

import ipaddress

import msgspec

from rota.api.identity.oidc_options import OidcOptions
from rota.errors import BadOption

DEFAULT_PORT = 8470
LOOPBACK = ("localhost", "127.0.0.1", "::1")
MEBIBYTE = 1024 * 1024


class ServerOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of one server."""

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    names: tuple[str, ...] = ()
    """Names under which people reach the server, besides the address it listens on."""
    behind_proxy: bool = False
    """Whether a proxy in front brings TLS and says where requests come from."""
    proxies: tuple[str, ...] = ()
    """Networks of further proxies: their entries in `X-Forwarded-For` are skipped."""
    tls_cert: str | None = None
    tls_key: str | None = None
    threads: int = 8
    """The most operations at once; each may need a connection to the database."""
    rate: float = 100.0
    """Requests a second of one credential; a burst may hold as many as two seconds."""
    streams: int = 20
    """The most open streams of one credential."""
    failures: int = 10
    """Bad credentials a minute from one address, before it has to wait."""
    body_bytes: int = MEBIBYTE
    payload_bytes: int = 256 * 1024
    """The most bytes of a run's arguments or an event's payload, unless the namespace sets a
    limit."""
    json_depth: int = 32
    header_bytes: int = 16 * 1024
    header_s: float = 10.0
    """The time for the head of a request to arrive; a slower request is dropped."""
    body_s: float = 30.0
    drain_s: float = 20.0
    """How long requests under way may take once the server is told to stop."""
    admin_token: str | None = None
    """A token for automation; without one, the first start makes a token."""
    oidc: OidcOptions | None = None
    """The identity provider through which people may sign in."""

    @property
    def has_tls(self) -> bool:
        return self.tls_cert is not None

    @property
    def is_secure(self) -> bool:
        """Whether browsers reach the server by https."""
        return self.has_tls or self.behind_proxy

    @property
    def allowed_names(self) -> frozenset[str]:
        """The names that a Host header may hold, without a port."""
        own = () if is_anywhere(self.host) else (self.host,)
        return frozenset(name.lower() for name in (*LOOPBACK, *own, *self.names))

    @property
    def address(self) -> str:
        """The address at which a person on this machine reaches the server."""
        host = "127.0.0.1" if is_anywhere(self.host) else self.host
        shown = f"[{host}]" if ":" in host else host
        return f"{'https' if self.has_tls else 'http'}://{shown}:{self.port}"


def check_posture(options: ServerOptions) -> ServerOptions:
    """Refuse to listen where others could eavesdrop. Credentials are always required."""
    if (options.tls_cert is None) != (options.tls_key is None):
        raise BadOption("TLS needs both the certificate and its key: --tls-cert and --tls-key")
    if is_loopback(options.host):
        return options
    if not options.has_tls and not options.behind_proxy:
        raise BadOption(
            f"{options.host} can be reached from other machines, and tokens would travel in the "
            "clear: give --tls-cert and --tls-key, or say --behind-proxy if a proxy brings TLS, "
            "or listen on 127.0.0.1"
        )
    return options


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server that listens here."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_anywhere(host: str) -> bool:
    """Whether the host stands for all addresses of this machine."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False
