"""How a server listens, and what it refuses: one frozen struct, checked before it starts."""

from __future__ import annotations

import ipaddress

import msgspec

from rota.api.identity.oidc_options import OidcOptions
from rota.errors import BadOption

DEFAULT_PORT = 8470
LOOPBACK = ("localhost", "127.0.0.1", "::1")
MEBIBYTE = 1024 * 1024


class ServerOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a server was told."""

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    names: tuple[str, ...] = ()
    """Names under which people reach it, besides the address it listens on."""
    behind_proxy: bool = False
    """A proxy in front brings TLS and says where requests come from."""
    proxies: tuple[str, ...] = ()
    """Networks of further proxies, whose word about where a request comes from is passed over."""
    tls_cert: str | None = None
    tls_key: str | None = None
    threads: int = 8
    """Verbs at once; each may need a connection to the database."""
    rate: float = 100.0
    """Requests a second of one credential, and so many at once as in two seconds."""
    streams: int = 20
    """Open streams of one credential."""
    failures: int = 10
    """Bad credentials a minute from one address, then it has to wait."""
    body_bytes: int = MEBIBYTE
    payload_bytes: int = 256 * 1024
    """Of the arguments of a run or the payload of an event, where its namespace says nothing."""
    json_depth: int = 32
    header_bytes: int = 16 * 1024
    header_s: float = 10.0
    """A request whose head takes longer to arrive is dropped."""
    body_s: float = 30.0
    drain_s: float = 20.0
    """Patience with requests under way when the server is told to stop."""
    admin_token: str | None = None
    """A token for automation; otherwise the first start makes one."""
    oidc: OidcOptions | None = None
    """People may sign in through an identity provider."""

    @property
    def has_tls(self) -> bool:
        return self.tls_cert is not None

    @property
    def is_secure(self) -> bool:
        """Whether browsers reach it by https."""
        return self.has_tls or self.behind_proxy

    @property
    def allowed_names(self) -> frozenset[str]:
        """What a Host header may say, without its port."""
        own = () if is_anywhere(self.host) else (self.host,)
        return frozenset(name.lower() for name in (*LOOPBACK, *own, *self.names))

    @property
    def address(self) -> str:
        """Where a person on this machine reaches it."""
        host = "127.0.0.1" if is_anywhere(self.host) else self.host
        shown = f"[{host}]" if ":" in host else host
        return f"{'https' if self.has_tls else 'http'}://{shown}:{self.port}"


def check_posture(options: ServerOptions) -> ServerOptions:
    """Refuse to listen where others could listen in. Credentials are always asked for."""
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
    """Whether only this machine reaches what listens here."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_anywhere(host: str) -> bool:
    """Whether it stands for all addresses of this machine."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False
