"""Settings of processes that run jobs: their capacity, chores, and the limits of what jobs do."""

from __future__ import annotations

from rota.settings import readers as read
from rota.settings.setting import Flag, Setting

MAX_SLOTS = 1000
MAX_PREFETCH = 1000
MAX_PROCESSES = 256


class WorkerSettings:
    """The settings of workers; those in [rota] count for servers as well."""

    queues = Setting(
        "worker",
        read.queue_names,
        'queues to serve, `"images,mail"` or a list',
        to=("worker.queues",),
        flag=Flag("--queues A,B", "Queues to serve; those of the jobs if unsaid.", "worker"),
    )
    slots = Setting(
        "worker",
        read.count_to(MAX_SLOTS),
        "runs at once",
        to=("worker.slots",),
        flag=Flag("--slots N", "How many runs at once; 8 if not said.", "worker"),
    )
    prefetch = Setting(
        "worker",
        read.count_to(MAX_PREFETCH, least=0),
        "most runs to [hold ready](workers.md#slots-queues-prefetch) beyond the slots; 0 for none",
        to=("worker.prefetch",),
        flag=Flag("--prefetch N", "Short runs to hold ready at most; 500, 0 for none.", "worker"),
    )
    processes = Setting("worker", read.count_to(MAX_PROCESSES), "worker processes", default=1)
    stored = Setting(
        "worker",
        read.yes_or_no,
        "whether jobs of applied files are run, too",
        to=("worker.stored",),
        flag=Flag(
            "--stored/--no-stored",
            "Run jobs that only the store defines: on for `up`, off for `worker`.",
            "worker",
        ),
    )
    name = Setting(
        "worker",
        read.text,
        "name of the worker",
        default="",
        to=("worker.name",),
        flag=Flag("--name NAME", "How `rota workers` calls it.", "worker"),
    )
    drain_ms = Setting(
        "worker",
        read.duration,
        "patience at the end",
        to=("worker.drain_ms", "server.drain_s"),
        flag=Flag("--drain TIME", "Patience with running handlers at the end.", "worker"),
    )
    wait_for_store = Setting(
        "rota",
        read.yes_or_no,
        "whether services wait at the start for a database that is away; they do",
        flag=Flag(
            "--wait/--no-wait",
            "Wait for a database that is away at the start; on if not said.",
            "worker",
        ),
    )
    echo = Setting(
        "worker",
        read.yes_or_no,
        "whether what handlers print is shown on the console as well",
        flag=Flag("--echo/--no-echo", "Show what handlers print here as well.", "worker"),
    )
    log_format = Setting(
        "rota",
        read.log_format,
        "`text` or `json`",
        default="text",
        flag=Flag("--log-format text|json", "How log lines on stderr look.", "worker"),
    )
    keep_success_ms = Setting(
        "worker", read.duration, "how long successes are kept", to=("retention.success_ms",)
    )
    keep_failures_ms = Setting(
        "worker", read.duration, "how long failures are kept", to=("retention.failure_ms",)
    )
    alert_webhook = Setting(
        "alerts",
        read.web_address,
        "where [alerts](breakers.md#alerts) are posted; in the file it is `webhook`",
        key="webhook",
        to=("worker.alert_webhook",),
    )
    alert_private = Setting(
        "alerts",
        read.yes_or_no,
        "whether that may be an address of your own network; in the file `private`",
        default=False,
        key="private",
        to=("worker.alert_private",),
    )
    http_hosts = Setting(
        "http",
        read.hosts,
        "the only hosts that [HTTP jobs may call](security.md#job-sandbox): "
        "`api.example.org`, `*.example.net`; in the file it is `hosts`",
        key="hosts",
        to=("egress.hosts",),
    )
    http_inside = Setting(
        "http",
        read.networks,
        "the only networks of your own that jobs with `allow_private` may reach; in the file "
        "`inside`",
        key="inside",
        to=("egress.inside",),
    )
    command_path = Setting(
        "commands",
        read.command_path,
        "the `PATH` of programs, whatever their job says; in the file these are `path`, `user`...",
        key="path",
        to=("programs.path",),
    )
    command_user = Setting(
        "commands", read.user, "whom programs run as", key="user", to=("programs.user",)
    )
    command_folders = Setting(
        "commands",
        read.folders,
        "folders in and below which programs may run",
        key="folders",
        to=("programs.folders",),
    )
    command_pass_env = Setting(
        "commands",
        read.variables,
        "variables of the worker's environment that programs get, too; none",
        key="pass_env",
        to=("programs.pass_env",),
    )
    command_new_privileges = Setting(
        "commands",
        read.yes_or_no,
        "whether programs may gain rights, as with sudo; no",
        default=False,
        key="new_privileges",
        to=("programs.new_privileges",),
    )
    anchor = Setting(
        "audit", read.text, "where [anchors of the audit](security.md#anchors) are written"
    )
    anchor_every_ms = Setting("audit", read.anchor_pause, "how often; every minute if not said")
    anchor_key = Setting(
        "audit", read.text, "what they are signed with; better in the environment than in a file"
    )
    anchor_key_file = Setting("audit", read.text, "a file with that key", beside=read.file_beside)
