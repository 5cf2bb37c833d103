"""Text of others in what we make of it: the sign-in page, lines of logs."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from itertools import product

from rota.api.signin import page
from rota.cli.safe_text import _HOSTILE, _INERT
from rota.cli.serve.log_lines import line_in

QUOTES = ("", '"', "'", "`", "-->", "]]>", "</p>", "</title>", "</script>", "\x00")
ELEMENTS = (
    "<script>hurt()</script>",
    "<img src=x onerror=hurt()>",
    "<svg/onload=hurt()>",
    "<iframe src=javascript:hurt()>",
    "<a href=javascript:hurt()>x</a>",
    "<math><mi xlink:href=javascript:hurt()>",
    "<body onload=hurt()>",
    "<style>*{background:url(javascript:hurt())}</style>",
    "<base href=//evil.example>",
    "<meta http-equiv=refresh content=0;url=//evil.example>",
)
SIGNS = ("\x1b[31mred\x1b[0m", "\x1b]8;;http://evil.example\x07x\x1b]8;;\x07", "\r\nERROR forged")
MORE = (
    "\u202etxt.exe",
    "\u2066x\u2069",
    "\u2028alert(1)",
    "&lt;script&gt;",
    "&#60;script&#62;",
    "{{7*7}}",
    "${7*7}",
    "javascript:hurt()",
    "data:text/html,<script>hurt()</script>",
    "%3Cscript%3E",
    "\x7f\x9b31m",
    " onmouseover=hurt() ",
)
VECTORS = (
    *(quote + element for quote, element in product(QUOTES, ELEMENTS)),
    *(f"{sign}{element}" for sign, element in product(SIGNS, ELEMENTS)),
    *(f"{more}{element}" for more, element in product(MORE[:6], ELEMENTS)),
    *(f"{quote} onfocus=hurt() autofocus x={quote}" for quote in QUOTES),
    *SIGNS,
    *MORE,
)


class Shape(HTMLParser):
    """Which elements and attributes a page has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(name for name, _ in attrs)))


def test_there_are_enough_of_them() -> None:
    assert len(set(VECTORS)) >= 200


def test_the_sign_in_page_has_no_element_more_whatever_it_is_told() -> None:
    for vector in VECTORS:
        assert Shape(page(alarm=vector)).found == Shape(page(alarm="x")).found, vector
        assert Shape(page(about=vector)).found == Shape(page(about="x")).found, vector
        kept, plain = page(kept={"ticket": vector}), page(kept={"ticket": "x"})
        assert Shape(kept).found == Shape(plain).found, vector


def test_one_event_is_one_line_whatever_it_tells() -> None:
    for vector in VECTORS:
        plain = line_in("text")("warning", "refused", {"detail": vector, "who": vector})
        machine = line_in("json")("warning", "refused", {"detail": vector, "who": vector})
        assert not any(sign in plain + machine for sign in "\n\r\x1b\x07\x00\x9b\u202e\u2066"), (
            vector
        )
        assert plain.splitlines() == [plain], vector
        assert json.loads(machine)["detail"] == vector


def test_every_character_that_must_not_reach_a_terminal_is_noticed_and_no_other() -> None:
    noticed = {code for code in range(0x10000) if _HOSTILE.match(chr(code))}

    assert noticed == _INERT.keys()
