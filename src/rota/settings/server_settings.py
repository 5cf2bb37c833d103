"""Settings of servers: addresses, limits and sign-in."""

from __future__ import annotations

from rota.settings import readers as read
from rota.settings.setting import Flag, Setting

MAX_THREADS = 256
LEAST_BODY = 1_024
LEAST_HEAD = 1_024
MOST = 1_000_000


class ServerSettings:
    """The settings of servers."""

    serve = Setting("server", read.yes_or_no, "whether `rota up` also starts the server")
    host = Setting(
        "server",
        read.text,
        "the address on which the server listens",
        to=("server.host",),
        flag=Flag("--host ADDRESS", "Address to listen on; default 127.0.0.1.", "server"),
    )
    port = Setting(
        "server",
        read.port,
        "the port on which the server listens; `0` takes a free one",
        to=("server.port",),
        flag=Flag("--port N", "Port to listen on; default 8470.", "server"),
    )
    server_names = Setting(
        "server",
        read.host_names,
        "host names under which clients reach the server; `names` in the file",
        key="names",
        to=("server.names",),
        flag=Flag("--server-names A,B", "Host names that reach the server.", "server"),
    )
    behind_proxy = Setting(
        "server",
        read.yes_or_no,
        "whether a proxy in front terminates TLS",
        default=False,
        to=("server.behind_proxy",),
        flag=Flag(
            "--behind-proxy/--no-behind-proxy",
            "A proxy in front terminates TLS and sends the client's address.",
            "server",
        ),
    )
    tls_cert = Setting(
        "server",
        read.text,
        "the certificate file for HTTPS",
        to=("server.tls_cert",),
        flag=Flag("--tls-cert FILE", "Certificate file; enables HTTPS.", "server"),
    )
    tls_key = Setting(
        "server",
        read.text,
        "the key file of the certificate",
        to=("server.tls_key",),
        flag=Flag("--tls-key FILE", "Key file of the certificate.", "server"),
    )
    threads = Setting(
        "server",
        read.count_to(MAX_THREADS),
        "requests that use the database at once; default 8",
        to=("server.threads",),
        flag=Flag("--threads N", "Requests that use the database at once; default 8.", "server"),
    )
    request_rate = Setting(
        "server",
        read.rate,
        "requests per second with one credential; default 100",
        to=("server.rate",),
        flag=Flag("--request-rate N", "Requests per second and token; default 100.", "server"),
    )
    proxies = Setting(
        "server",
        read.networks,
        'networks of [further proxies](security.md#behind-a-proxy) in front, `"10.1.0.0/16"` or a '
        "list",
        to=("server.proxies",),
    )
    max_body = Setting(
        "server",
        read.size_from(LEAST_BODY),
        "the largest request; default `1MiB`",
        to=("server.body_bytes",),
    )
    max_payload = Setting(
        "server",
        read.size_from(LEAST_BODY),
        "the largest arguments and event payloads over HTTP, unless the namespace has a limit; "
        "default `256KiB`",
        to=("server.payload_bytes",),
    )
    max_depth = Setting(
        "server",
        read.count_to(MOST),
        "the deepest nesting of JSON in a request; default 32",
        to=("server.json_depth",),
    )
    max_head = Setting(
        "server",
        read.size_from(LEAST_HEAD),
        "the largest address and headers of a request; default `16KiB`",
        to=("server.header_bytes",),
    )
    max_streams = Setting(
        "server",
        read.count_to(MOST),
        "open streams with one credential; default 20",
        to=("server.streams",),
    )
    max_failures = Setting(
        "server",
        read.count_to(MOST),
        "bad credentials per minute from one address; default 10",
        to=("server.failures",),
    )
    admin_token = Setting(
        "server",
        read.text,
        "a token for automation, instead of a generated one; prefer the environment to a file",
        to=("server.admin_token",),
    )
    oidc_issuer = Setting(
        "oidc",
        read.text,
        "the URL of an [identity provider](server.md#signing-in-with-an-identity-provider); "
        "in the file `issuer`, `client_id`...",
        key="issuer",
        to=("oidc.issuer",),
    )
    oidc_client_id = Setting(
        "oidc",
        read.text,
        "the client id of this server there",
        key="client_id",
        to=("oidc.client_id",),
    )
    oidc_client_secret = Setting(
        "oidc",
        read.text,
        "the client secret of this server there; prefer the environment to a file",
        key="client_secret",
        to=("oidc.client_secret",),
    )
    oidc_claim = Setting(
        "oidc",
        read.text,
        "the claim with the groups in its tokens; default `roles`",
        key="claim",
        to=("oidc.claim",),
    )
    oidc_roles = Setting(
        "oidc",
        read.any_value,
        "the roles of each group: a table, or `rota-admins=admin+exec,staff=viewer`",
        key="roles",
        to=("oidc.roles",),
    )
    oidc_namespace = Setting(
        "oidc",
        read.text,
        "the namespace of people who sign in there; default `default`",
        key="namespace",
        to=("oidc.namespace",),
    )
