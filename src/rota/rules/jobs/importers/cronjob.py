"""Import Kubernetes CronJobs: manifests of one or several documents, or a List of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from rota.rules.jobs.files.field import Field
from rota.rules.jobs.files.yaml12 import read_yaml
from rota.rules.jobs.importers.cronjob_lost import lost_fields
from rota.rules.jobs.importers.report import Collector, Imported, Note, escaped

_VERSIONS = ("batch/v1", "batch/v1beta1")
_REFERENCE = re.compile(r"\$\$|\$\(([A-Za-z_]\w*)\)")
_DEFAULT_BACKOFF = 6
_POLICIES = {
    "Allow": ("allow", Note(topic="overlap", old="Allow: starts overlap", chose="overlap: allow")),
    "Forbid": (
        "newest",
        Note(
            topic="overlap",
            old="Forbid is no pure skip: the latest time missed meanwhile starts when the job ends",
            default="starts overlap (overlap: allow)",
            chose="overlap: newest",
        ),
    ),
    "Replace": (
        "cancel_old",
        Note(
            topic="overlap",
            old="Replace deletes the old job and starts the new one without waiting for its end",
            default="starts overlap (overlap: allow)",
            chose="overlap: cancel_old; the new run waits until the old one has ended",
        ),
    ),
}


_HOW_TO_GIVE = (
    "not kept; give it to the environment of the worker and name it in pass_env of [commands] in "
    "its rota.toml, else commands do not get it"
)


class _Untranslatable(Exception):
    """The reason why an entry is left out."""


def read_cronjobs(data: bytes, file: str) -> Imported:
    """Import each CronJob as a command job; objects of other kinds are reported and skipped."""
    collector = Collector()
    for document in read_yaml(data, file):
        if document.value is None:  # between two `---`, or comments alone
            continue
        for manifest in _manifests(Field(document, document.value)):
            line, _ = document.places.get(manifest.path, (1, 1))
            where = f"{file}:{line}"
            name = _at(manifest, "metadata", "name")
            if manifest.value["kind"] != "CronJob":
                kind = f"{manifest.value['kind']!s:.60}"
                collector.warn(f"{where}: {kind} {name or ''} is not a CronJob and is skipped")
                continue
            try:
                job, notes = _CronJob(manifest).translated()
                collector.add(str(name or "cronjob"), where, job, notes)
            except _Untranslatable as error:
                collector.skip(where, str(name or "cronjob"), str(error))
    return collector.imported()


def _manifests(field: Field) -> Iterator[Field]:
    value = field.value
    if not isinstance(value, dict) or "kind" not in value:
        raise field.refusal("this is no Kubernetes object: it has no kind")
    if value["kind"] == "List" and isinstance(value.get("items"), list):
        for each in field.fields()["items"].items():
            yield from _manifests(each)
        return
    if value["kind"] == "CronJob":
        if value.get("apiVersion") not in _VERSIONS:
            raise field.refusal(f"a CronJob has apiVersion {' or '.join(_VERSIONS)}")
        if not isinstance(value.get("spec"), dict):
            raise field.refusal("a CronJob has a spec")
    yield field


def _at(field: Field, *keys: str) -> Any:
    value = field.value
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


class _CronJob:
    """Translates one manifest and gathers notes on the way."""

    def __init__(self, manifest: Field) -> None:
        self._manifest = manifest
        self._spec: Mapping[str, Any] = manifest.value["spec"]
        self._job: Mapping[str, Any] = _at(manifest, "spec", "jobTemplate", "spec") or {}
        self._notes: list[Note] = []

    def translated(self) -> tuple[dict[str, Any], list[Note]]:
        job = self._container()
        job |= self._policies()
        job["schedule"] = self._schedule()
        lost = list(lost_fields(self._manifest.value))
        if lost:
            self._note("not kept", ", ".join(lost))
        return job, self._notes

    def _container(self) -> dict[str, Any]:
        pod = _at(self._manifest, "spec", "jobTemplate", "spec", "template", "spec")
        containers = pod.get("containers") if isinstance(pod, dict) else None
        if not isinstance(containers, list) or not containers:
            raise _Untranslatable("it has no containers")
        if len(containers) > 1 or pod.get("initContainers"):
            raise _Untranslatable("it has several containers; Rota runs one command for a job")
        container = containers[0] if isinstance(containers[0], dict) else {}
        image = container.get("image", "its image")
        command = self._texts(container.get("command"))
        if not command:
            raise _Untranslatable(f"it runs the entrypoint of {image}; write the command by hand")
        env = self._env(container)
        words = [*command, *self._texts(container.get("args"))]
        self._check_references(words, container)
        job: dict[str, Any] = {"command": [escaped(_expand(word, env)) for word in words]}
        if env:
            job["env"] = {name: escaped(value) for name, value in env.items()}
        if container.get("workingDir"):
            job["cwd"] = str(container["workingDir"])
        else:
            self._note("folder", "starts in the folder that the image sets",
                       default="starts in the folder of the worker; set cwd:")  # fmt: skip
        self._note(
            "container",
            f"runs inside {image}",
            default="runs on the machine of the worker, which needs the same programs",
        )
        if container.get("envFrom"):
            self._note(
                "variables", "envFrom: all of a secret or a config map", default=_HOW_TO_GIVE
            )
        return job

    def _check_references(self, words: list[str], container: Mapping[str, Any]) -> None:
        """Refuse values that only the cluster knows: they cannot be put into a command line."""
        secret = {each["name"] for each in container.get("env") or [] if "valueFrom" in each}
        for word in words:
            for match in _REFERENCE.finditer(word):
                if match[1] in secret:
                    raise _Untranslatable(
                        f"its command holds $({match[1]}), which comes from a secret, a config "
                        "map or a field; let the command read the variable itself"
                    )

    def _texts(self, value: object) -> list[str]:
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise _Untranslatable("command and args must be lists of texts")
        return value

    def _env(self, container: Mapping[str, Any]) -> dict[str, str]:
        env: dict[str, str] = {}
        for each in container.get("env") or []:
            if not isinstance(each, dict) or not isinstance(each.get("name"), str):
                raise _Untranslatable("env is a list of names and values")
            if "valueFrom" in each:
                self._note(
                    "variables",
                    f"{each['name']} comes from a secret, a config map or a field",
                    default=_HOW_TO_GIVE,
                )
            else:
                env[each["name"]] = _expand(str(each.get("value") or ""), env)
        return env

    def _policies(self) -> dict[str, Any]:
        limit = self._number(self._job, "backoffLimit", _DEFAULT_BACKOFF)
        self._note(
            "retries",
            f"{limit} retries after 10s, 20s, 40s and so on up to 6m",
            default="3 retries after 1s, 2s, 4s",
            chose=f"retries: {limit}, retry_delay: 10s, retry_cap: 6m",
        )
        policies: dict[str, Any] = {"retries": limit, "retry_delay": "10s", "retry_cap": "6m"}
        deadline = self._number(self._job, "activeDeadlineSeconds", 0)
        if deadline:
            self._note(
                "timeout",
                f"{deadline}s for all attempts together (activeDeadlineSeconds)",
                default="no limit",
                chose=f"timeout: {deadline}s for each attempt, retry_within: {deadline}s",
            )
            policies |= {"timeout": f"{deadline}s", "retry_within": f"{deadline}s"}
        for lost in ("parallelism", "completions"):
            if self._number(self._job, lost, 1) > 1:
                raise _Untranslatable(f"{lost} above 1: Rota starts one run for a firing")
        return policies

    def _schedule(self) -> dict[str, Any]:
        expression = self._spec.get("schedule")
        if not isinstance(expression, str):
            raise _Untranslatable("it has no schedule")
        zone, expression = self._zone(expression)
        schedule: dict[str, Any] = {"cron": expression, "dialect": "kubernetes"}
        if expression.startswith("@every"):
            schedule = {"every": expression.removeprefix("@every").strip()}
            self._note("days", "@every counts from the moment the CronJob was made",
                       chose="every: counted from the Unix epoch")  # fmt: skip
        schedule |= {"timezone": zone, "gap": "skip", "fold": "both"}
        self._note(
            "dst",
            "a time that does not exist is left out, one that comes twice runs twice",
            default="run at the first valid minute, once",
            chose="gap: skip, fold: both",
        )
        policy = self._spec.get("concurrencyPolicy") or "Allow"
        if policy not in _POLICIES:
            raise _Untranslatable(f"concurrencyPolicy {policy!r:.40} is not known")
        schedule["overlap"], note = _POLICIES[policy]
        self._notes.append(note)
        return schedule | self._missed()

    def _zone(self, expression: str) -> tuple[str, str]:
        prefix = re.match(r"(?:CRON_)?TZ=(\S+)\s+(.*)", expression)
        if prefix:
            self._note("zone", "a zone inside the expression, which newer clusters refuse",
                       chose=f"timezone: {prefix[1]}")  # fmt: skip
            return prefix[1], prefix[2]
        zone_name = self._spec.get("timeZone")
        if zone_name:
            return str(zone_name), expression
        self._note("zone", "the zone of the controller, usually UTC", chose="timezone: UTC")
        return "UTC", expression

    def _missed(self) -> dict[str, Any]:
        """Return options for missed times: only the latest starts, and only within the deadline."""
        deadline = self._number(self._spec, "startingDeadlineSeconds", 0)
        self._note(
            "catch-up",
            "only the latest missed time starts, "
            + (f"if it is at most {deadline}s old" if deadline else "however old it is"),
            default="the last one, however old it is (catchup: last)",
            chose="catchup: last" + (f", start_within: {deadline}s" if deadline else ""),
        )
        missed: dict[str, Any] = {"catchup": "last"}
        if deadline:
            missed["start_within"] = f"{deadline}s"
        if self._spec.get("suspend") is True:
            missed["paused"] = True
            self._note("pause", "suspended", chose="paused: true")
        return missed

    def _number(self, where: Mapping[str, Any], name: str, default: int) -> int:
        number = where.get(name)
        if number is None:
            return default
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            raise _Untranslatable(f"{name}: {number!r:.40} is not a number")
        return number

    def _note(self, topic: str, old: str, *, default: str = "", chose: str = "") -> None:
        self._notes.append(Note(topic=topic, old=old, default=default, chose=chose))


def _expand(word: str, env: Mapping[str, str]) -> str:
    """Expand `$(NAME)` by the variables before it; an unknown name stays."""
    return _REFERENCE.sub(
        lambda match: "$" if match[0] == "$$" else env.get(match[1], match[0]), word
    )
