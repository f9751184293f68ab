"""A gateway whose search has vectors of an endpoint: nobody waits for them, and nothing forgotten stays in them."""

import asyncio
import sqlite3
from pathlib import Path

from gateway.app.stores import forget_for
from tests.helpers.house import House, house
from tests.helpers.leftovers import holding
from tests.helpers.model_answers import Answer
from tests.helpers.model_server import ModelServer

SECRET = "the vault opens with marzipan-4711"
KEY = "loopback:main"


def with_vectors(server: ModelServer) -> dict[str, str]:
    """The overrides of a configuration that has this server's vectors."""
    return {"memory__embeddings": "vectors-a", "llm__base_url": server.base_url}


def texts(server: ModelServer) -> list[str]:
    """What the server was asked the vectors of."""
    return [text for asked in server.embedded for text in asked["input"]]


async def remembered(inside: House, *, count: int) -> None:
    """Wait until so many messages are indexed, and have their vectors."""
    index = inside.gateway.stores.index
    await index.caught_up()
    await index.embedded("person-owner")
    path = inside.gateway.settings.gateway.state / "memory" / "person-owner" / "index.db"
    with sqlite3.connect(path) as db:
        vectors = db.execute("SELECT id FROM vectors ORDER BY id").fetchall()
        messages = db.execute("SELECT id FROM docs ORDER BY id").fetchall()

    assert vectors == messages
    assert len(vectors) == count


async def test_replies_come_and_words_are_found_while_the_endpoint_hangs(tmp_path: Path) -> None:
    async with ModelServer() as server:
        server.vectors.extend(Answer(hold=asyncio.Event(), body=b"{}") for _ in range(50))
        async with house(tmp_path, overrides=with_vectors(server)) as inside, asyncio.timeout(30):
            replies = [await inside.ask(text) for text in ("the boat is called Petrel", "it rains")]
            await inside.calm()
            hits = await inside.gateway.stores.index.search("person-owner", "Petrel", limit=2)

    assert replies == ["heard: the boat is called Petrel", "heard: it rains"]
    assert {hit.ref for hit in hits} == {f"{KEY}#1", f"{KEY}#2"}


async def test_what_was_said_gets_its_vectors_while_the_gateway_runs(tmp_path: Path) -> None:
    async with ModelServer() as server, house(tmp_path, overrides=with_vectors(server)) as inside:
        async with asyncio.timeout(30):
            await inside.ask("the boat is called Petrel")
            await inside.calm()
            while len(texts(server)) < 2:
                await server.embedded_more(len(server.embedded))
        await remembered(inside, count=2)

    assert server.rejected == []
    assert sorted(texts(server)) == ["heard: the boat is called Petrel", "owner: the boat is called Petrel"]


async def test_no_word_and_no_vector_of_a_forgotten_message_is_left(tmp_path: Path) -> None:
    async with ModelServer() as server, house(tmp_path, overrides=with_vectors(server)) as inside:
        await inside.ask("tea is liked here")
        await inside.ask(SECRET)
        await inside.calm()
        await remembered(inside, count=4)
        asked = len(texts(server))
        await forget_for(inside.gateway.settings, inside.gateway.stores).message(f"{KEY}#3")
        await remembered(inside, count=2)
        left = holding(tmp_path)
        again = texts(server)[asked:]

    assert left == []
    assert [text for text in again if not text.startswith(SECRET)] == []
