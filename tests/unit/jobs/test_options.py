"""Options of jobs and submits: what is taken, and how the rest is refused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from rota.errors import BadDuration, BadInput, BadOption
from rota.model.jobs.spec import JobSpec, PolicyChange, PythonTarget, RetryPolicy
from rota.rules.jobs.options import JobOptions, SubmitOptions, job_options, submit_options
from rota.rules.text.size import parse_size


class Temporary(Exception):
    """An error of a user's own."""


def job(**options: Any) -> JobOptions:
    return job_options("resize", options)


def submit(**options: Any) -> SubmitOptions:
    return submit_options(options, retry=RetryPolicy(limit=7, delay_ms=5))


def test_without_options_a_job_has_the_defaults_of_its_spec() -> None:
    target = PythonTarget(ref="shop:resize")

    assert JobSpec(target=target, **job().spec_fields()) == JobSpec(name="resize", target=target)


def test_every_plain_option_reaches_its_field() -> None:
    made = job(
        queue="images",
        priority="high",
        timeout="10m",
        expires=timedelta(hours=1),
        deadline="07:00 Europe/Paris",
        isolation="process",
        memory="512MB",
        max_crashes=2,
        max_losses=0,
    )

    assert made == JobOptions(
        name="resize",
        queue="images",
        priority=10,
        timeout_ms=600_000,
        expires_ms=3_600_000,
        deadline="07:00 Europe/Paris",
        isolation="process",
        memory_mb=512,
        max_crashes=2,
        max_losses=0,
    )


def test_every_retry_option_reaches_its_field() -> None:
    made = job(
        retries=5,
        backoff="fixed",
        retry_delay="2s",
        retry_cap="1h",
        jitter=0.5,
        retry_on=(Temporary, OSError),
        give_up_on=ValueError,
        retry_within="2h",
    )

    assert made.retry == RetryPolicy(
        limit=5,
        backoff="fixed",
        delay_ms=2_000,
        cap_ms=3_600_000,
        jitter=0.5,
        retry_on=(f"{__name__}.Temporary", "builtins.OSError"),
        give_up_on=("builtins.ValueError",),
        within_ms=7_200_000,
    )


@pytest.mark.parametrize("none", [0, None])
def test_no_retries_can_be_said_in_two_ways(none: int | None) -> None:
    assert job(retries=none).retry.limit == 0


def test_a_whole_policy_can_be_given_and_changed() -> None:
    made = job(retries=RetryPolicy(limit=9, jitter=0.1), jitter=True)

    assert made.retry == RetryPolicy(limit=9, jitter=1.0)


def test_error_classes_can_be_named_in_text() -> None:
    made = job(give_up_on=["shop.errors.Broken", "KeyError"])

    assert made.retry.give_up_on == ("shop.errors.Broken", "builtins.KeyError")


def test_a_function_of_ones_own_takes_the_place_of_the_backoff() -> None:
    def patient(failures: int, error: BaseException | None) -> float | None:
        return failures if isinstance(error, OSError) else None

    made = job(retry=patient, retries=4)

    assert made.retry_function is patient
    assert made.retry == RetryPolicy(limit=4, backoff="custom")
    assert "retry_function" not in made.spec_fields()


def test_a_long_first_delay_lifts_the_cap_that_nobody_set() -> None:
    assert job(retry_delay="2h").retry.cap_ms == 7_200_000


def test_at_most_once_means_no_retries() -> None:
    assert job(delivery="at_most_once").retry.limit == 0


def test_a_memory_limit_implies_a_process() -> None:
    assert job(memory="1.5GB") == JobOptions(name="resize", isolation="process", memory_mb=1_536)


def test_an_unknown_option_is_refused_with_the_nearest_and_all_known_ones() -> None:
    with pytest.raises(BadOption) as refused:
        job(timeot="10m")

    said = str(refused.value)
    assert "job 'resize' has no option 'timeot'. Did you mean 'timeout'?" in said
    assert "backlog, backoff, breaker, cache, calendar" in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"retries": -1}, "retries=-1"),
        ({"retries": True}, "retries=True"),
        ({"retries": "5"}, "retries='5'"),
        ({"retries": 10_001}, "10,000"),
        ({"backoff": "linear"}, "none, fixed, exponential"),
        ({"backoff": "custom"}, "write retry="),
        ({"retries": RetryPolicy(backoff="custom")}, "needs the function"),
        ({"retry": 5}, "write retries="),
        ({"retry": print, "backoff": "fixed"}, "give one of them"),
        ({"retry_delay": "2h", "retry_cap": "1h"}, "shorter than retry_delay"),
        ({"jitter": 1.5}, "share from 0 to 1"),
        ({"jitter": "yes"}, "share from 0 to 1"),
        ({"retry_on": (int,)}, "not an exception class"),
        ({"give_up_on": "not a name"}, "not an exception class"),
        ({"priority": "urgent"}, "high, medium, low"),
        ({"timeout": 0}, "is zero"),
        ({"timeout": "soon"}, "timeout: 'soon' is not a duration"),
        ({"expires": "-1s"}, "expires: '-1s' is not a duration"),
        ({"retry_within": "x"}, "retry_within: 'x' is not a duration"),
        ({"queue": "a b"}, "not a name for a queue"),
        ({"queue": 5}, "not a name for a queue"),
        ({"delivery": "exactly_once"}, "at_least_once, at_most_once"),
        ({"delivery": "at_most_once", "retries": 2}, "never retried"),
        ({"isolation": "vm"}, "thread, process"),
        ({"isolation": "thread", "memory": "1GB"}, 'needs isolation="process"'),
        ({"memory": 512}, "less than 16MB"),
        ({"memory": "lots"}, "not a size"),
        ({"max_crashes": 0}, "max_crashes=0 is not a number from 1 to 1,000"),
        ({"max_losses": -1}, "max_losses=-1 is not a number from 0 to 1,000"),
        ({"max_losses": True}, "max_losses=True is not a number"),
    ],
)
def test_a_bad_value_is_refused_by_name(options: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput) as refused:
        job(**options)

    assert said in str(refused.value)
    assert isinstance(refused.value, BadOption | BadDuration)


