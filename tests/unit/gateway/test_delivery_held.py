import asyncio

from channels.adapter import Sent
from channels.errors import DeliveryFailed
from channels.loopback import LoopbackAdapter
from channels.messages import OutboundMessage
from gateway.delivery import Delivery
from gateway.journal.in_memory import InMemoryJournal


class Doorbell(LoopbackAdapter):
    """A platform where nobody is at home in some chats until a test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.away: dict[str, asyncio.Event] = {}
        self.refused = 0

    async def send(self, message: OutboundMessage) -> Sent:
        if message.chat_id in self.away:
            self.refused += 1
            raise DeliveryFailed("nobody is there", until=self.away[message.chat_id])
        return await super().send(message)

    def come_home(self, chat_id: str) -> None:
        self.away.pop(chat_id).set()


def part(turn: str, *, chat_id: str) -> OutboundMessage:
    return OutboundMessage(id=turn, channel="loopback", chat_id=chat_id, text=turn, answers=(turn,))


async def test_what_nobody_takes_waits_without_trying_and_holds_up_neither_others_nor_the_end() -> None:
    journal, adapter = InMemoryJournal(), Doorbell()
    delivery = Delivery(journal, {"loopback": adapter})
    adapter.away["a"] = asyncio.Event()
    parts = [part("1", chat_id="a"), part("2", chat_id="a"), part("3", chat_id="b")]
    await journal.respond(answered=[], replies=parts)
    running = asyncio.create_task(delivery.run())
    await adapter.reply_to("3", chat_id="b")
    await delivery.drain()
    waiting = [(entry.id, entry.attempts) for entry in await journal.due()]
    tries = adapter.refused
    adapter.come_home("a")
    await adapter.reply_to("2", chat_id="a")
    await delivery.drain()
    running.cancel()
    await asyncio.wait({running})

    assert waiting == [("1/0", 0), ("2/0", 0)]
    assert tries == 1
    assert [message.text for message in adapter.sent("a")] == ["1", "2"]
    assert await journal.due() == []
