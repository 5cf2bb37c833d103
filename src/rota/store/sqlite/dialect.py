"""The SQLite dialect: types, fragments of shared statements, and how batches travel."""

from __future__ import annotations

from rota.store.row_shapes import Shape
from rota.store.statements import Dialect


def _rows(shape: Shape, each: str = "json_each") -> str:
    columns = ", ".join(f"value ->> '$.{name}' as {name}" for name in shape)
    return f"(select {columns} from {each}(:batch))"


NOW = "coalesce(:now, cast(unixepoch('subsec') * 1000 as integer))"
DIALECT = Dialect(
    name="sqlite",
    now=NOW,
    clock=NOW,
    types={
        "uuid": "text",
        "int": "integer",
        "bigint": "integer",
        "bool": "integer",
        "real": "real",
        "text": "text",
    },
    sql={
        "skip_locked": "",
        "lock": "",
        "among": "in (",
        "end_among": ")",
        "greatest": "max",
        "sole_key": " primary key",
        "narrow": "",
        "hot": "",
        "by_state": "",
        "by_ended": "",
    },
    rows=_rows,
    each=lambda param: f"select value from json_each(:{param})",
    ids=lambda param: f"in (select value from json_each(:{param}))",
    param=lambda name: f":{name}",
    schema="rota_",
    # There is one writer: everybody waits for it, and other processes give up after 10 s.
    transaction_limit_s=5.0,
    is_limit_fixed=True,
    # Short, because whoever holds the only writer blocks everybody else.
    lead_s=0.0015,
    lead_limit_s=0.0015,
)
# Users bring connections to older ones. In ours an element stays parsed for all its columns, which
# halves the time of a batch of log lines.
OWN = DIALECT._replace(rows=lambda shape: _rows(shape, "jsonb_each"))
