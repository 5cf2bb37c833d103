"""Rules of labels: which are allowed, how they read as text, and whether a condition holds."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from rota.errors import BadOption
from rota.model.runs.labels import (
    LONGEST_VALUE,
    MOST_LABELS,
    Comparison,
    LabelCondition,
    LabelKind,
    Labels,
    LabelValue,
)

MOST_CONDITIONS = 10
LARGEST = 2**53
"""Above it not every whole number is a number of JSON."""
_NAME = r"[A-Za-z_][A-Za-z0-9_./-]{0,63}"
_IS_NAME = re.compile(_NAME)
_CONDITION = re.compile(rf"\s*({_NAME})\s*(?:(=|>=|<=|>|<)(.*))?", re.DOTALL)


def read_labels(field: str, value: object) -> Labels:
    """Return the labels in the form in which they are stored; BadOption names the bad one."""
    if not isinstance(value, Mapping):
        raise BadOption(f"{field}={value!r:.64} is not a mapping from names to values")
    if len(value) > MOST_LABELS:
        raise BadOption(f"{field}: {len(value)} labels are too many; give up to {MOST_LABELS}")
    return {check_label_name(field, name): _value(field, name, value[name]) for name in value}


def read_changes(field: str, value: object) -> tuple[Labels, frozenset[str]]:
    """Return the labels to set and the names to remove, which have None as their value."""
    if not isinstance(value, Mapping):
        raise BadOption(f"{field}={value!r:.64} is not a mapping from names to values")
    gone = [check_label_name(field, name) for name in value if value[name] is None]
    return (
        read_labels(field, {name: each for name, each in value.items() if each is not None}),
        frozenset(gone),
    )


def check_label_name(field: str, name: object) -> str:
    """Return the name of a label if it fits URLs, files and conditions."""
    if isinstance(name, str) and _IS_NAME.fullmatch(name):
        return name
    raise BadOption(
        f"{field}: {name!r:.80} is not a name for a label: use up to 64 letters, digits "
        "and _ . / -, starting with a letter or _"
    )


def check_count(labels: Mapping[str, object]) -> None:
    """BadOption when one run would have more labels than allowed."""
    if len(labels) > MOST_LABELS:
        raise BadOption(
            f"labels: the run would have {len(labels)} labels; up to {MOST_LABELS} are allowed"
        )


def merged(*parts: Mapping[str, LabelValue] | None) -> Labels | None:
    """Return the labels of all parts, where later ones win; None if there are none.

    Never raises, since schedules start runs with it: each part was checked when it was given.
    """
    labels: Labels = {}
    for part in parts:
        if part:
            labels.update(part)
    return labels or None


def kind_of(value: LabelValue) -> LabelKind:
    """Return the kind under which a value is stored."""
    if isinstance(value, bool):
        return "flag"
    return "text" if isinstance(value, str) else "number"


def is_same(left: LabelValue, right: LabelValue) -> bool:
    """Whether two values are shown alike and of one kind; True is not 1."""
    return kind_of(left) == kind_of(right) and text_of(left) == text_of(right)


def text_of(value: LabelValue) -> str:
    """Return a value as text, in the one form that conditions compare."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)


def value_of(kind: str, text: str) -> LabelValue:
    """Return the value of a stored label."""
    if kind == "flag":
        return text == "true"
    if kind != "number":
        return text
    return int(text) if text.lstrip("-").isdigit() else float(text)


def instant_text(value: datetime) -> str:
    """Return an instant in UTC with milliseconds: such texts are in the order of time."""
    return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse_condition(text: str) -> LabelCondition:
    """Read `team=billing`, `amount>10` or `urgent`; BadOption says what is wrong."""
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise BadOption(
            f"label={text!r:.100} is not a condition: write name=value, name>value (>=, <, <=), "
            "or a name alone for runs that have it"
        )
    comparison = cast("Comparison", match[2] or "")
    value = (match[3] or "").strip()
    if comparison not in ("", "="):
        value = _as_instant(value)
    return LabelCondition(match[1], comparison, value)


def parse_conditions(texts: Iterable[str] | None) -> tuple[LabelCondition, ...]:
    """Read all conditions, each once."""
    conditions = tuple(dict.fromkeys(parse_condition(text) for text in texts or ()))
    if len(conditions) > MOST_CONDITIONS:
        raise BadOption(
            f"label: {len(conditions)} conditions are too many; give up to {MOST_CONDITIONS}"
        )
    return conditions


def condition_texts(wanted: Mapping[str, Any] | Sequence[str] | None) -> list[str]:
    """Return conditions as texts: of a mapping from names to values, or of texts as they are."""
    if wanted is None:
        return []
    if isinstance(wanted, Mapping):
        return [f"{name}={text_of(value)}" for name, value in read_labels("labels", wanted).items()]
    return [wanted] if isinstance(wanted, str) else list(wanted)


def matches(conditions: Iterable[LabelCondition], labels: Mapping[str, LabelValue]) -> bool:
    """Whether labels meet all conditions."""
    return all(each.name in labels and _meets(each, labels[each.name]) for each in conditions)


def _meets(condition: LabelCondition, value: LabelValue) -> bool:
    if condition.comparison == "":
        return True
    if condition.comparison == "=":
        return text_of(value) == condition.value
    if isinstance(value, bool):
        return False
    if isinstance(value, str):
        return _compares(condition.comparison, value, condition.value)
    try:
        return _compares(condition.comparison, value, float(condition.value))
    except ValueError:
        return False


def _compares(comparison: Comparison, left: Any, right: Any) -> bool:
    match comparison:
        case ">":
            return bool(left > right)
        case ">=":
            return bool(left >= right)
        case "<":
            return bool(left < right)
        case _:
            return bool(left <= right)


def _value(field: str, name: object, value: object) -> LabelValue:
    if isinstance(value, datetime):
        if value.utcoffset() is None:
            raise BadOption(f"{field}: {name}={value!r:.64} is an instant without a time zone")
        return instant_text(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return _number(field, name, value)
    if not isinstance(value, str):
        raise BadOption(
            f"{field}: {name}={value!r:.64} is not a text, a number, true or false, or an instant"
        )
    if not 0 < len(value) <= LONGEST_VALUE or not value.isprintable():
        raise BadOption(
            f"{field}: {name}={value!r:.64} is not a text of 1 to {LONGEST_VALUE} "
            "printable characters"
        )
    return value


def _number(field: str, name: object, value: float) -> LabelValue:
    """Return the number; a whole one always as an integer, so that 12.0 is found as 12."""
    if not math.isfinite(value) or (isinstance(value, int) and abs(value) > LARGEST):
        raise BadOption(f"{field}: {name}={value!r:.64} is not a number up to 2^53")
    return int(value) if abs(value) <= LARGEST and value == int(value) else value


def _as_instant(value: str) -> str:
    """Return an instant with a zone in the form of stored ones; other texts as they are."""
    try:
        instant = datetime.fromisoformat(value)
    except ValueError:
        return value
    return value if instant.utcoffset() is None else instant_text(instant)
