"""What the random histories ask for: submits and verdicts, with values that meet each other."""

from __future__ import annotations

from hypothesis import strategies as st

from rota.model.runs.run import Lease, Verdict

QUEUES = ["a", "b"]
DELAY_MS = 70
VERBS = st.sampled_from(["succeed", "retry", "fail", "release", "abort"])
ASKS = st.fixed_dictionaries(
    {
        "queue": st.sampled_from(QUEUES),
        "priority": st.sampled_from([0, 0, 1, -10]),
        "delay_ms": st.sampled_from([None, None, 0, 50, 5_000]),
        "expires_ms": st.sampled_from([None, None, 100, 30_000]),
        "at_most_once": st.booleans(),
        "key": st.sampled_from([None, None, None, "k", "l"]),
        "args": st.sampled_from(["{}", '{"a":1}']),
    }
)


def as_verdict(lease: Lease, verb: str) -> Verdict:
    return Verdict(
        run_id=lease.run_id,
        fence=lease.fence,
        verb=verb,  # type: ignore[arg-type]  # one of VERBS
        kind="error" if verb in ("retry", "fail") else None,
        result="1" if verb == "succeed" else None,
        delay_ms=DELAY_MS,
    )