@pytest.mark.parametrize("name", ["resize", "shop.images:resize", "a/b-c_d", "7", "x" * 128])
def test_a_good_name_is_kept(name: str) -> None:
    assert job_options(name, {}).name == name


@pytest.mark.parametrize("name", ["", ".hidden", "-x", "a b", "a\n", "naïve", "x" * 129, "a\0"])
def test_a_bad_name_is_refused(name: str) -> None:
    with pytest.raises(BadOption, match="not a name for a job"):
        job_options(name, {})


def test_a_submit_without_options_changes_nothing() -> None:
    assert submit() == SubmitOptions()


def test_every_option_of_a_submit_reaches_its_field() -> None:
    made = submit(
        queue="slow",
        priority=-5,
        retries=1,
        timeout="5s",
        expires="1h",
        key="order-17",
        key_window="2d",
        delay="10m",
    )

    assert made == SubmitOptions(
        queue="slow",
        priority=-5,
        policy=PolicyChange(retry=RetryPolicy(limit=1, delay_ms=5), timeout_ms=5_000),
        expires_ms=3_600_000,
        key="order-17",
        key_window_ms=172_800_000,
        delay_ms=600_000,
    )


def test_a_submit_that_leaves_retries_alone_carries_no_policy() -> None:
    assert submit(timeout="5s").policy == PolicyChange(timeout_ms=5_000)
    assert submit(key="a").policy is None


def test_a_job_with_a_retry_function_keeps_it_when_the_number_of_retries_changes() -> None:
    made = submit_options({"retries": 2}, retry=RetryPolicy(backoff="custom"))

    assert made.policy == PolicyChange(retry=RetryPolicy(limit=2, backoff="custom"))


def test_a_start_time_keeps_its_instant_in_any_zone() -> None:
    at_noon = datetime(2024, 3, 10, 12, 0, 0, 250_000, tzinfo=UTC)
    elsewhere = at_noon.astimezone(timezone(timedelta(hours=5, minutes=45)))

    assert submit(at=at_noon).due_at_ms == 1_710_072_000_250
    assert submit(at=elsewhere).due_at_ms == 1_710_072_000_250


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"at": datetime(2024, 1, 1)}, "time zone"),  # noqa: DTZ001  # naive on purpose
        ({"at": "tomorrow"}, "time zone"),
        ({"at": datetime(2024, 1, 1, tzinfo=UTC), "delay": "1s"}, "give one of them"),
        ({"key": ""}, "printable"),
        ({"key": "a\0b"}, "printable"),
        ({"key": "x" * 201}, "printable"),
        ({"key": 17}, "printable"),
        ({"key_window": "1h"}, "give the key too"),
        ({"key": "a", "key_window": 0}, "is zero"),
        ({"retry": print}, "a submit has no option 'retry'"),
        ({"isolation": "process"}, "a submit has no option 'isolation'"),
        ({"retries": RetryPolicy(backoff="custom")}, "a job that has a retry function"),
        ({"delay": -1}, "delay: -1 is not a duration"),
    ],
)
def test_a_bad_submit_is_refused_by_name(options: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput) as refused:
        submit(**options)

    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("text", "size"),
    [("512MB", 512 * 1024**2), ("1.5 gb", 3 * 512 * 1024**2), ("2KiB", 2_048), ("7B", 7), (9, 9)],
)
def test_a_size_is_read_as_bytes(text: str | int, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("garbage", ["", "5", "MB", "-1MB", "1XB", -1, True, None, "9" * 10**6])
def test_another_size_is_refused_with_the_good_forms(garbage: Any) -> None:
    with pytest.raises(BadOption, match=r"512MB, 1\.5GB"):
        parse_size(garbage)
