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

    serve = Setting("server", read.yes_or_no, "whether `rota up` brings the server, too")
    host = Setting(
        "server",
        read.text,
        "where the server listens",
        to=("server.host",),
        flag=Flag("--host ADDRESS", "Where to listen; 127.0.0.1 if not said.", "server"),
    )
    port = Setting(
        "server",
        read.port,
        "on which port; `0` takes a free one",
        to=("server.port",),
        flag=Flag("--port N", "Where to listen; 8470 if not said.", "server"),
    )
    server_names = Setting(
        "server",
        read.host_names,
        "names under which people reach it; in the file it is `names`",
        key="names",
        to=("server.names",),
        flag=Flag("--server-names A,B", "Names under which people reach the server.", "server"),
    )
    behind_proxy = Setting(
        "server",
        read.yes_or_no,
        "whether a proxy in front brings TLS",
        default=False,
        to=("server.behind_proxy",),
        flag=Flag(
            "--behind-proxy/--no-behind-proxy",
            "A proxy in front brings TLS and tells where requests come from.",
            "server",
        ),
    )
    tls_cert = Setting(
        "server",
        read.text,
        "file of the certificate",
        to=("server.tls_cert",),
        flag=Flag("--tls-cert FILE", "A certificate: https.", "server"),
    )
    tls_key = Setting(
        "server",
        read.text,
        "file of its key",
        to=("server.tls_key",),
        flag=Flag("--tls-key FILE", "The key of the certificate.", "server"),
    )
    threads = Setting(
        "server",
        read.count_to(MAX_THREADS),
        "requests at the database at once",
        to=("server.threads",),
        flag=Flag("--threads N", "Requests at the database at once; 8.", "server"),
    )
    request_rate = Setting(
        "server",
        read.rate,
        "requests a second of one credential",
        to=("server.rate",),
        flag=Flag("--request-rate N", "Requests a second of one token; 100 if unsaid.", "server"),
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
        "how large a request may be; `1MiB` if not said",
        to=("server.body_bytes",),
    )
    max_payload = Setting(
        "server",
        read.size_from(LEAST_BODY),
        "how large arguments and payloads of events may be that come over HTTP, where the "
        "namespace says nothing; `256KiB`",
        to=("server.payload_bytes",),
    )
    max_depth = Setting(
        "server",
        read.count_to(MOST),
        "how deep its JSON may be nested; 32",
        to=("server.json_depth",),
    )
    max_head = Setting(
        "server",
        read.size_from(LEAST_HEAD),
        "how large its address and headers may be; `16KiB`",
        to=("server.header_bytes",),
    )
    max_streams = Setting(
        "server", read.count_to(MOST), "open streams of one credential; 20", to=("server.streams",)
    )
    max_failures = Setting(
        "server",
        read.count_to(MOST),
        "bad credentials a minute from one address; 10",
        to=("server.failures",),
    )
    admin_token = Setting(
        "server",
        read.text,
        "a token for automation, instead of a generated one; better in the environment than in a "
        "file",
        to=("server.admin_token",),
    )
    oidc_issuer = Setting(
        "oidc",
        read.text,
        "an [identity provider](server.md#signing-in-with-an-identity-provider); in the file these "
        "are `issuer`, `client_id`...",
        key="issuer",
        to=("oidc.issuer",),
    )
    oidc_client_id = Setting(
        "oidc", read.text, "what it calls this server", key="client_id", to=("oidc.client_id",)
    )
    oidc_client_secret = Setting(
        "oidc",
        read.text,
        "its secret there; better in the environment than in a file",
        key="client_secret",
        to=("oidc.client_secret",),
    )
    oidc_claim = Setting(
        "oidc",
        read.text,
        "where groups stand in its tokens; `roles` if not said",
        key="claim",
        to=("oidc.claim",),
    )
    oidc_roles = Setting(
        "oidc",
        read.any_value,
        "a table from groups to roles, or `rota-admins=admin+exec,staff=viewer`",
        key="roles",
        to=("oidc.roles",),
    )
    oidc_namespace = Setting(
        "oidc",
        read.text,
        "whose jobs and runs these people see; `default` if not said",
        key="namespace",
        to=("oidc.namespace",),
    )
