import asyncio
from datetime import UTC, datetime

import pytest

from memory.errors import StoreCorrupt, StoreUnavailable
from memory.sessions.manager import SessionManager
from memory.sessions.session import Mark, MarkKind, Session
from memory.sessions.stores.base import SessionStore
from memory.sessions.stores.in_memory import InMemoryStore
from tests.helpers.conversations import NOON, answer, filled, say
from tests.helpers.stores import TroubledStore

KEY = "telegram:42"


@pytest.fixture
def store() -> InMemoryStore:
    return InMemoryStore()


@pytest.fixture
def sessions(store: InMemoryStore) -> SessionManager:
    return SessionManager(store)


async def say_and_save(sessions: SessionManager, text: str = "hello", *, key: str = KEY) -> None:
    """One turn's worth of writing."""
    async with sessions.checkout(key, audience="person-ann") as session:
        session.add(say(text))
        session.add(answer())
        await sessions.save(session)


async def stored(store: SessionStore, key: str = KEY) -> list[str]:
    """What the store itself holds."""
    return [message.content for message in await store.page(key, before=10**6, limit=10**6)]


async def test_a_new_session_touches_the_store_with_its_first_save(
    store: InMemoryStore, sessions: SessionManager
) -> None:
    async with sessions.checkout(KEY, audience="person-ann") as session:
        assert (session.audience, session.messages, session.last_seq) == ("person-ann", [], 0)
        assert await store.load(KEY, limit=1) is None
        session.add(say())
        await sessions.save(session)

        assert session.unsaved == []
        assert await stored(store) == ["hello"]


async def test_a_session_that_was_only_looked_at_is_never_written(
    store: InMemoryStore, sessions: SessionManager
) -> None:
    async with sessions.checkout(KEY, audience="person-ann"):
        pass

    assert await store.heads() == []


async def test_the_same_session_is_given_out_again_without_the_store() -> None:
    store = TroubledStore(InMemoryStore())
    sessions = SessionManager(store)
    for number in range(5):
        await say_and_save(sessions, f"message {number}")

    assert store.loads == [KEY]
    async with sessions.checkout(KEY) as session:
        assert session.last_seq == 10
        assert session.audience == "person-ann"


async def test_many_turns_at_once_lose_nothing() -> None:
    store = TroubledStore(InMemoryStore(), steps=2)
    sessions = SessionManager(store)

    async with asyncio.TaskGroup() as group:
        for number in range(50):
            group.create_task(say_and_save(sessions, f"message {number}"))

    saved = await store.page(KEY, before=999, limit=999)
    assert [message.seq for message in saved] == list(range(1, 101))
    assert len(store.loads) == 1
    assert not sessions.locked(KEY)


async def test_a_checked_out_session_is_locked(sessions: SessionManager) -> None:
    async with sessions.checkout(KEY):
        assert sessions.locked(KEY)
        assert not sessions.locked("telegram:43")

    assert not sessions.locked(KEY)


async def test_sessions_of_two_people_are_separate(store: InMemoryStore, sessions: SessionManager) -> None:
    await say_and_save(sessions, "from one", key="telegram:1")
    await say_and_save(sessions, "from the other", key="telegram:2")

    assert await stored(store, "telegram:1") == ["from one", "hi"]
    assert await stored(store, "telegram:2") == ["from the other", "hi"]


async def test_memory_is_bounded_however_many_chats_there_are(store: InMemoryStore) -> None:
    sessions = SessionManager(store, cache_limit=20)
    for number in range(500):
        await say_and_save(sessions, f"message {number}", key=f"telegram:{number}")

    assert sessions.cached == 20
    async with sessions.checkout("telegram:0") as session:
        assert [message.content for message in session.messages] == ["message 0", "hi"]


async def test_the_least_recently_used_session_goes_first() -> None:
    store = TroubledStore(InMemoryStore())
    sessions = SessionManager(store, cache_limit=2)
    for key in ("a", "b", "a", "c"):
        await say_and_save(sessions, key=key)
    store.loads.clear()

    for key in ("a", "c"):
        async with sessions.checkout(key):
            pass

    assert store.loads == []


async def test_a_session_in_use_is_not_evicted() -> None:
    store = TroubledStore(InMemoryStore())
    sessions = SessionManager(store, cache_limit=1)
    async with sessions.checkout(KEY) as held:
        for number in range(5):
            await say_and_save(sessions, key=f"telegram:{number}")
        held.add(say("still here"))
        await sessions.save(held)

    async with sessions.checkout(KEY) as again:
        assert again is held


