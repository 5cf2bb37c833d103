"""Where `rota dead` asks, be it a database or a server; both answer with the same views."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from rota.cli.connect.server_client import server_client
from rota.cli.connect.store_app import LEAST_CHARS, client
from rota.cli.options import settings
from rota.errors import BadArguments, BadInput, UnknownRun
from rota.ids import is_id
from rota.rules.text.json_keys import check_keys

if TYPE_CHECKING:
    from rota.app import App
    from rota.app.dead_letters import DeadLetters
    from rota.cli.connect.run_backends import Handle
    from rota.client import Client
    from rota.client.letters import ServedLetters
    from rota.engine.failures.redrive import Redriven
    from rota.settings.table import Settings

RECENT = 1_000
"""Short ids are looked for among so many of the newest letters at a server."""
Told = Callable[[int], None]


class DeadLetterBackend(Protocol):
    """What the verbs ask for."""

    @property
    def letters(self) -> DeadLetters | ServedLetters: ...
    def now(self) -> int: ...
    def run(self, run_id: str) -> Handle: ...
    def find(self, text: str) -> str: ...
    def count(self, group: str) -> int: ...
    def redrive(
        self, ids: list[str], asked: dict[str, Any], told: Told | None
    ) -> list[Redriven]: ...
    def discard(self, ids: list[str], asked: dict[str, Any], told: Told | None) -> int: ...


@contextmanager
def letter_desk(flags: dict[str, Any]) -> Iterator[DeadLetterBackend]:
    """A server if the settings name one, else the store."""
    said = settings(flags)
    if said.server is not None:
        if flags.get("who"):
            raise BadInput("--who: at a server the token says who it is")
        with server_client(said) as served:
            yield ServerDeadLetters(served)
        return
    app = _app(said, flags)
    try:
        yield StoreDeadLetters(app)
    finally:
        app.close()


def _app(said: Settings, flags: dict[str, Any]) -> App:
    """With an app at hand, other arguments can be checked against its functions."""
    if flags.get("args") is None or said.app is None:
        return client(said)
    from rota.cli.loading import load_app

    return load_app(said)


def read_args(text: str | None) -> dict[str, Any] | None:
    """Other arguments, as one object."""
    if text is None:
        return None
    check_keys(text)
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError as error:
        wanted = '{"order": 14}'
        raise BadArguments(f"--args is not an object such as {wanted}: {error}") from error


def _checked(text: str) -> str:
    text = text.lower()
    if not is_id(text) and len(text) < LEAST_CHARS:
        raise BadInput(f"{text!r} is too short for a run's id; give {LEAST_CHARS} characters of it")
    return text


class StoreDeadLetters:
    """Straight to the database."""

    def __init__(self, app: App) -> None:
        self._app = app

    @property
    def letters(self) -> DeadLetters:
        return self._app.dead_letters

    def now(self) -> int:
        from rota.engine.runs.find import now_ms

        return self._app.store.read(now_ms)

    def run(self, run_id: str) -> Handle:
        return self._app.run(run_id)

    def find(self, text: str) -> str:
        from rota.engine.failures.dead_letters import like

        text = _checked(text)
        if is_id(text):
            return text
        return self._app.store.read(lambda tx: like(tx, text, namespace=self._app.namespace))

    def count(self, group: str) -> int:
        from rota.engine.failures.dead_letters import open_group

        at = {"namespace": self._app.namespace}
        return self._app.store.read(lambda tx: open_group(tx, group, **at)).count

    def redrive(self, ids: list[str], asked: dict[str, Any], told: Told | None) -> list[Redriven]:
        if asked["args"] is not None:
            self._learn(ids, asked["group"])
        return self._app.dead_letters.redrive(*ids, told=told, **asked)

    def discard(self, ids: list[str], asked: dict[str, Any], told: Told | None) -> int:
        return self._app.dead_letters.discard(*ids, told=told, **asked)

    def _learn(self, ids: list[str], group: str | None) -> None:
        """A job that the app does not define is checked as the store knows it."""
        from rota.cli.arguments import recorded_job
        from rota.engine.failures.dead_letters import open_group
        from rota.engine.jobs.definitions import jobs

        app, at = self._app, {"namespace": self._app.namespace}
        if group is not None:
            job = app.store.read(lambda tx: open_group(tx, group, **at)).job
        else:
            job = app.dead_letters.show(ids[0]).job
        listed = app.store.read(lambda tx: jobs(tx, namespace=app.namespace))
        known = {view.name: view for view in listed}
        if job in known and job not in app.jobs:
            app.jobs[job] = recorded_job(app, known[job])


class ServerDeadLetters:
    """Through a server, as the token allows."""

    def __init__(self, served: Client) -> None:
        self._served = served

    @property
    def letters(self) -> ServedLetters:
        return self._served.dead_letters

    def now(self) -> int:
        return round(time.time() * 1000)

    def run(self, run_id: str) -> Handle:
        return self._served.run(run_id)

    def find(self, text: str) -> str:
        text = _checked(text)
        if is_id(text):
            return text
        recent = [each.run_id for each in self.letters.letters(state=None, limit=RECENT)]
        found = [each for each in recent if each.startswith(text) or each.endswith(text)]
        if len(found) != 1:
            raise UnknownRun(text)
        return found[0]

    def count(self, group: str) -> int:
        return sum(
            each.open for each in self.letters.groups(limit=500) if each.fingerprint == group
        )

    def redrive(self, ids: list[str], asked: dict[str, Any], told: Told | None) -> list[Redriven]:
        done = self.letters.redrive(*ids, **_without_who(asked))
        if told is not None:
            told(len(done))
        return done

    def discard(self, ids: list[str], asked: dict[str, Any], told: Told | None) -> int:
        gone = self.letters.discard(*ids, **_without_who(asked))
        if told is not None:
            told(gone)
        return gone


def _without_who(asked: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in asked.items() if name != "who"}
