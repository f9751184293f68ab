import asyncio

from channels.adapter import Abilities
from channels.errors import DeliveryFailed
from channels.loopback import LoopbackAdapter
from channels.messages import OutboundMessage
from gateway.journal.in_memory import InMemoryJournal
from gateway.turns.live import Live

MESSAGE = OutboundMessage(id="turn", channel="loopback", chat_id="main", text="")


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
    live = Live(MESSAGE, adapter=adapter, outbox=journal)
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
    live = Live(MESSAGE, adapter=adapter, outbox=journal)
    live.wrote("again")
    await adapter.saw("again")

    assert await live.close() == "p-old"
    assert adapter.opens == 0


async def test_without_a_word_written_the_placeholder_of_before_is_still_used() -> None:
    journal = InMemoryJournal()
    await journal.placeholder("turn", "p-old")
    live = Live(MESSAGE, adapter=EditingAdapter(journal), outbox=journal)

    assert await live.close() == "p-old"


async def test_a_platform_that_fails_while_showing_fails_nobody() -> None:
    journal = InMemoryJournal()
    adapter = EditingAdapter(journal)
    adapter.trouble = True
    live = Live(MESSAGE, adapter=adapter, outbox=journal)
    live.wrote("text")

    assert await live.close() is None
    assert adapter.opens == 1


async def test_a_channel_without_streams_costs_no_task() -> None:
    journal = InMemoryJournal()
    live = Live(MESSAGE, adapter=LoopbackAdapter(), outbox=journal)
    before = len(asyncio.all_tasks())
    live.wrote("text")

    assert len(asyncio.all_tasks()) == before
    assert await live.close() is None
