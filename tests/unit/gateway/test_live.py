import asyncio

from structlog.testing import capture_logs

from channels.adapter import Abilities
from channels.errors import DeliveryFailed
from channels.loopback import LoopbackAdapter
from channels.messages import OutboundMessage
from gateway.journal.in_memory import InMemoryJournal
from gateway.turns.live import Live
from tests.helpers.failing import failing

MESSAGE = OutboundMessage(id="turn", channel="loopback", chat_id="main", text="")


async def clear(_chat: tuple[str, str]) -> None:
    """Nothing is owed to any chat."""


class EditingAdapter(LoopbackAdapter):
    """A platform with placeholders; `opened` is set when one was sent, `gate` holds its confirmation back."""

    def __init__(self, journal: InMemoryJournal) -> None:
        super().__init__()
        self.abilities = Abilities(streams=True, edits=True)
        self.journal = journal
        self.opens = 0
        self.shown: list[tuple[str, str | None, str | None]] = []
        self.news = asyncio.Condition()
        self.trouble = False

    async def open_stream(self, message: OutboundMessage) -> str | None:
        self.opens += 1
        if self.trouble:
            raise DeliveryFailed("no")
        return f"p{self.opens}"

    async def update_stream(self, message: OutboundMessage) -> None:
        async with self.news:
            journaled = await self.journal.placeholder_of(message.id)
            self.shown.append((message.text, message.placeholder, journaled))
            self.news.notify_all()

    async def saw(self, text: str) -> None:
        async with self.news:
            await self.news.wait_for(lambda: any(shown[0] == text for shown in self.shown))


async def test_what_is_written_appears_in_a_placeholder_that_is_journaled_before_its_first_edit() -> None:
    journal = InMemoryJournal()
    adapter = EditingAdapter(journal)
    live = Live(MESSAGE, adapter=adapter, outbox=journal, clear=clear)
    live.wrote("Hel")
    await adapter.saw("Hel")
    live.wrote("lo")
    await adapter.saw("Hello")
    placeholder = await live.close()

    assert placeholder == "p1"
    assert all(shown[1:] == ("p1", "p1") for shown in adapter.shown)


async def test_after_a_crash_the_answer_goes_into_the_placeholder_of_before() -> None:
    journal = InMemoryJournal()
    await journal.placeholder("turn", "p-old")
    adapter = EditingAdapter(journal)
    live = Live(MESSAGE, adapter=adapter, outbox=journal, clear=clear)
    live.wrote("again")
    await adapter.saw("again")

    assert await live.close() == "p-old"
    assert adapter.opens == 0


async def test_without_a_word_written_the_placeholder_of_before_is_still_used() -> None:
    journal = InMemoryJournal()
    await journal.placeholder("turn", "p-old")
    live = Live(MESSAGE, adapter=EditingAdapter(journal), outbox=journal, clear=clear)

    assert await live.close() == "p-old"


async def test_a_platform_that_fails_while_showing_fails_nobody() -> None:
    journal = InMemoryJournal()
    adapter = EditingAdapter(journal)
    adapter.trouble = True
    live = Live(MESSAGE, adapter=adapter, outbox=journal, clear=clear)
    live.wrote("text")

    assert await live.close() is None
    assert adapter.opens == 1


async def test_a_journal_that_cannot_write_or_a_fault_of_ours_fails_no_turn_and_is_logged() -> None:
    journal = failing(InMemoryJournal(), ["placeholder"])
    adapter = EditingAdapter(journal)
    live = Live(MESSAGE, adapter=adapter, outbox=journal, clear=clear)
    with capture_logs() as logged:
        live.wrote("text")
        placeholder = await live.close()

    assert placeholder == "p1"  # it is there to be seen, so the answer goes into it
    assert adapter.shown == []
    assert [line["error"] for line in logged] == ["StoreUnavailable"]


async def test_a_channel_without_streams_costs_no_task() -> None:
    journal = InMemoryJournal()
    live = Live(MESSAGE, adapter=LoopbackAdapter(), outbox=journal, clear=clear)
    before = len(asyncio.all_tasks())
    live.wrote("text")

    assert len(asyncio.all_tasks()) == before
    assert await live.close() is None


async def test_no_placeholder_is_shown_above_what_is_still_owed() -> None:
    journal, delivered = InMemoryJournal(), asyncio.Event()
    adapter = EditingAdapter(journal)

    async def after_delivery(_chat: tuple[str, str]) -> None:
        assert adapter.opens == 0
        await delivered.wait()

    live = Live(MESSAGE, adapter=adapter, outbox=journal, clear=after_delivery)
    live.wrote("text")
    delivered.set()
    await adapter.saw("text")

    assert await live.close() == "p1"


async def test_an_answer_that_is_finished_while_others_are_owed_waits_for_none_of_them() -> None:
    journal = InMemoryJournal()
    adapter = EditingAdapter(journal)

    async def never(_chat: tuple[str, str]) -> None:
        await asyncio.Event().wait()

    live = Live(MESSAGE, adapter=adapter, outbox=journal, clear=never)
    live.wrote("text")

    assert await live.close() is None
    assert adapter.opens == 0
