"""Names that people choose never lead anywhere: not up, not out, not onto the next line."""

from __future__ import annotations

import pytest

from rota.errors import BadOption
from rota.rules.jobs.definitions import check_job_name
from rota.rules.text.names import check_name

HOSTILE = (
    "",
    ".",
    "..",
    "../etc/passwd",
    "a/../b",
    "a..b",
    "/etc/passwd",
    "-rf",
    ".hidden",
    "a b",
    "a\nb",
    "a\r\nSet-Cookie: x",
    "a\n",
    "a\0b",
    "a\tb",
    "a%2e%2e",
    "a\\..\\b",
    "a;b",
    "a|b",
    "a`b`",
    "a$(b)",
    "<b>",
    "a'b",
    'a"b',
    "a{b}",
    "a*",
    "ä",
    "a\u202eb",
    "a\u200bb",
    "\uff0e\uff0e",
    "a\u2028b",
    "x" * 129,
)


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("what", ["job", "queue", "namespace", "template", "calendar"])
def test_no_such_name(what: str, name: str) -> None:
    with pytest.raises(BadOption, match="is not a name"):
        check_name(what, name)
    with pytest.raises(BadOption, match="is not a name"):
        check_job_name(name)


@pytest.mark.parametrize("name", ["shop.mail", "Shop:mail", "team/report", "a-b_c.1", "x" * 128])
def test_names_of_code_have_capitals_colons_and_slashes(name: str) -> None:
    """As modules and queues are called; no name ever becomes a path of a file."""
    assert check_name("job", name) == name


@pytest.mark.parametrize("name", ["A", "a/b", "a:b", "_a", "x" * 121])
def test_names_over_http_are_narrower(name: str) -> None:
    with pytest.raises(BadOption):
        check_job_name(name)
