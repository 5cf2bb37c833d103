"""YAML by the rules of 1.2: what stays text, what is refused, and that it always ends soon."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.errors import BadFile
from rota.rules.jobs.files.write import write_jobs
from rota.rules.jobs.files.yaml12 import MAX_BYTES, read_yaml

BOMB = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"a{at}: &a{at} [{','.join([f'*a{at - 1}'] * 9)}]\n" for at in range(1, 9)
)


def read(text: str) -> Any:
    (document,) = read_yaml(text.encode(), "f.yaml")
    return document.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("NO", "NO"),
        ("on", "on"),
        ("yes", "yes"),
        ("12:30:45", "12:30:45"),
        ("2026-01-01", "2026-01-01"),
        ("1_000", "1_000"),
        ("010", 10),
        ("0o10", 8),
        ("0x1F", 31),
        ("-7", -7),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("1.", 1.0),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("'true'", "true"),
        ('"12"', "12"),
        ("!!str 12", "12"),
        ("=", "="),
        ("|\n  a\n  b\n", "a\nb\n"),
    ],
)
def test_a_scalar_is_what_version_1_2_says(text: str, value: object) -> None:
    assert read(f"it: {text}\n") == {"it": value}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: 1\na: 2\n", "f.yaml:2:1: 'a' is given twice"),
        ("jobs:\n  x:\n    q: 1\n    q: 2\n", "f.yaml:4:5: jobs.x: 'q' is given twice"),
        ("a: !!python/object:os.system x", "f.yaml:1:4: a: the tag"),
        ("a: !!binary aGk=", "is not allowed"),
        ("a: !mine {b: 1}", "f.yaml:1:4: a: the tag '!mine' is not allowed"),
        ("a:\n\t- b", "f.yaml:2:1: not YAML"),
        ("a: b: c", "f.yaml:1:5: not YAML"),
        ("? [1]\n: 2", "a name must be a text"),
        ("1: 2", "f.yaml:1:1: a name must be a text; write it in quotes"),
        ("a: .nan", "not a JSON number"),
        ("a: -.inf", "not a JSON number"),
        ("x: 99999999999999999999", "must be written in quotes"),
        ("a: &x {b: 1}\nc:\n  <<: *x\n", "f.yaml:3:3: c: `<<` is not YAML 1.2"),
        ("&a [*a]", "expand to too many values"),
        (BOMB, "expand to too many values"),
        ("[" * 100_000, "f.yaml:1:33: nested more than 32 deep"),
        ("- " * 100_000, "nested more than 32 deep"),
        ("a: [" + "&x 1, " + "*x, " * 101 + "]", "more than 100 aliases"),
        ("a: \x07", "f.yaml"),
        ("%YAML 9.9\n---\na: 1", "not YAML"),
        ("a: *nobody", "f.yaml:1:4: not YAML"),
    ],
)
def test_a_refused_yaml_file_names_the_place(text: str, says: str) -> None:
    with pytest.raises(BadFile) as caught:
        read(text)

    assert says in str(caught.value)


def test_a_file_that_is_too_long_or_no_text_is_refused() -> None:
    with pytest.raises(BadFile, match="split the file"):
        read_yaml(b"#" * (MAX_BYTES + 1), "f.yaml")
    with pytest.raises(BadFile, match=r"f\.yaml:2: not UTF-8"):
        read_yaml(b"a: 1\nb: \xff\n", "f.yaml")


def test_several_documents_are_read_one_by_one() -> None:
    assert [each.value for each in read_yaml(b"--- 1\n---\na: 2\n---\n", "f")] == [
        1,
        {"a": 2},
        None,
    ]


SIGNS = st.sampled_from(list("[]{}:,-?&*!|>'\"%@`#\n\t ~ab01.<=")) | st.characters()


@given(st.text(SIGNS, max_size=4096))
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    """Anything but a list or BadFile is an error of ours; hypothesis watches the time."""
    try:
        found = read_yaml(text.encode("utf-8", "surrogatepass"), "f.yaml")
    except BadFile:
        return
    assert isinstance(found, list)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=40),
    lambda each: (
        st.lists(each, max_size=4) | st.dictionaries(st.text(max_size=9), each, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON)
def test_written_yaml_reads_back_as_the_same_value(value: Any) -> None:
    text = write_jobs({"it": value})

    assert read(text) == {"jobs": {"it": value}}
