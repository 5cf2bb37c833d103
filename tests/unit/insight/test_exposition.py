"""The text form of metrics, read back by the parser of Prometheus' own library."""

from __future__ import annotations

import math

from prometheus_client.parser import text_string_to_metric_families as parse

from rota.rules.insight.exposition import BOUNDS_MS, Family, Sample, histogram, render
from rota.rules.insight.histogram import STEPS_OF_E


def test_names_that_hold_every_awkward_sign_come_back_as_they_are() -> None:
    for text in ('a"b', "a\\b", "a\nb", "a\\nb", "\\", "é {x} #", ""):
        family = Family("rota_x", "gauge", f"About {text}.", [Sample({"job": text}, 1.5)])
        (seen,) = parse(render([family]))
        assert (seen.samples[0].labels, seen.samples[0].value) == ({"job": text}, 1.5)


def test_numbers_are_exact() -> None:
    values = [0.0, 1.0, 12345678901.0, 0.001, 1 / 3]
    family = Family("rota_x", "gauge", "X.", [Sample({}, value) for value in values])

    (seen,) = parse(render([family]))

    assert [round(each.value, 6) for each in seen.samples] == [round(each, 6) for each in values]
    assert "e" not in render([family]).split("}", 1)[1]


def test_a_family_without_lines_is_not_there() -> None:
    assert render([Family("rota_x_total", "counter", "X.", [])]) == ""


def test_a_histogram_adds_up() -> None:
    spread = {math.floor(STEPS_OF_E * math.log(1 + ms)): count for ms, count in TIMES.items()}

    (seen,) = parse(render([Family("rota_t", "histogram", "T.", histogram({}, spread))]))

    buckets = [each.value for each in seen.samples if each.name == "rota_t_bucket"]
    ends = {each.name: each.value for each in seen.samples if each.name != "rota_t_bucket"}
    assert buckets == sorted(buckets)
    assert len(buckets) == len(BOUNDS_MS) + 1
    assert buckets[-1] == ends["rota_t_count"] == sum(TIMES.values())
    exact_s = sum(ms * count for ms, count in TIMES.items()) / 1000
    assert abs(ends["rota_t_sum"] - exact_s) < exact_s / 8
    assert histogram({}, {}, 0)[-1].value == 0


TIMES = {0: 4, 3: 1, 80: 10, 900: 5, 60_000: 2, 90_000_000: 1}
"""How many took so many milliseconds."""
