"""Memory for its operator: searched, shown, explained, indexed anew; over every audience of this machine, or one."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gateway.operations.operation import Document, OperationFailed, OperationPorts
from memory.archive.documents import sender_of
from memory.archive.search import Hit
from memory.audience import audience_directory, audiences_in
from memory.errors import EmbedderFailed
from memory.longterm.files import LongTermFiles
from memory.longterm.pages import is_skill, read_pages
from memory.messages import Message, reference
from memory.sessions.codec import format_time, role_of
from memory.sessions.stores.base import SessionHead

_BESIDE = 10
_QUOTATION = 12
"""Characters: what is shorter is said by everybody."""
_CLAIMS = ("key_facts", "decisions", "open_questions")


async def list_audiences(ports: OperationPorts) -> Document:
    """Whose memory is kept here, and how much was said."""
    heads = await ports.sessions.heads()
    return {
        "audiences": [_counted(audience, heads) for audience in await _audiences(ports, heads, asked_for="")]
    }


async def search_memory(
    ports: OperationPorts, *, query: str, limit: int = 10, audience: str = "", session: str = ""
) -> Document:
    """The best passages for a query, over all audiences or one, in all sessions or one."""
    if session and await ports.sessions.audience_of(session) is None:
        raise OperationFailed(f'there is no session "{session}"; mneme sessions list shows all')
    asked = {"query": query, "limit": limit, "session": session}
    # A little more than is asked for: a quotation may be better placed than what it quotes.
    [hits] = await _search(ports, [asked | {"limit": limit + _BESIDE}], limit=limit, audience=audience)
    return {"query": query, "hits": [_passage(hit) for hit in sources_first(hits)[:limit]]}


def sources_first(hits: Sequence[Hit]) -> list[Hit]:
    """The hits with what a person said in front of where the assistant quotes it; places keep their scores."""
    ordered: list[Hit] = []
    for hit in hits:
        quoting = (at for at, other in enumerate(ordered) if _quotes(other, hit))
        ordered.insert(next(quoting, len(ordered)), hit)
    return [replace(hit, score=place.score) for hit, place in zip(ordered, hits, strict=True)]


def _quotes(one: Hit, other: Hit) -> bool:
    words = " ".join(other.text.split())
    return (
        (one.role, other.role) == ("assistant", "user")
        and len(words) >= _QUOTATION
        and not words.endswith(("?", "？"))
        and words in " ".join(one.text.split())
    )


async def search_batch(
    ports: OperationPorts,
    *,
    queries: Sequence[Mapping[str, Any]],
    limit: int = 10,
    audience: str = "",
    session: str = "",
) -> Document:
    """The references for many queries, each `{"id","query","session"?,"limit"?}`; what they leave out is as given."""
    asked = [{"session": session} | dict(query) for query in queries]
    found = await _search(ports, asked, limit=limit, audience=audience)
    return {
        "results": [
            {"id": query.get("id"), "hits": [_place(hit) for hit in hits]}
            for query, hits in zip(asked, found, strict=True)
        ]
    }


async def show_memory(ports: OperationPorts, *, audience: str = "", rejected: bool = False) -> Document:
    """What is remembered of everybody, or of one audience: claims and files; with `rejected`, what was not believed."""
    heads = await ports.sessions.heads()
    files = LongTermFiles(ports.state)
    return {
        "audiences": [
            {
                "audience": each,
                **await _claims(ports, each, heads),
                "files": await _files(files, each, state=ports.state),
                **({"rejected": await _rejected(ports, each)} if rejected else {}),
            }
            for each in await _audiences(ports, heads, asked_for=audience)
        ]
    }


async def reindex(ports: OperationPorts, *, audience: str = "") -> Document:
    """Build the search index of everybody, or of one audience, anew from the sessions.

    `without_vectors` says why these are missing, where they are wanted and can't be made.
    """
    heads = await ports.sessions.heads()
    audiences = await _audiences(ports, heads, asked_for=audience)
    problem = ""
    try:
        await ports.index.rebuild(audience or None)
    except EmbedderFailed as error:
        problem = str(error)
    return {
        "audiences": [_counted(each, heads) for each in audiences],
        "unreadable": sorted(ports.index.unreadable),
        **({"without_vectors": problem} if problem else {}),
    }


async def _search(
    ports: OperationPorts, queries: Sequence[Mapping[str, Any]], *, limit: int, audience: str
) -> list[list[Hit]]:
    """Audience by audience, since only so many index files stay open; the best scores of all of them."""
    _check(ports, audience)
    await ports.index.caught_up()
    homes = {head.key: head.audience for head in await ports.sessions.heads()}
    found: list[list[Hit]] = [[] for _ in queries]
    audiences = {each for each in homes.values() if each and audience in {"", each}}
    for each in sorted(audiences):
        for query, hits in zip(queries, found, strict=True):
            session = query.get("session") or None
            if session is None or homes.get(session) == each:
                bound = query.get("limit") or limit
                hits.extend(await ports.index.search(each, query["query"], limit=bound, session=session))
    return [
        sorted(hits, key=lambda hit: -hit.score)[: query.get("limit") or limit]
        for query, hits in zip(queries, found, strict=True)
    ]


async def _audiences(ports: OperationPorts, heads: Iterable[SessionHead], *, asked_for: str) -> list[str]:
    """Everybody who has said something or has a folder; only the one that was asked for, if it is among them."""
    _check(ports, asked_for)
    folders = await asyncio.to_thread(audiences_in, ports.state)
    known = sorted({head.audience for head in heads if head.audience} | set(folders))
    if asked_for and asked_for not in known:
        raise OperationFailed(f"nothing is kept for {asked_for}; known: {', '.join(known) or 'nobody'}")
    return [asked_for] if asked_for else known


async def known_audience(ports: OperationPorts, asked_for: str) -> str:
    """The one that was asked for, of which something must be kept; the owner's where none was."""
    if not asked_for or asked_for == ports.owner_audience:
        return ports.owner_audience
    [known] = await _audiences(ports, await ports.sessions.heads(), asked_for=asked_for)
    return known


