"""Safe expressions: what they see, what is refused when they are read, what they may cost."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rota.errors import BadExpression
from rota.rules.graphs.expressions.cel import MAX_CHARS, Condition, Expression, Names, Values
from rota.rules.graphs.expressions.text import loops_in, tokens_of

NAMES = Names(nodes=("load", "clean"), params=("day", "n"), has_item=True)
VALUES = Values(
    results={"load": {"rows": 3, "names": ["a", "b"]}},
    states={"load": "success"},
    params={"day": "2026-11-16", "n": 2},
    item={"id": 7},
    position=4,
)


def evaluated(text: str, values: Values = VALUES) -> object:
    return Expression.parse(text, NAMES, where="node 'x': args.a").evaluate(values)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("nodes.load.result.rows > 0", True),
        ("nodes.load.result.rows * params.n", 6),
        ("nodes.load.state == 'success' && params.day.startsWith('2026')", True),
        ("nodes.clean.result == null && nodes.clean.state == 'pending'", True),
        ("[params.day, string(item.id), string(index)]", ["2026-11-16", "7", "4"]),
        ("nodes.load.result.names.map(n, n + '!')", ["a!", "b!"]),
        ("{'a': [1.5, true, null]}", {"a": [1.5, True, None]}),
        ("params.day == 'nodes.nobody.result'", False),
        ("params.day == r'\\d' // nodes.nobody.result", False),
        (".nodes . load .\n result.rows", 3),
    ],
)
def test_an_expression_gives_plain_json(text: str, value: object) -> None:
    assert evaluated(text) == value


def test_an_expression_knows_the_names_that_it_mentions() -> None:
    found = Expression.parse("nodes.load.result.params.x + params.n + size('nodes.a.b')", NAMES)

    assert found.mentioned.nodes == {"load"}
    assert found.mentioned.params == {"n"}
    assert not found.mentioned.item


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nodes.lod.result > 1", r"node 'x': args.a: there is no node 'lod'. Did you mean 'load'"),
        ("params.dy", "there is no parameter 'dy'. Did you mean 'day'"),
        ("nodes.load.rslt", "nodes.load.rslt'; a node has result, state and error"),
        ("nodes.load.error.mesage", "has no 'mesage'. Did you mean 'message'"),
        ("nodes['load']", "undeclared reference to 'nodes'"),
        ("nothing > 1", "column 1: undeclared reference to 'nothing'"),
        ("1 + 'a'", "no matching overload"),
        ("1 +", "column 4: Syntax error"),
        (" ", "the expression is empty"),
        ("1" * (MAX_CHARS + 1), "more than 4,096 characters"),
        ("(" * 2_000, "recursion"),
        ("['x']" + ".map(a, a + a)" * 9, "may copy a value more than 64 times"),
        ("__import__('os')", "undeclared reference"),
    ],
)
def test_a_wrong_expression_is_refused_when_it_is_parsed(text: str, says: str) -> None:
    with pytest.raises(BadExpression, match=says):
        Expression.parse(text, NAMES, where="node 'x': args.a")


def test_only_a_mapped_node_has_an_item() -> None:
    with pytest.raises(BadExpression, match="only a mapped node"):
        Expression.parse("item.id", Names())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nodes.load.result.nope", "Key not found"),
        ("nodes.load.result.rows / 0", "divide by zero"),
        ("1.0 / 0.0", "JSON cannot hold"),
        ("nodes.load.result.rows * 2.5", r"cannot be mixed: write double\(x\)"),
        ("{1: 2}", "key 1, which is no text"),
        ("timestamp('2026-01-01T00:00:00Z')", "use string"),
    ],
)
def test_an_expression_without_a_value_says_why(text: str, says: str) -> None:
    with pytest.raises(BadExpression, match=rf"node 'x': args.a.*{says}"):
        evaluated(text)


RANGE = "[0,1,2,3,4,5,6,7,8,9]"


@pytest.mark.parametrize(
    ("text", "params", "says"),
    [
        ("params.n.all(x, params.day == params.day)", ("x" * 30_000, [1]), "too large to be read"),
        ("params.n.map(x, x)", ("", list(range(1_001))), "too large for map and filter"),
        ("params.n.map(x, x + x).size()", ("", ["x" * 10_000]), "too large to be read"),
        (
            f"{RANGE}.map(a,{RANGE}.map(b,{RANGE}.map(c,{RANGE}.map(d,{RANGE}.map(e,1)))))",
            ("", 0),
            "more than 10,000 steps",
        ),
        (f"{RANGE}.map(a,{RANGE}.map(b,{RANGE}.map(c,params.day)))", ("x" * 9_000, 0), "more than"),
    ],
)
def test_a_bomb_is_refused_before_it_costs_anything(
    text: str, params: tuple[str, object], says: str
) -> None:
    values = Values({}, {}, {"day": params[0], "n": params[1]})

    with pytest.raises(BadExpression, match=says):
        evaluated(text, values)


def test_a_loop_over_many_items_that_builds_nothing_is_fine() -> None:
    values = Values({}, {}, {"day": "", "n": [{"a": at} for at in range(9_000)]})

    assert evaluated("params.n.exists(x, x.a == 8999)", values) is True


def test_a_condition_is_true_or_false_and_nothing_else() -> None:
    assert Condition.parse("nodes.load.result.rows > 2", NAMES).holds(VALUES)
    assert not Condition.parse("nodes.load.result.rows > 3", NAMES).holds(VALUES)
    with pytest.raises(BadExpression, match="never true or false but int"):
        Condition.parse("1 + 1", NAMES)
    with pytest.raises(BadExpression, match="is not true or false; compare it"):
        Condition.parse("nodes.load.result.rows", NAMES).holds(VALUES)


PIECES = ("nodes", "load", ".", "result", "params", "n", "(", ")", "[", "]", "map", "x", ",", "+")


@settings(max_examples=150, deadline=None)
@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
    | st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join)
)
def test_any_text_is_evaluated_or_refused(text: str) -> None:
    try:
        evaluated(text)
    except BadExpression:
        return


def test_loops_in_loops_are_counted_in_one_pass() -> None:
    """240 of them, each around the next, as many as the text may hold."""
    text = "".join(f"params.a.all(x{number}, " for number in range(240))[:4000]
    tokens = Counted(tokens_of(text))

    loops = loops_in(tokens)

    assert loops is not None
    assert tokens.read < 20 * len(tokens)


class Counted(list[tuple[str, str]]):
    """Counts what is read of it."""

    read = 0

    def __getitem__(self, at: Any) -> Any:
        found = super().__getitem__(at)
        self.read += len(found) if isinstance(at, slice) else 1
        return found


HOSTILE = st.text(
    st.sampled_from("ab\0\x01\n\r'\"\\\x7f\x85\u2028\ufeff\uffff\U0010ffffä😀"), max_size=6
)
WILD = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), HOSTILE),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(HOSTILE, inner, max_size=3)
    ),
    max_leaves=6,
)


@pytest.mark.slow
@given(value=WILD, other=HOSTILE)
def test_hostile_texts_come_out_as_they_went_in_or_are_refused(value: Any, other: str) -> None:
    values = Values({}, {}, {"day": value, "n": other})
    for text, wanted in (
        ("[params.day, params.n]", [value, other]),
        ("params.day == params.n", value == other),
        ("params.n + '!'", other + "!"),
        ("size(params.n)", len(other)),
    ):
        if "\\x00" in repr((value, other) if "day" in text else other):
            with pytest.raises(BadExpression) as caught:
                evaluated(text, values)
            assert str(caught.value).startswith(f"node 'x': args.a: {text}: params.")
        else:
            assert evaluated(text, values) == wanted


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ("admin\0x", "params.day holds"),
        ({"name": ["a", "admin\0x"]}, "params.day['name'][1] holds"),
        ({"a\0b": 1}, "params.day['a\\x00b'] holds"),
    ],
)
def test_a_text_that_would_be_cut_is_named(value: object, place: str) -> None:
    with pytest.raises(BadExpression) as caught:
        evaluated("params.day == 'admin'", Values({}, {}, {"day": value}))

    assert str(caught.value) == (
        f"node 'x': args.a: params.day == 'admin': {place} a zero character (\\x00), which "
        "expressions cannot read; let a job take it out"
    )


def test_what_an_expression_does_not_ask_for_may_have_any_text() -> None:
    error = {"type": "ValueError", "message": "bad \0 byte"}
    values = Values(
        {"load": "a\0"}, {"load": "failed"}, {"day": "\0", "n": 1}, errors={"load": error}
    )

    assert evaluated(
        "nodes.load.state == 'failed' && nodes.load.error.type == 'ValueError'", values
    )
    assert evaluated("'a\\x00b' + string(params.n)", values) == "a\0b1"
    with pytest.raises(BadExpression, match=r"nodes\.load\.error\.message holds a zero"):
        evaluated("nodes.load.error.message", values)
    with pytest.raises(BadExpression, match="no zero character"):
        evaluated("format('2026-11-16', '%Y\\x00')", values)
