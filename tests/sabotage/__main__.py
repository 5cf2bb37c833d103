"""`make sabotage`: each bug, the tests that caught it, and how long that took.

Words after the command choose sabotages by parts of their names.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue

from tests.sabotage.edit import Sabotage, StaleEdit
from tests.sabotage.table import SABOTAGES
from tests.sabotage.trial import Trial, Trials

AT_ONCE = 2
WIDTH = max(len(sabotage.name) for sabotage in SABOTAGES)


def main(words: Sequence[str]) -> int:
    chosen = [each for each in SABOTAGES if all(word in each.name for word in words)]
    say(f"{'sabotage':<{WIDTH}}  {'':<6}  {'s':>4}  caught by")
    failed = 0
    with ExitStack() as stack:
        free: SimpleQueue[Trials] = SimpleQueue()
        for _ in range(AT_ONCE):
            free.put(stack.enter_context(Trials()))
        pool = stack.enter_context(ThreadPoolExecutor(AT_ONCE))
        held = pool.map(lambda sabotage: attempt(sabotage, free), chosen)
        for sabotage, trial in zip(chosen, held, strict=True):
            say(line(sabotage, trial))
            failed += bool(trial.complaints)
    say(f"{len(chosen) - failed} of {len(chosen)} as they should be")
    return 1 if failed or not chosen else 0


def attempt(sabotage: Sabotage, free: SimpleQueue[Trials]) -> Trial:
    trials = free.get()
    with tempfile.TemporaryDirectory(prefix="rota-sabotage-") as folder:
        try:
            return trials.hold(sabotage, Path(folder))
        except (StaleEdit, AssertionError) as error:
            return Trial(took_s=0.0, complaints=(str(error),), is_skipped=False)
        finally:
            free.put(trials)


def line(sabotage: Sabotage, trial: Trial) -> str:
    if trial.complaints:
        verdict, said = "MISSED", "; ".join(trial.complaints)
    elif trial.is_skipped:
        verdict, said = "skip", "its tests were skipped"
    else:
        verdict = "passes" if sabotage.is_harmless else "caught"
        said = ", ".join(test.rpartition("::")[2] for test in sabotage.caught_by)
    return f"{sabotage.name:<{WIDTH}}  {verdict:<6}  {trial.took_s:4.1f}  {said}"


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
