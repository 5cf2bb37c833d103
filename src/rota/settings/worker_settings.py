"""Settings of processes that run jobs: their capacity, chores, and the limits of jobs."""

from __future__ import annotations

from rota.settings import readers as read
from rota.settings.setting import Flag, Setting

MAX_SLOTS = 1000
MAX_PREFETCH = 1000
MAX_PROCESSES = 256


class WorkerSettings:
    """The settings of workers; those in [rota] apply to servers as well."""

    queues = Setting(
        "worker",
        read.queue_names,
        'queues to serve, `"images,mail"` or a list',
        to=("worker.queues",),
        flag=Flag("--queues A,B", "Queues to serve; default: those of the jobs.", "worker"),
    )
    slots = Setting(
        "worker",
        read.count_to(MAX_SLOTS),
        "the number of runs at once; default 8",
        to=("worker.slots",),
        flag=Flag("--slots N", "Number of runs at once; default 8.", "worker"),
    )
    prefetch = Setting(
        "worker",
        read.count_to(MAX_PREFETCH, least=0),
        "most runs to [prefetch](workers.md#slots-queues-prefetch) beyond the slots; 0 for none",
        to=("worker.prefetch",),
        flag=Flag("--prefetch N", "Most short runs to prefetch; default 500, 0 off.", "worker"),
    )
    processes = Setting("worker", read.count_to(MAX_PROCESSES), "worker processes", default=1)
    stored = Setting(
        "worker",
        read.yes_or_no,
        "whether to run jobs of applied files as well",
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
        "the name of the worker",
        default="",
        to=("worker.name",),
        flag=Flag("--name NAME", "Name of the worker in lists.", "worker"),
    )
    drain_ms = Setting(
        "worker",
        read.duration,
        "how long running handlers may continue when the process stops",
        to=("worker.drain_ms", "server.drain_s"),
        flag=Flag("--drain TIME", "Time for running handlers to end at a stop.", "worker"),
    )
    wait_for_store = Setting(
        "rota",
        read.yes_or_no,
        "whether services wait at the start for an unreachable database; default true",
        flag=Flag(
            "--wait/--no-wait",
            "Wait at the start for an unreachable database; on by default.",
            "worker",
        ),
    )
    echo = Setting(
        "worker",
        read.yes_or_no,
        "whether the output of handlers is also shown on the console",
        flag=Flag("--echo/--no-echo", "Show the output of handlers here, too.", "worker"),
    )
    log_format = Setting(
        "rota",
        read.log_format,
        "the format of log lines: `text` or `json`",
        default="text",
        flag=Flag("--log-format text|json", "Format of log lines on stderr.", "worker"),
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
        "the address that receives [alerts](breakers.md#alerts); `webhook` in the file",
        key="webhook",
        to=("worker.alert_webhook",),
    )
    alert_private = Setting(
        "alerts",
        read.yes_or_no,
        "whether webhooks of alerts may be in a private network; `private` in the file",
        default=False,
        key="private",
        to=("worker.alert_private",),
    )
    http_hosts = Setting(
        "http",
        read.hosts,
        "the only hosts that [HTTP jobs may call](security.md#job-sandbox): "
        "`api.example.org`, `*.example.net`; `hosts` in the file",
        key="hosts",
        to=("egress.hosts",),
    )
    http_inside = Setting(
        "http",
        read.networks,
        "the only private networks that jobs with `allow_private` may reach; `inside` in the file",
        key="inside",
        to=("egress.inside",),
    )
    command_path = Setting(
        "commands",
        read.command_path,
        "the `PATH` of programs, even if their job sets one; in the file `path`, `user`...",
        key="path",
        to=("programs.path",),
    )
    command_user = Setting(
        "commands", read.user, "the user that programs run as", key="user", to=("programs.user",)
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
        "variables of the worker's environment that programs also get; default none",
        key="pass_env",
        to=("programs.pass_env",),
    )
    command_new_privileges = Setting(
        "commands",
        read.yes_or_no,
        "whether programs may gain privileges, as with sudo; default false",
        default=False,
        key="new_privileges",
        to=("programs.new_privileges",),
    )
    anchor = Setting(
        "audit",
        read.text,
        "the place where [anchors of the audit](security.md#anchors) are written",
    )
    anchor_every_ms = Setting(
        "audit", read.anchor_pause, "how often anchors are written; default 1m"
    )
    anchor_key = Setting(
        "audit", read.text, "the key that signs anchors; prefer the environment to a file"
    )
    anchor_key_file = Setting(
        "audit", read.text, "a file with the key that signs anchors", beside=read.file_beside
    )
