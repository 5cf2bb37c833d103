"""Options that all jobs of an import share, for `defaults:` of the job file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rota.rules.jobs.files.known import DEFAULT_FIELDS, JOB_FIELDS, SCHEDULE_FIELDS

Job = dict[str, Any]
_LEAST = 2
"""The least number of jobs that share options; a single job has nothing to share."""


def with_defaults(jobs: Mapping[str, Job]) -> tuple[Job, dict[str, Job]]:
    """Return the options that every job has with equal values, and the jobs without them."""
    if len(jobs) < _LEAST:
        return {}, dict(jobs)
    each = list(jobs.values())
    own = {key: each[0][key] for key in each[0] if key in DEFAULT_FIELDS & JOB_FIELDS}
    defaults = {key: value for key, value in own.items() if _all_have(each, key, value)}
    defaults |= _for_commands(each)
    schedules = [one for job in each for one in _schedules(job)]
    if all(_schedules(job) for job in each):
        first = schedules[0]
        shared = {key: first[key] for key in first if key in SCHEDULE_FIELDS}
        policies = {key: it for key, it in shared.items() if _all_have(schedules, key, it)}
    else:
        policies = {}
    return {**defaults, **policies}, {
        name: _without(job, defaults, policies) for name, job in jobs.items()
    }


def _for_commands(jobs: Sequence[Job]) -> Job:
    if not all("command" in job for job in jobs):
        return {}
    defaults: Job = {}
    if "cwd" in jobs[0] and _all_have(jobs, "cwd", jobs[0]["cwd"]):
        defaults["cwd"] = jobs[0]["cwd"]
    envs = [job.get("env", {}) for job in jobs]
    env = {name: value for name, value in envs[0].items() if _all_have(envs, name, value)}
    return defaults | ({"env": env} if env else {})


def _all_have(holders: Sequence[Mapping[str, Any]], key: str, value: Any) -> bool:
    return all(key in each and each[key] == value for each in holders)


def _schedules(job: Job) -> list[Job]:
    schedules = job.get("schedule", [])
    return schedules if isinstance(schedules, list) else [schedules]


def _without(job: Job, defaults: Job, policies: Job) -> Job:
    rest = {key: value for key, value in job.items() if key == "env" or key not in defaults}
    if "env" in rest:
        own = {name: it for name, it in rest["env"].items() if name not in defaults.get("env", {})}
        rest = {key: value for key, value in rest.items() if key != "env" or own}
        rest |= {"env": own} if own else {}
    if policies:
        bare = [_bare(each, policies) for each in _schedules(job)]
        rest["schedule"] = bare if isinstance(job["schedule"], list) else bare[0]
    return rest


def _bare(schedule: Job, policies: Job) -> Job | str:
    rest = {key: value for key, value in schedule.items() if key not in policies}
    return str(rest["cron"]) if list(rest) == ["cron"] else rest
