"""Attempt tokens: good for one attempt of one run, from one worker with one token."""

from __future__ import annotations

import random
import string

import pytest

from rota.errors import NotPermitted
from rota.ids import new_id
from rota.rules.security.attempt_tokens import Facts, Seal, make_token, read_token

SEAL = Seal(key="5a" * 32, worker_id=new_id(), token_id=new_id())
RUN = new_id()
FACTS = Facts("resize", 2, 1_700_000_000_000)
SIGNS = string.ascii_letters + string.digits + "._-"


def test_a_token_tells_what_it_was_made_with() -> None:
    assert read_token(SEAL, RUN, 7, make_token(SEAL, RUN, 7, FACTS)) == FACTS


@pytest.mark.parametrize(
    ("seal", "run_id", "fence"),
    [
        (SEAL, RUN, 8),
        (SEAL, new_id(), 7),
        (Seal(key="5b" * 32, worker_id=SEAL.worker_id, token_id=SEAL.token_id), RUN, 7),
        (Seal(key=SEAL.key, worker_id=new_id(), token_id=SEAL.token_id), RUN, 7),
        (Seal(key=SEAL.key, worker_id=SEAL.worker_id, token_id=new_id()), RUN, 7),
    ],
    ids=["fence", "run", "key", "worker", "bearer"],
)
def test_for_anything_else_it_is_refused(seal: Seal, run_id: str, fence: int) -> None:
    token = make_token(SEAL, RUN, 7, FACTS)

    with pytest.raises(NotPermitted):
        read_token(seal, run_id, fence, token)


def test_none_of_a_hundred_thousand_mutations_is_accepted() -> None:
    token = make_token(SEAL, RUN, 7, FACTS)
    dice = random.Random(13)
    accepted = 0
    for number in range(100_000):
        place = number % len(token)
        sign = dice.choice(SIGNS.replace(token[place], ""))
        try:
            read_token(SEAL, RUN, 7, token[:place] + sign + token[place + 1 :])
            accepted += 1
        except NotPermitted:
            pass
    assert accepted == 0


@pytest.mark.parametrize("token", ["", ".", "a.b", "x" * 100_000, "é.ü", "=.=", "\0"])
def test_a_malformed_attempt_token_is_refused(token: str) -> None:
    with pytest.raises(NotPermitted):
        read_token(SEAL, RUN, 7, token)


@pytest.mark.parametrize("cut", [1, 10, 64, 65])
def test_a_part_of_one_is_none(cut: int) -> None:
    token = make_token(SEAL, RUN, 7, FACTS)

    with pytest.raises(NotPermitted):
        read_token(SEAL, RUN, 7, token[:-cut])
    with pytest.raises(NotPermitted):
        read_token(SEAL, RUN, 7, token + token[:cut])
