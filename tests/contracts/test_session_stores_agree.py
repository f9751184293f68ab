"""Whatever is done to them, in whatever order, all stores of sessions say the same."""

import asyncio
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from memory.database import Database
from memory.messages import Message
from memory.sessions.session import Mark, Session
from memory.sessions.stores.base import SessionStore
from memory.sessions.stores.in_memory import InMemoryStore
from memory.sessions.stores.jsonl import JsonlStore
from memory.sessions.stores.sqlite import SESSIONS_SCHEMA, SqliteStore
from tests.helpers.conversations import MARKS, NOON, VALUES, messages, new_session

T = TypeVar("T")

KEYS = st.sampled_from(["telegram:1", "Telegram:1"])
SEQS = st.integers(-1, 30)


class StoresAgree(RuleBasedStateMachine):
    """Three stores side by side, and for each session the copy that its holder would have."""

    def __init__(self) -> None:
        super().__init__()
        self.directory = Path(tempfile.mkdtemp())
        self.runner = asyncio.Runner()
        self.database = self.run(Database.open(self.directory / "mneme.db", schemas=[SESSIONS_SCHEMA]))
        self.stores: list[SessionStore] = [
            InMemoryStore(),
            JsonlStore(self.directory / "sessions"),
            SqliteStore(self.database),
        ]
        self.held: dict[str, Session] = {}

    def run(self, work: Awaitable[T]) -> T:
        async def wait() -> T:
            return await work

        return self.runner.run(wait())

    def all_say(self, ask: Callable[[SessionStore], Awaitable[T]]) -> T:
        first, *others = [self.run(ask(store)) for store in self.stores]
        assert all(other == first for other in others)
        return first

    @rule(key=KEYS, said=st.lists(messages(), max_size=4), marks=st.lists(MARKS, max_size=1), state=VALUES)
    def turn(self, key: str, said: list[Message], marks: list[Mark], state: object) -> None:
        session = self.held.setdefault(key, new_session(key))
        for message in said:
            session.add(message)
        for mark in marks:
            session.mark(mark)
        session.metadata = {"state": state}
        session.last_consolidated = session.last_seq // 2
        for store in self.stores:
            self.run(store.append(deepcopy(session), list(session.unsaved)))
        session.unsaved.clear()

    @rule(key=KEYS, chosen=st.sets(SEQS, max_size=3))
    def erase(self, key: str, chosen: set[int]) -> None:
        self.all_say(lambda store: store.erase(key, chosen))
        session = self.run(self.stores[0].load(key, limit=999))
        if session is not None:
            self.held[key] = session

    @rule(key=KEYS)
    def delete(self, key: str) -> None:
        existed = self.all_say(lambda store: store.delete(key))

        assert existed == (self.held.pop(key, None) is not None)

    @precondition(lambda self: (self.directory / "sessions").exists())
    @rule(data=st.data())
    def tear(self, data: st.DataObject) -> None:
        """A write that was never acknowledged was cut off: it is as if it had not begun."""
        files = sorted((self.directory / "sessions").glob("*.jsonl"))
        if files:
            path = data.draw(st.sampled_from(files))
            path.write_bytes(path.read_bytes() + b'{"seq":99,"role":"user","content":"cut of')

    @rule()
    def restart(self) -> None:
        self.stores[1] = JsonlStore(self.directory / "sessions")

    @rule(key=KEYS, before=SEQS, limit=st.integers(0, 5))
    def page(self, key: str, before: int, limit: int) -> None:
        self.all_say(lambda store: store.page(key, before=before, limit=limit))

    @rule(key=KEYS, first=SEQS, last=SEQS)
    def read(self, key: str, first: int, last: int) -> None:
        self.all_say(lambda store: store.read(key, from_seq=first, to_seq=last))

    @invariant()
    def the_same_is_there(self) -> None:
        for key in ("telegram:1", "Telegram:1"):
            found = self.all_say(lambda store, key=key: without_time(store.load(key, limit=3)))  # type: ignore[misc]  # a default binds the loop's variable
            held = self.held.get(key)
            assert (found is None) == (held is None)
            if found is not None and held is not None:
                assert found.messages == held.messages[-3:]
        self.all_say(heads)

    def teardown(self) -> None:
        self.run(self.database.close())
        self.runner.close()
        shutil.rmtree(self.directory)


async def without_time(loading: Awaitable[Session | None]) -> Session | None:
    """The session; when it last changed is known to a minute in a file."""
    session = await loading
    if session is not None:
        session.updated_at = NOON
    return session


async def heads(store: SessionStore) -> Any:
    """The heads by key, without the time."""
    return {head.key: replace(head, updated_at=NOON) for head in await store.heads()}


StoresAgree.TestCase.settings = settings(max_examples=12, stateful_step_count=15, deadline=None)
TestStoresAgree = pytest.mark.slow(StoresAgree.TestCase)
