"""The feed: runs the reader while clients are connected, and hands each its events."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

from rota.api.identity.row_scope import HOUSE
from rota.api.live import fleet
from rota.api.live import positions as marks
from rota.api.live.client import LinePosition, LiveClient
from rota.api.live.events import event, line_event
from rota.api.live.fleet import Fleet, FleetFilter
from rota.api.live.missed_events import missed, tell_missed
from rota.api.live.positions import Marks
from rota.api.live.reader import FeedRead, FeedReader
from rota.api.live.tails import Tails
from rota.clock import elapsed_s
from rota.engine.insight.changes import ChangedRun
from rota.errors import NotPermitted, NotSignedIn, StoreUnavailable, TooMany
from rota.model.logs.log import FoundLine
from rota.notices import emit
from rota.store.base import Tx, Watch

if TYPE_CHECKING:
    from rota.api.server.state import ServerState

POLL_S = 0.25
"""How often to look without a notice of the store: notices may get lost."""
REST_S = 0.1
REST_PARTS = 2
MOST_REST_S = 0.3
"""The longest rest: a look is followed by a rest of twice its duration, within these bounds."""
FLEET_S = 1.0
FLEET_PARTS = 20
READY_S = 1.0
PATIENCE_S = 10.0
CHECK_S = 1.0
STALLED_S = 60.0
MOST_CLIENTS = 1000
OUTAGE = b"event: outage\ndata: {}\n"
BACK = b"event: back\ndata: {}\n"


class _Round(NamedTuple):
    """The results of one round of reading."""

    look: FeedRead
    lines: list[FoundLine]
    fleet: Fleet | None
    marks: Marks
    fleet_s: float


class Feed:
    """The feed of one server process; lives on its event loop."""

    def __init__(self, server_state: ServerState) -> None:
        self._server_state = server_state
        self._clients: list[LiveClient] = []
        self._reader = FeedReader()
        self._tails = Tails()
        self._fleet: Fleet = {}
        self._marks: Marks = {}
        self._fleet_s = self._fleet_took_s = 0.0
        self._woken = asyncio.Event()
        self._ready = asyncio.Event()
        self._watch: Watch | None = None
        self._is_away = False
        """Whether the last attempt to read the store failed."""
        self._chores: list[asyncio.Task[None]] = []

    @property
    def floor(self) -> int:
        """The floor: a client that has taken all its waiting events may resume from it."""
        return self._reader.floor

    async def join(self, client: LiveClient) -> None:
        """Send a client all events from now on, and those that it missed since it left."""
        of_each = Counter(each.credential.id for each in self._clients)
        if of_each[client.credential.id] >= self._server_state.options.streams:
            raise TooMany(
                f"more than {self._server_state.options.streams} streams of one credential"
            )
        if len(self._clients) >= MOST_CLIENTS:
            raise TooMany("too many streams at this server")
        self._clients.append(client)
        try:
            if not self._chores:
                self._begin()
            await self._until_ready()
            found = await self._server_state.read(lambda tx: missed(tx, client), only=HOUSE)
            tell_missed(client, found, floor=self.floor)
            for run_id, ends in client.ends.items():
                self._tails.follow(run_id, client.namespace, ends)
        except BaseException:
            self.leave(client)
            raise

    def leave(self, client: LiveClient) -> None:
        if client in self._clients:
            self._clients.remove(client)
        self._tails.keep({run_id for each in self._clients for run_id in each.topics.logs})

    async def stop(self) -> None:
        for client in tuple(self._clients):
            client.end()
        chores, self._chores = self._chores, []
        for chore in chores:
            chore.cancel()
        await asyncio.gather(*chores, return_exceptions=True)
        if self._watch is not None:
            self._watch.close()

    async def _until_ready(self) -> None:
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self._ready.wait()
        except TimeoutError:
            raise StoreUnavailable from None

    def _begin(self) -> None:
        self._reader, self._fleet, self._marks = FeedReader(), {}, {}
        self._ready.clear()
        self._chores = [asyncio.create_task(self._run()), asyncio.create_task(self._check())]

    async def _run(self) -> None:
        began_s = elapsed_s()
        while self._clients:
            look_s = elapsed_s()
            try:
                await self._listen()
                self._woken.clear()
                self._tell(await self._read())
                self._tell_weather(is_away=False)
            except StoreUnavailable:
                self._tell_weather(is_away=True)
                await asyncio.sleep(POLL_S)
            except TooMany:
                await asyncio.sleep(POLL_S)
            except Exception as error:  # noqa: BLE001  # the next round may do better
                emit("service.failed", service="rota-feed", error=error)
                await asyncio.sleep(FLEET_S)
            is_late = self._reader.is_begun and elapsed_s() - began_s > READY_S
            if self._reader.is_settled or is_late:
                self._ready.set()
            await self._rest(elapsed_s() - look_s)
        for chore in self._chores:
            if chore is not asyncio.current_task():
                chore.cancel()
        self._chores = []

    async def _listen(self) -> None:
        loop = asyncio.get_running_loop()

        def wake(_: str) -> None:
            loop.call_soon_threadsafe(self._woken.set)

        if self._watch is None:
            self._watch = await self._server_state.call(
                lambda: self._server_state.store.watch(wake)
            )

    async def _rest(self, took_s: float) -> None:
        await asyncio.sleep(min(MOST_REST_S, max(REST_S, took_s * REST_PARTS)))
        try:
            async with asyncio.timeout(POLL_S - REST_S):
                await self._woken.wait()
        except TimeoutError:
            pass

    async def _read(self) -> _Round:
        due_s = self._fleet_s + max(FLEET_S, self._fleet_took_s * FLEET_PARTS)
        wanted = None
        if elapsed_s() >= due_s or any(each.is_new for each in self._clients):
            wanted = fleet.wanted_by(self._clients)
        return await self._server_state.read(lambda tx: self._look(tx, wanted), only=HOUSE)

    def _look(self, tx: Tx, wanted: FleetFilter | None) -> _Round:
        look = self._reader.look(tx)
        lines = self._tails.look(tx)
        began_s = elapsed_s()
        found, marked = None, self._marks
        if wanted is not None:
            found = fleet.look(tx, wanted)
            marked = marks.look(tx, wanted.changes, self._marks)
        return _Round(look, lines, found, marked, elapsed_s() - began_s)

    def _tell(self, told: _Round) -> None:
        """Hand out the events of a round, with the floor before it: half of them may get lost."""
        floor = self.floor
        if self._reader.take_in(told.look) and self._ready.is_set():
            for client in self._clients:
                if client.topics.runs:
                    client.reset(self.floor)
        _tell_runs(self._clients, told.look.changes, floor)
        self._tell_lines(told.lines, floor)
        if told.fleet is not None:
            fleet.tell(self._clients, self._fleet, told.fleet, floor=floor)
            marks.tell(self._clients, self._marks, told.marks, floor=floor)
            self._marks = told.marks
            self._fleet, self._fleet_took_s = told.fleet, told.fleet_s
            self._fleet_s = elapsed_s()

    def _tell_weather(self, *, is_away: bool) -> None:
        """Tell clients that the store is away, or back: silence would look like no changes."""
        if is_away != self._is_away:
            self._is_away = is_away
            for client in self._clients:
                client.put("weather", self.floor, OUTAGE if is_away else BACK)

    def _tell_lines(self, lines: Collection[FoundLine], floor: int) -> None:
        for line in lines:
            self._tails.take_in(line)
            text = line_event(line)
            at = LinePosition(line.run_id, line.fence, line.seq)
            for client in self._clients:
                if line.run_id in client.ends:
                    client.put(at, floor, text, at)

    async def _check(self) -> None:
        """End the streams of clients that are signed out, and of those that stalled."""
        while True:
            await asyncio.sleep(CHECK_S)
            for client in tuple(self._clients):
                if client.is_ended or client.is_stalled(STALLED_S):
                    if client.abandon is not None:
                        client.abandon()
                    continue
                try:
                    await self._server_state.identities.of(client.connection)
                except (NotSignedIn, NotPermitted):
                    client.end()
                except (StoreUnavailable, TooMany):
                    continue


def _tell_runs(
    clients: Collection[LiveClient], changes: Collection[ChangedRun], floor: int
) -> None:
    by_namespace: dict[str, list[LiveClient]] = {}
    for client in clients:
        if client.topics.runs:
            by_namespace.setdefault(client.namespace, []).append(client)
    for namespace, run in changes:
        hearers = by_namespace.get(namespace)
        if hearers is None:
            continue
        text, key = event("run", run), ("run", run.id)
        for client in hearers:
            if client.reaches(run.queue):
                client.put(key, floor, text)