async def test_old_messages_leave_memory_and_the_rest_has_no_gap(store: InMemoryStore) -> None:
    sessions = SessionManager(store, load_limit=10)
    async with sessions.checkout(KEY) as session:
        for number in range(40):
            session.add(say(f"message {number}"))
        assert len(session.messages) == 40
        await sessions.save(session)

        assert [message.seq for message in session.messages] == list(range(31, 41))
        assert len(await stored(store)) == 40


async def test_what_is_unsaved_stays_in_memory_whatever_the_limit() -> None:
    sessions = SessionManager(TroubledStore(InMemoryStore(), fail_at=1), load_limit=2)
    async with sessions.checkout(KEY) as session:
        for number in range(9):
            session.add(say(f"message {number}"))
        with pytest.raises(StoreUnavailable):
            await sessions.save(session)

        assert len(session.messages) == len(session.unsaved) == 9


async def test_a_failed_save_can_be_tried_again() -> None:
    store = TroubledStore(InMemoryStore(), fail_at=1)
    sessions = SessionManager(store)
    async with sessions.checkout(KEY) as session:
        session.add(say())
        with pytest.raises(StoreUnavailable):
            await sessions.save(session)
        await sessions.save(session)

    assert await stored(store) == ["hello"]


@pytest.mark.parametrize("fail_at", range(1, 6))
async def test_after_a_write_that_failed_the_next_turn_reads_the_truth(fail_at: int) -> None:
    store = TroubledStore(InMemoryStore(), fail_at=fail_at)
    sessions = SessionManager(store)
    for number in range(5):
        if number + 1 == fail_at:
            with pytest.raises(StoreUnavailable):
                await say_and_save(sessions, f"message {number}")
        else:
            await say_and_save(sessions, f"message {number}")

    expected = [f"message {number}" for number in range(5) if number + 1 != fail_at]
    assert (await stored(store))[::2] == expected
    async with sessions.checkout(KEY) as session:
        assert [message.content for message in session.messages][::2] == expected
        assert [message.seq for message in session.messages] == list(range(1, 9))


async def test_a_block_that_raises_leaves_no_trace_of_what_it_did_not_save(
    store: InMemoryStore, sessions: SessionManager
) -> None:
    await say_and_save(sessions)

    async def turn() -> None:
        async with sessions.checkout(KEY) as session:
            session.add(say("never said"))
            session.metadata["title"] = "never set"
            raise KeyError

    with pytest.raises(KeyError):
        await turn()

    async with sessions.checkout(KEY) as session:
        assert [message.content for message in session.messages] == ["hello", "hi"]
        assert session.metadata == {}


async def test_a_block_that_forgets_to_save_leaves_no_trace_either(sessions: SessionManager) -> None:
    await say_and_save(sessions)
    async with sessions.checkout(KEY) as session:
        session.summary["key_facts"] = ["never kept"]

    async with sessions.checkout(KEY) as session:
        assert session.summary == {}


async def test_a_block_that_raises_after_saving_keeps_the_session_hot() -> None:
    store = TroubledStore(InMemoryStore())
    sessions = SessionManager(store)

    async def turn() -> None:
        async with sessions.checkout(KEY) as session:
            session.add(say())
            await sessions.save(session)
            raise KeyError

    with pytest.raises(KeyError):
        await turn()

    async with sessions.checkout(KEY) as session:
        assert session.last_seq == 1
    assert store.loads == [KEY]


async def test_nothing_to_save_writes_nothing() -> None:
    store = TroubledStore(InMemoryStore())
    sessions = SessionManager(store)
    await say_and_save(sessions)
    async with sessions.checkout(KEY) as session:
        await sessions.save(session)
        session.calibration.factor = 1.7
        await sessions.save(session)

    assert store.writes == 1
    async with sessions.checkout(KEY) as session:
        assert session.calibration.factor == pytest.approx(1.7)
        session.calibration.window_cap = 4096
        await sessions.save(session)
    assert store.writes == 2


async def test_a_state_alone_is_saved(store: InMemoryStore, sessions: SessionManager) -> None:
    await say_and_save(sessions)
    async with sessions.checkout(KEY) as session:
        session.last_consolidated = 2
        session.mark(Mark(kind=MarkKind.VIEW_FROM, from_seq=3, at=NOON))
        await sessions.save(session)

    loaded = await store.load(KEY, limit=1)
    assert loaded is not None
    assert (loaded.last_consolidated, loaded.view_from) == (2, 3)


