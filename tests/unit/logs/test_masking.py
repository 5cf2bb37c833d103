"""Masking: secrets known by name or by looks vanish, everything else stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.runtime.attempts.error_text import bounded
from rota.runtime.logs.masking import MASK, Masker, secrets_in

ENVIRONMENT = {
    "API_TOKEN": "t0ken-value",
    "DB_PASSWORD": "correct horse",
    "SIGNING_KEY": "-----BEGIN KEY-----\nabcdefgh1234\n-----END KEY-----",
    "DATABASE_URL": "postgresql://shop:s%40lted-pw@db/shop",
    "PIN_SECRET": "1234",
    "HOME": "/home/shop",
    "PWD": "/home/shop",
    "KEYBOARD": "german-layout",
    "MONKEY": "see-no-evil",
}


def test_values_of_variables_with_telling_names_are_secrets() -> None:
    assert set(secrets_in(ENVIRONMENT)) == {
        "t0ken-value",
        "correct horse",
        "-----BEGIN KEY-----",
        "abcdefgh1234",
        "-----END KEY-----",
        "s%40lted-pw",
        "s@lted-pw",
    }


@pytest.mark.parametrize("secret", secrets_in(ENVIRONMENT))
def test_a_known_secret_is_masked_wherever_it_stands(secret: str) -> None:
    masked = Masker.of(ENVIRONMENT)(f"a={secret}{secret} b\n{secret}")

    assert secret not in masked
    assert masked.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Authorization: Bearer abc.def-123", "Authorization: Bearer ***"),
        ("authorization: basic dXNlcjpwYXNz", "authorization: basic ***"),
        ("open postgresql://shop:hunter2@db/x", "open postgresql://shop:***@db/x"),
        ("redis://:hunter2@cache:6379/0 ok", "redis://:***@cache:6379/0 ok"),
        ("password=hunter2 user=me", "password=*** user=me"),
        ('{"password": "hunter2", "a": 1}', '{"password": ***, "a": 1}'),
        ("PASSWORD: hunter2", "PASSWORD: ***"),
        ("api_key=k1&user=me", "api_key=***&user=me"),
        ("aws_secret_access_key = wJalr/K7", "aws_secret_access_key = ***"),
        ("client_secret='s3', x", "client_secret=***, x"),
    ],
)
def test_values_that_look_like_secrets_are_masked(text: str, masked: str) -> None:
    assert Masker()(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "the bearer of this letter",
        "see https://example.com/a:b@c",
        "mail to me@example.com: sent",
        "password changed",
        "token count is 12",
        "key: value",
        "12:30:11 done=yes",
    ],
)
def test_harmless_text_stays_as_it_is(text: str) -> None:
    assert Masker.of(ENVIRONMENT)(text) == text


def test_a_secret_that_begins_like_another_leaves_nothing_behind() -> None:
    assert Masker(["abcdef", "abcdefgh"])("xabcdefghx abcdef") == f"x{MASK}x {MASK}"


def test_more_secrets_can_be_named_for_one_text() -> None:
    assert Masker()("open sesame", ("sesame",)) == f"open {MASK}"


@given(st.text())
def test_the_quick_look_never_overlooks_what_would_be_masked(text: str) -> None:
    masker = Masker(["secret-1"])

    assert masker(text) == text or masker.is_needed(text)
    assert masker(text).count("\n") == text.count("\n")


def test_halves_of_a_secret_beside_a_cut_are_masked() -> None:
    text = bounded("a" * 40 + "secret-1234" + "b" * 200 + "secret-1234" + "c" * 41, 90)

    assert Masker(["secret-1234"]).cut(text).count(MASK) == 2
    assert "secr" not in Masker(["secret-1234"]).cut(text)
    assert "1234" not in Masker(["secret-1234"]).cut(text)


@given(st.text())
def test_a_text_without_a_cut_is_masked_as_any_other(text: str) -> None:
    assert Masker(["secret-1"]).cut(text) == Masker(["secret-1"])(text)
