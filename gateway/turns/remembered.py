"""What is remembered, for the one who asks: `/memory` shows it, `/why` says where it is from."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from zoneinfo import ZoneInfo

from gateway.replies import Say, say
from gateway.turns.commands import Afterwards, CommandContext, CommandResult, Handler
from gateway.turns.memory_page import memory_page
from gateway.turns.unreadable import or_unreadable
from memory.archive.record import History
from memory.claims.lines import oneline
from memory.claims.summary import Summary, summary_from_dict
from memory.claims.trust import speaker_of
from memory.longterm.notebook import Notebook
from memory.longterm.why import Explanation, Witness, explain
from memory.messages import reference
from memory.sessions.manager import SessionManager

_MOST_SHOWN = 12
"""Of each list and file: a chat is no place to read a book."""
_QUOTE_CHARS = 300


class MemoryCommands:
    """Each shows what the audience of the session holds, and nothing of another one (P13)."""

    def __init__(
        self,
        sessions: SessionManager,
        history: History,
        notebook: Notebook,
        *,
        zone: Callable[[str | None], ZoneInfo],
    ) -> None:
        self._sessions = sessions
        self._history = history
        self._notebook = notebook
        self._zone = zone

    def handlers(self) -> Mapping[str, Handler]:
        """For `Commands`, by name."""
        return {"memory": or_unreadable(self.memory), "why": or_unreadable(self.why)}

    async def memory(self, context: CommandContext) -> CommandResult:
        """Facts, decisions and open questions of every conversation, and the notes line by line."""

        async def run() -> str:
            audience, language = context.session.audience, context.language
            summaries = [summary async for summary in self._summaries(audience)]
            claims = [claim for each in summaries for claim in each.claims]
            contents = await self._notebook.read(audience)
            files = {
                path: page.data.decode("utf-8", "replace")
                for path, page in contents.pages.items()
                if not page.problem
            }
            page = memory_page(claims, files, language=language, most=_MOST_SHOWN)
            return page or say(Say.MEMORY_EMPTY, language)

        return Afterwards(run=run)

    async def why(self, context: CommandContext) -> CommandResult:
        """The messages behind a reference, a claim, a change, or words of a line."""
        query, language = context.ref, context.language
        if not query:
            return say(Say.USAGE, language, usage=f"/why {reference(context.session.key, 17)}")

        async def run() -> str:
            found = await explain(
                context.session.audience,
                query,
                history=self._history,
                notebook=self._notebook,
                sessions=self._sessions,
            )
            zone = self._zone(context.message.person)
            lines = list(_explained(found, zone=zone, language=language))
            return "\n".join(lines) or say(Say.WHY_UNKNOWN, language, ref=query)

        return Afterwards(run=run)

    async def _summaries(self, audience: str) -> AsyncIterator[Summary]:
        for head in await self._sessions.heads():
            session = await self._sessions.look(head.key) if head.audience == audience else None
            if session is not None:
                yield summary_from_dict(session.summary)


def _explained(found: Explanation, *, zone: ZoneInfo, language: str) -> Iterator[str]:
    for ground in found.grounds[:_MOST_SHOWN]:
        if ground.file:
            yield say(Say.IN_FILE, language, file=ground.file, line=oneline(ground.line))
            if not ground.refs:
                yield say(Say.BY_PERSON, language)
        else:
            yield from (oneline(claim.text) for claim in ground.claims)
    for witness in found.witnesses[:_MOST_SHOWN]:
        yield _witness(witness, zone=zone, language=language)


def _witness(witness: Witness, *, zone: ZoneInfo, language: str) -> str:
    message = witness.message
    words = oneline(witness.quote or message.content)
    if message.erased:
        words = say(Say.ERASED, language)
    elif len(words) > _QUOTE_CHARS:
        words = f"{words[:_QUOTE_CHARS]}…"
    at = message.at.astimezone(zone)
    return f"- [{witness.ref}] {at:%Y-%m-%d %H:%M}, {oneline(speaker_of(message))}: {words}"