async def test_a_session_outside_of_its_checkout_cannot_be_saved(sessions: SessionManager) -> None:
    async with sessions.checkout(KEY) as session:
        session.add(say())
    with pytest.raises(RuntimeError, match="outside of its checkout"):
        await sessions.save(session)
    async with sessions.checkout(KEY):
        with pytest.raises(RuntimeError, match="outside of its checkout"):
            await sessions.save(session)


async def test_somebody_who_writes_past_the_lock_is_found_out(
    store: InMemoryStore, sessions: SessionManager
) -> None:
    await say_and_save(sessions)
    async with sessions.checkout(KEY) as session:
        intruder = await store.load(KEY, limit=9)
        assert intruder is not None
        intruder.add(say("past the lock"))
        await store.append(intruder, intruder.unsaved)
        session.add(say("late"))
        with pytest.raises(StoreCorrupt):
            await sessions.save(session)

    assert await stored(store) == ["hello", "hi", "past the lock"]


async def test_who_speaks_now_decides_the_audience(store: InMemoryStore, sessions: SessionManager) -> None:
    await say_and_save(sessions)
    async with sessions.checkout(KEY, audience="person-bob") as session:
        assert session.audience == "person-bob"
        await sessions.save(session)
    async with sessions.checkout(KEY) as session:
        assert session.audience == "person-bob"

    [head] = await store.heads()
    assert head.audience == "person-bob"


async def test_listeners_are_told_after_every_durable_change(sessions: SessionManager) -> None:
    told: list[tuple[str, str, int]] = []
    also: list[str] = []
    sessions.on_saved(lambda key, audience, last_seq: told.append((key, audience, last_seq)))
    sessions.on_saved(lambda key, _audience, _last_seq: also.append(key))

    await say_and_save(sessions)
    await sessions.erase(KEY, [1])
    await sessions.delete(KEY)
    await sessions.delete(KEY)

    assert told == [(KEY, "person-ann", 2), (KEY, "person-ann", 2), (KEY, "person-ann", 0)]
    assert len(also) == 3


async def test_an_erased_message_is_erased_for_the_next_holder(sessions: SessionManager) -> None:
    await say_and_save(sessions, "secret")

    assert await sessions.erase(KEY, [1]) == 1
    async with sessions.checkout(KEY) as session:
        assert [message.content for message in session.messages] == ["", "hi"]


async def test_erasing_and_deleting_wait_for_the_holder(
    store: InMemoryStore, sessions: SessionManager
) -> None:
    await say_and_save(sessions)
    async with sessions.checkout(KEY):
        erasing = asyncio.create_task(sessions.erase(KEY, [1]))
        deleting = asyncio.create_task(sessions.delete(KEY))
        for _ in range(5):
            await asyncio.sleep(0)
        assert await stored(store) == ["hello", "hi"]

    assert await erasing == 1
    assert await deleting is True
    assert await stored(store) == []


async def test_a_holder_that_erases_its_own_session_is_told_instead_of_waiting_for_ever(
    sessions: SessionManager,
) -> None:
    async with sessions.checkout(KEY):
        with pytest.raises(RuntimeError, match="this very task"):
            await sessions.erase(KEY, [1])


async def test_a_deleted_session_begins_anew(sessions: SessionManager) -> None:
    await say_and_save(sessions)
    await sessions.delete(KEY)

    async with sessions.checkout(KEY) as session:
        assert (session.last_seq, session.messages) == (0, [])


async def test_a_session_from_elsewhere_is_adopted_with_its_numbers(sessions: SessionManager) -> None:
    await sessions.adopt(filled(5))

    async with sessions.checkout(KEY) as session:
        assert session.last_seq == 5
    with pytest.raises(ValueError, match="is there already, up to message 5"):
        await sessions.adopt(filled(3))
    assert [m.seq for m in await sessions.page(KEY, before=4, limit=2)] == [2, 3]
    assert [m.seq for m in await sessions.read(KEY, from_seq=5, to_seq=9)] == [5]
    assert [head.last_seq for head in await sessions.heads()] == [5]
    assert await sessions.damages(KEY) == []


async def test_a_cancelled_save_ends_first(store: InMemoryStore) -> None:
    slow = TroubledStore(store)
    sessions = SessionManager(slow)
    slow.gate.clear()
    turn = asyncio.create_task(say_and_save(sessions))
    for _ in range(5):
        await asyncio.sleep(0)
    turn.cancel()
    for _ in range(5):
        await asyncio.sleep(0)

    assert not turn.done()
    assert sessions.locked(KEY)
    slow.gate.set()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert await stored(store) == ["hello", "hi"]
    async with sessions.checkout(KEY) as session:
        assert (session.last_seq, session.unsaved) == (2, [])


