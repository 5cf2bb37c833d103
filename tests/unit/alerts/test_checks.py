"""Checks of rules and channels: what is wrong is named, and no secret is shown."""

from __future__ import annotations

from typing import Any

import pytest

from rota.errors import BadOption, RotaError
from rota.model.alerts.channel import AlertChannel
from rota.rules.alerts.checks import check_channel, filled, kind_of, read_rule, shown_url

GOOD: dict[str, Any] = {"on": ["run.failed"], "to": ["ops"]}


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"on": []}, "no kind of alert"),
        ({"on": ["run.faild"]}, "run.faild"),
        ({"to": []}, "no channel"),
        ({"to": ["a b"]}, "a b"),
        ({"jobs": [""]}, "jobs"),
        ({"after": 0}, "after"),
        ({"at_most": 0}, "at_most"),
        ({"window": "soon"}, "window"),
        ({"repeat": "0s"}, "repeat"),
        ({"severity": "loud"}, "loud"),
        ({"group": "team"}, "team"),
        ({"colour": "red"}, "colour"),
        ({"quiet": {"begin": "22:00", "end": "22:00"}}, "quiet"),
    ],
)
def test_a_bad_rule_is_refused_by_name(fields: dict[str, Any], named: str) -> None:
    with pytest.raises(RotaError, match=named):
        read_rule(GOOD | fields)


@pytest.mark.parametrize(
    ("url", "kind", "shown"),
    [
        ("https://example.org/hook/s3cret", "webhook", "https://example.org/..."),
        ("https://user:s3cret@example.org:8443/", "webhook", "https://example.org:8443/..."),
        ("https://hooks.slack.com/services/s3cret", "slack", "https://hooks.slack.com/..."),
        ("smtp://me:s3cret@mx:25/?from=a@x&to=b@x", "email", "smtp://mx:25/?to=b@x"),
        ("smtps://me:${PASSWORD}@mx/?from=a@x&to=b@x", "email", "smtps://mx/?to=b@x"),
        ("pagerduty://s3cret@key", "apprise", "pagerduty://..."),
        ("${HOOK}", "webhook", "${HOOK}"),
    ],
)
def test_a_channel_is_known_by_its_url_and_shown_without_secrets(
    url: str, kind: str, shown: str
) -> None:
    channel = check_channel(AlertChannel(url=url))

    assert (kind_of(channel), shown_url(channel)) == (kind, shown)
    assert "s3cret" not in shown_url(channel)


def test_the_path_of_a_webhook_is_not_shown() -> None:
    assert "s3cret" not in shown_url(AlertChannel(url="https://example.org/hook/s3cret"))


@pytest.mark.parametrize(
    ("url", "named"),
    [
        ("", "url"),
        ("ops@example.org", "no URL"),
        ("smtp://mx/?to=b@x", "from="),
        ("smtp://mx/?from=a@x", "to="),
        ("https://example.org/\n", "printable"),
    ],
)
def test_a_bad_url_is_refused(url: str, named: str) -> None:
    with pytest.raises(BadOption, match=named):
        check_channel(AlertChannel(url=url))


def test_only_webhooks_are_signed() -> None:
    with pytest.raises(BadOption, match="secret"):
        check_channel(AlertChannel(url="smtp://mx/?from=a@x&to=b@x", secret="key"))


def test_a_variable_that_is_not_set_is_named() -> None:
    assert filled("https://x/${KEY}", {"KEY": "1"}) == "https://x/1"
    with pytest.raises(BadOption, match="KEY is not set"):
        filled("https://x/${KEY}", {})
