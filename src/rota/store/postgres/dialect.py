"""The PostgreSQL dialect: types, fragments of shared statements, and how batches travel."""

from __future__ import annotations

from rota.store.row_shapes import Shape
from rota.store.statements import Dialect

TYPES = {
    "uuid": "uuid",
    "int": "int",
    "bigint": "bigint",
    "bool": "boolean",
    "text": "text",
    "real": "real",
}


def _rows(shape: Shape) -> str:
    columns = ", ".join(f"{name} {TYPES[kind]}" for name, kind in shape.items())
    names = ", ".join(shape)
    return f"(select {names} from json_to_recordset(cast(:batch as json)) as j({columns}))"


def _ms(clock: str) -> str:
    # Not rounded: half of all times would be a bit in the future, and runs start early.
    whole = f"floor(date_part('epoch', {clock}) * 1000)"
    return f"coalesce(cast(:now as bigint), cast({whole} as bigint))"


DIALECT = Dialect(
    name="postgres",
    now=_ms("statement_timestamp()"),
    clock=_ms("clock_timestamp()"),
    types=TYPES,
    sql={
        "skip_locked": "for update skip locked",
        "lock": "for update of run",
        # Not a join: a plan kept for any limit would expect to update a tenth of the table. And
        # an array is made once, where a plain subquery may run again and overshoot its limit.
        "among": "= any (array(",
        "end_among": "))",
        "greatest": "greatest",
        "sole_key": "",
        "narrow": "with (fillfactor = 50)",
        # Rows come and go in seconds: vacuum early, and without pauses.
        "hot": (
            "with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02,"
            " autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0)"
        ),
        "by_state": "partition by list (state)",
        "by_ended": "partition by range (ended_at)",
    },
    rows=_rows,
    each=lambda param: f"select json_array_elements_text(cast(:{param} as json))",
    # An array, not a join: joined, a small history was read whole for each waiting client.
    ids=lambda param: (
        f"= any (array(select cast(json_array_elements_text(cast(:{param} as json)) as uuid)))"
    ),
    param=lambda name: f"%({name})s",
    schema="rota.",
    transaction_limit_s=30.0,
    is_limit_fixed=False,
    lead_s=0.004,
    lead_limit_s=0.03,  # it delays nobody else
)