async def test_a_failure_during_a_cancelled_save_is_its_cause() -> None:
    slow = TroubledStore(InMemoryStore(), fail_at=1)
    sessions = SessionManager(slow)
    slow.gate.clear()
    turn = asyncio.create_task(say_and_save(sessions))
    for _ in range(5):
        await asyncio.sleep(0)
    turn.cancel()
    slow.gate.set()

    with pytest.raises(asyncio.CancelledError) as caught:
        await turn
    assert isinstance(caught.value.__cause__, StoreUnavailable)


@pytest.mark.parametrize("steps", range(45))
async def test_a_turn_that_is_cancelled_anywhere_leaves_the_session_usable(steps: int) -> None:
    store = TroubledStore(InMemoryStore(), steps=3)
    sessions = SessionManager(store, cache_limit=4)
    await say_and_save(sessions, "first")
    await say_and_save(sessions, key="evicts")

    first, cancelled, last = (
        asyncio.create_task(say_and_save(sessions, text)) for text in ("before", "cancelled", "after")
    )
    for _ in range(steps):
        await asyncio.sleep(0)
    cancelled.cancel()
    results = await asyncio.gather(first, cancelled, last, return_exceptions=True)

    texts = (await stored(store))[::2]
    assert (results[0], results[2]) == (None, None)
    assert texts in (["first", "before", "cancelled", "after"], ["first", "before", "after"])
    assert not sessions.locked(KEY)
    async with sessions.checkout(KEY) as session:
        assert [message.content for message in session.messages][::2] == texts
        assert [message.seq for message in session.messages] == list(range(1, len(texts) * 2 + 1))


async def test_a_summary_is_written_with_no_lock_held(sessions: SessionManager) -> None:
    """Plan under the lock, ask without it, apply under it: a turn in between is not held up."""
    await say_and_save(sessions)
    async with sessions.checkout(KEY) as session:
        planned = session.last_consolidated
    async with asyncio.timeout(1):
        await say_and_save(sessions, "meanwhile")
    async with sessions.checkout(KEY) as session:
        assert session.last_consolidated == planned
        session.last_consolidated = 2
        session.summary = {"key_facts": []}
        await sessions.save(session)

    async with sessions.checkout(KEY) as session:
        assert (session.last_consolidated, session.last_seq) == (2, 4)


def test_a_number_is_given_once_and_tokens_add_up() -> None:
    session = Session(key=KEY, audience="", created_at=NOON, updated_at=NOON)
    first = session.add(say())
    second = session.add(answer("half \udc80"))

    assert (first.seq, second.seq, session.last_seq, session.tokens) == (1, 2, 2, 5)
    assert second.content == "half \ufffd"
    assert session.messages == session.unsaved == [first, second]
    assert datetime.now(UTC) >= session.updated_at > NOON


def test_marks_change_what_is_visible_and_nothing_else() -> None:
    session = filled(6)
    session.mark(Mark(kind=MarkKind.VIEW_FROM, from_seq=2, at=NOON))
    session.mark(Mark(kind=MarkKind.HIDDEN, from_seq=3, to_seq=4, at=NOON))
    session.last_consolidated = 4

    assert [message.seq for message in session.visible()] == [5, 6]
    assert len(session.messages) == 6
    session.apply(Mark(kind=MarkKind.HIDDEN, from_seq=3, to_seq=4, at=NOON))
    assert session.hidden == [(3, 4)]


async def test_what_is_to_be_done_at_the_end_is_done_once_when_the_session_is_free(
    sessions: SessionManager,
) -> None:
    seen: list[bool] = []

    async def look() -> None:
        seen.append(sessions.locked(KEY))

    async with sessions.checkout(KEY, audience="person-ann"):
        held = sessions.held("person-ann"), sessions.held("person-bob")
        sessions.at_the_end(KEY, look)
    async with sessions.checkout(KEY):
        pass

    assert held == ({KEY}, set())
    assert sessions.held("person-ann") == set()
    assert seen == [False]


async def test_what_could_not_be_done_at_the_end_is_done_at_the_end_of_the_next_checkout(
    sessions: SessionManager,
) -> None:
    failures = [StoreUnavailable("full")]
    done: list[str] = []

    async def work() -> None:
        if failures:
            raise failures.pop()
        done.append("now")

    async def hold() -> None:
        async with sessions.checkout(KEY):
            sessions.at_the_end(KEY, work)

    with pytest.raises(StoreUnavailable):
        await hold()
    async with sessions.checkout(KEY):
        pass

    assert done == ["now"]
