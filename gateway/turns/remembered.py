"""What is remembered, for the one who asks: `/memory` shows it, `/why` says where it is from."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from zoneinfo import ZoneInfo

from gateway.replies import Say, say
from gateway.turns.commands import Afterwards, CommandContext, CommandResult, Handler
from memory.archive.record import History
from memory.claims.claim import Claim
from memory.claims.lines import oneline
from memory.claims.summary import Summary, summary_from_dict
from memory.claims.trust import speaker_of
from memory.longterm.evidence import Explanation, Witness, explain
from memory.longterm.lines import is_blank_or_heading, parse_line, references
from memory.longterm.notebook import Notebook
from memory.sessions.manager import SessionManager

WHY_USAGE = "/why telegram:42#17"
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
        return {"memory": self.memory, "why": self.why}

    async def memory(self, context: CommandContext) -> CommandResult:
        """Facts, decisions and open questions of every conversation, and the notes line by line."""

        async def run() -> str:
            audience, language = context.session.audience, context.language
            summaries = [summary async for summary in self._summaries(audience)]
            lists = (
                (Say.FACTS, [claim for each in summaries for claim in each.key_facts]),
                (Say.DECISIONS, [claim for each in summaries for claim in each.decisions]),
                (Say.QUESTIONS, [claim for each in summaries for claim in each.open_questions]),
            )
            parts = [
                _list(say(title, language), map(_claim, _newest(claims)), language) for title, claims in lists
            ]
            contents = await self._notebook.read(audience)
            parts += [
                _list(path, _notes(page.data.decode("utf-8", "replace")), language)
                for path, page in contents.pages.items()
                if not page.problem
            ]
            return "\n\n".join(filter(None, parts)) or say(Say.MEMORY_EMPTY, language)

        return Afterwards(run=run)

    async def why(self, context: CommandContext) -> CommandResult:
        """The messages behind a reference, a claim, a change, or words of a line."""
        query, language = context.argument, context.language
        if not query:
            return say(Say.USAGE, language, usage=WHY_USAGE)

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


def _newest(claims: Sequence[Claim]) -> list[Claim]:
    return sorted(claims, key=lambda claim: claim.at, reverse=True)


def _claim(claim: Claim) -> str:
    return f"{oneline(claim.text)} [{' '.join(references(claim))}]"


def _notes(text: str) -> Iterator[str]:
    for line in map(parse_line, text.splitlines()):
        if not is_blank_or_heading(line.said):
            yield f"{oneline(line.said)} [{' '.join(line.refs)}]" if line.refs else oneline(line.said)


def _list(title: str, items: Iterable[str], language: str) -> str:
    lines = list(items)
    if not lines:
        return ""
    shown = [f"- {line}" for line in lines[:_MOST_SHOWN]]
    more = len(lines) - len(shown)
    return "\n".join([f"{title}:", *shown, *([say(Say.AND_MORE, language, count=more)] if more else [])])


def _explained(found: Explanation, *, zone: ZoneInfo, language: str) -> Iterator[str]:
    for reason in found.reasons[:_MOST_SHOWN]:
        if reason.file:
            yield say(Say.IN_FILE, language, file=reason.file, line=oneline(reason.line))
            if not reason.refs:
                yield say(Say.BY_PERSON, language)
        else:
            yield from (oneline(claim.text) for claim in reason.claims)
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
