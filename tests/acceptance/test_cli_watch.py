"""`rota runs watch` and `rota runs timeline`, on runs of graphs as they go and after."""

from __future__ import annotations

from rota import App, State
from tests.support.cli import Rota, eventually

FLOW = """
graphs:
  flow:
    parameters: {gate: str}
    nodes:
      first: {command: echo one}
      each: {command: "echo {n}", map: {over: [1, 2, 3], into: n}, after: first, group: loading}
      gate:
        command: ["sh", "-c", 'while [ ! -e "$1" ]; do sleep 0.02; done', "sh", "{gate}"]
        args: {gate: {$param: gate}}
      last: {command: echo last, after: [each, gate]}
  broken:
    nodes:
      bad: {command: "false", retries: 0}
"""


def test_a_run_is_watched_to_its_end(rota: Rota) -> None:
    (rota.folder / "flow.yaml").write_text(FLOW)
    rota.good("apply", "flow.yaml", "--yes")
    gate = rota.folder / "open"
    with rota.serving("worker", "--stored"):
        run = rota.good("submit", "flow", f"gate={gate}").out.strip()
        with rota.started("runs", "watch", run) as watching:
            watching.wait_for("3 of 3 instances")
            gate.touch()
            assert watching.wait() == 0
        lines = watching.text
        bars = rota.good("runs", "timeline", run).out
        (line,) = rota.good("runs", "timeline", run, "--json").documents
        changes = rota.good("runs", "watch", run, "--json").documents

    assert "✔ first  success" in lines
    assert "✔ each  success" in lines
    assert lines.rstrip().endswith("✔ run of flow  success")
    assert "█" in bars
    assert [each["name"] for each in line["tracks"]] == ["first", "each", "gate", "last"]
    assert line["tracks"][1]["instances"] == 3
    assert changes[-1]["node"] is None
    assert (changes[-1]["state"], changes[-1]["progress"]["done"]) == ("success", 4)


def test_watching_ends_as_the_run_does_or_when_time_is_up(rota: Rota) -> None:
    (rota.folder / "flow.yaml").write_text(FLOW)
    rota.good("apply", "flow.yaml", "--yes")
    late = rota.good("submit", "broken").out.strip()

    assert rota("runs", "watch", late, "--timeout", "200ms").code == 6
    with rota.serving("worker", "--stored"), App(rota.env["ROTA_URL"]) as app:
        eventually(lambda: app.run(late).state is State.FAILED, "the run has failed")
        said = rota("runs", "watch", late)

    assert said.code == 7
    assert "✖ bad  failed" in said.out
    assert "node bad failed" in said.err


def test_a_graph_whose_nodes_run_is_called_running_and_a_paused_one_paused(rota: Rota) -> None:
    (rota.folder / "flow.yaml").write_text(FLOW)
    rota.good("apply", "flow.yaml", "--yes")
    gate = rota.folder / "open"

    def listed(*more: str) -> list[list[str]]:
        lines = rota.good("runs", "list", "--job", "flow", *more).out.splitlines()[1:]
        return [line.split()[:3] for line in lines]

    with rota.serving("worker", "--stored"), App(rota.env["ROTA_URL"]) as app:
        run = rota.good("submit", "flow", f"gate={gate}").out.strip()
        eventually(lambda: app.run(run).state is State.SUSPENDED, "its nodes have begun")
        goes_on = listed("--state", "running")
        shown = rota.good("runs", "show", run).out.splitlines()
        (document,) = rota.good("runs", "show", run, "--json").documents
        bars = rota.good("runs", "timeline", run).out.splitlines()
        rota.good("graph", "pause", run)
        paused = listed()
        page = rota.good("runs", "show", run).out.splitlines()
        found = rota("runs", "list", "--job", "flow", "--state", "running").out
        rota.good("graph", "resume", run)
        with rota.started("runs", "watch", run) as watching:
            watching.wait_for("run of flow  running")
            gate.touch()
            assert watching.wait() == 0

    assert goes_on == [[run, "flow", "running"]]
    assert [line.split() for line in shown if line.startswith("state")] == [["state", "running"]]
    assert document["state"] == "suspended"
    assert bars[0].startswith("flow  running  ")
    assert paused == [[run, "flow", "paused"]]
    assert [line.split() for line in page if line.startswith("state")] == [["state", "paused"]]
    assert found == ""
