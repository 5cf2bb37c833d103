"""Checks of alert rules and channels: what is wrong with one, before it is stored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, get_args
from urllib.parse import parse_qs, urlsplit

import msgspec

from rota.errors import BadOption
from rota.model.alerts.channel import AlertChannel, ChannelKind
from rota.model.alerts.rule import SEVERITIES, AlertKind, AlertRule, Grouping
from rota.rules.alerts.quiet import check_quiet
from rota.rules.text.checks import one_of, positive_ms, whole_number
from rota.rules.text.names import check_name

KINDS: tuple[str, ...] = get_args(AlertKind)
MOST_CHARS = 2_000
MOST_NAMES = 100
MAX_AFTER = 1_000_000
MAX_MESSAGES = 1_000
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SLACK = "hooks.slack.com"


def read_rule(fields: Mapping[str, Any]) -> AlertRule:
    """Return the rule of these fields; BadOption names one that is unknown or of a wrong type."""
    try:
        return check_rule(msgspec.convert(dict(fields), AlertRule))
    except msgspec.ValidationError as error:
        raise BadOption(f"alert rule: {error}") from error


def check_rule(rule: AlertRule) -> AlertRule:
    """Return the rule; BadOption for one that could never report anything, or not be read."""
    if not rule.on:
        raise BadOption(f"`on` names no kind of alert; the kinds are {', '.join(KINDS)}")
    if not rule.to:
        raise BadOption("`to` names no channel; `rota alerts channels` lists them")
    for kind in rule.on:
        one_of("on", kind, KINDS)
    for each in rule.to:
        check_name("channel", each)
    for field in ("jobs", "queues"):
        _check_patterns(field, getattr(rule, field))
    one_of("severity", rule.severity, SEVERITIES)
    one_of("group", rule.group, get_args(Grouping))
    whole_number("after", rule.after, 1, MAX_AFTER)
    whole_number("at_most", rule.at_most, 1, MAX_MESSAGES)
    positive_ms("window", rule.window)
    if rule.repeat is not None:
        positive_ms("repeat", rule.repeat)
    check_quiet(rule.quiet)
    _check_note(rule.note)
    return rule


def check_channel(channel: AlertChannel) -> AlertChannel:
    """Return the channel; BadOption for a URL that no sender can use."""
    if not channel.url or len(channel.url) > MOST_CHARS or not channel.url.isprintable():
        raise BadOption(f"url: give a URL of up to {MOST_CHARS:,} printable characters")
    kind = kind_of(channel)
    if kind == "email":
        _check_mail(channel.url)
    if channel.secret is not None and kind != "webhook":
        raise BadOption("secret: only messages to a webhook are signed; leave it out")
    if channel.secret is not None and not 0 < len(channel.secret) <= MOST_CHARS:
        raise BadOption("secret: give a text, or ${NAME} for a variable of the environment")
    _check_note(channel.note)
    return channel


def kind_of(channel: AlertChannel) -> ChannelKind:
    """Return how the messages of a channel are sent; BadOption for a URL without a scheme."""
    if _VARIABLE.fullmatch(channel.url):
        return "webhook"
    scheme, is_url, rest = channel.url.partition("://")
    if not is_url or not scheme or not rest:
        raise BadOption(
            f"url: {channel.url!r:.40} is no URL; write https://..., smtp://... or one of Apprise"
        )
    if scheme in ("http", "https"):
        return "slack" if rest.startswith(f"{_SLACK}/") else "webhook"
    return "email" if scheme in ("smtp", "smtps") else "apprise"


def shown_url(channel: AlertChannel) -> str:
    """Return as much of the URL as holds no secret: its scheme and its host, or its variable."""
    if _VARIABLE.fullmatch(channel.url):
        return channel.url
    if kind_of(channel) == "apprise":
        return f"{channel.url.partition('://')[0]}://..."
    address = urlsplit(_VARIABLE.sub("x", channel.url))
    port = f":{address.port}" if address.port else ""
    if kind_of(channel) == "email":
        to = ",".join(parse_qs(address.query).get("to", ()))
        return f"{address.scheme}://{address.hostname}{port}/?to={to}"
    return f"{address.scheme}://{address.hostname}{port}/..."


def variables_in(text: str) -> tuple[str, ...]:
    """Return the names of the variables that a text refers to."""
    return tuple(_VARIABLE.findall(text))


def filled(text: str, environment: dict[str, str]) -> str:
    """Return the text with its variables; BadOption names one that is not set."""
    missing = [each for each in variables_in(text) if each not in environment]
    if missing:
        raise BadOption(f"the variable {missing[0]} is not set where messages are sent")
    return _VARIABLE.sub(lambda match: environment[match[1]], text)


def _check_mail(url: str) -> None:
    query = parse_qs(urlsplit(_VARIABLE.sub("x", url)).query)
    for field in ("from", "to"):
        if not query.get(field):
            raise BadOption(
                f"url: {field}= is missing; write smtp://user:password@host:587/?from=A&to=B"
            )


def _check_patterns(field: str, patterns: tuple[str, ...]) -> None:
    if len(patterns) > MOST_NAMES:
        raise BadOption(f"{field}: at most {MOST_NAMES} names")
    for each in patterns:
        if not 0 < len(each) <= MOST_CHARS or not each.isprintable():
            raise BadOption(f"{field}: {each!r:.40} is no name or pattern, such as `mail.*`")


def _check_note(note: str) -> None:
    if len(note) > MOST_CHARS:
        raise BadOption(f"note: at most {MOST_CHARS:,} characters")
