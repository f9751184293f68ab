from datetime import UTC, datetime

import pytest

from channels.messages import Scope
from channels.web.adapter import Guest
from gateway.http.ownership import Ownership
from memory.messages import UserMessage
from memory.sessions.manager import SessionManager
from memory.sessions.stores.in_memory import InMemoryStore


async def ownership_of(*, scope: Scope, **audiences: str) -> Ownership:
    """Over sessions of these names, seen by these audiences."""
    sessions = SessionManager(InMemoryStore())
    for name, audience in audiences.items():
        async with sessions.checkout(f"web:{name}", audience=audience) as session:
            session.add(UserMessage(content="hello", at=datetime(2026, 1, 1, tzinfo=UTC)))
            await sessions.save(session)
    return Ownership(sessions, scope=scope)


def guest(person: str, session: str) -> Guest:
    return Guest(sender_id=person, chat_id=session)


@pytest.mark.parametrize(("person", "is_theirs"), [("ann", True), ("bob", False)])
async def test_a_session_is_the_person_s_whose_memory_it_is(person: str, is_theirs: bool) -> None:
    ownership = await ownership_of(desk="person-ann", scope=Scope.THREAD)

    assert await ownership.admits(guest(person, "desk")) is is_theirs


async def test_whoever_comes_first_keeps_a_new_session_also_before_anything_is_said_in_it() -> None:
    ownership = await ownership_of(scope=Scope.THREAD)
    admitted = [await ownership.admits(guest(person, "new")) for person in ("ann", "bob", "ann")]

    assert admitted == [True, False, True]


async def test_a_session_that_is_kept_for_somebody_goes_to_nobody_who_comes_first() -> None:
    ownership = await ownership_of(scope=Scope.THREAD, old="person-bob")
    asked = (("bob", "default"), ("ann", "default"), ("bob", "old"))
    admitted = [await ownership.admits(guest(person, name), kept_for="ann") for person, name in asked]

    assert admitted == [False, True, True]


async def test_where_sessions_are_by_person_a_name_is_everybodys() -> None:
    ownership = await ownership_of(scope=Scope.USER)
    admitted = [await ownership.admits(guest(person, "new"), kept_for="ann") for person in ("ann", "bob")]

    assert admitted == [True, True]
    assert ownership.key_of(guest("bob", "new")) == "web:new@bob"