def _check(ports: OperationPorts, audience: str) -> None:
    try:
        if audience:
            audience_directory(ports.state, audience)
    except ValueError as error:
        raise OperationFailed(str(error)) from error


def _counted(audience: str, heads: Iterable[SessionHead]) -> Document:
    own = [head for head in heads if head.audience == audience]
    return {"audience": audience, "sessions": len(own), "messages": sum(head.last_seq for head in own)}


async def _claims(ports: OperationPorts, audience: str, heads: Iterable[SessionHead]) -> Document:
    claims: dict[str, list[Any]] = {name: [] for name in _CLAIMS}
    for head in heads:
        if head.audience != audience:
            continue
        session = await ports.sessions.look(head.key)
        for name, kept in claims.items():
            kept.extend((session.summary.get(name) or []) if session else [])
    return claims


async def _rejected(ports: OperationPorts, audience: str) -> list[Any]:
    return [dict(claim) for entry in await ports.history.entries(audience) for claim in entry.rejected]


async def _files(files: LongTermFiles, audience: str, *, state: Path) -> dict[str, str]:
    content = await files.read(audience)
    named = {"MEMORY.md": content.memory, "USER.md": content.user, "SOUL.md": content.soul}
    pages = await asyncio.to_thread(read_pages, audience_directory(state, audience))
    skills = {
        path: page.data.decode("utf-8", "replace").strip() for path, page in pages.items() if is_skill(path)
    }
    return {name: text for name, text in {**named, **skills}.items() if text}


def _place(hit: Hit) -> Document:
    return {"ref": hit.ref, "seq": hit.seq, "session": hit.session, "score": hit.score}


def _passage(hit: Hit) -> Document:
    told = {"text": hit.text, "at": format_time(hit.at), "sender": hit.sender or hit.role}
    return _place(hit) | told | {"beside": hit.beside}


def evidence_of(session: str, message: Message) -> Document:
    """A message as evidence."""
    return {
        "ref": reference(session, message.seq),
        "text": message.content,
        "at": format_time(message.at),
        "sender": sender_of(message) or role_of(message),
        **({"erased": True} if message.erased else {}),
    }
