"""The chat commands about changes of the notes: `/dream`, `/dream-log`, `/dream-restore`."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from gateway.jobs.dreamer import Dreams
from gateway.jobs.dreaming import dream_job
from gateway.journal.base import Job, Jobs
from gateway.journal.origin import origin_of
from gateway.replies import Say, say
from gateway.turns.commands import Afterwards, CommandContext, CommandResult, Handler
from gateway.turns.unreadable import or_unreadable
from memory.longterm.notebook import Notebook
from memory.longterm.refusal import Refused
from memory.longterm.versions import Revision

RESTORE_USAGE = "/dream-restore 1b2c3d4e"
_MOST_SHOWN = 10
_SHORT = 8


class DreamCommands:
    """Each for the audience of the session alone; a group's notes are changed by its owner's command only."""

    def __init__(
        self,
        dreams: Dreams | None,
        notebook: Notebook,
        jobs: Jobs,
        *,
        submit: Callable[[Job], Awaitable[object]],
        zone: Callable[[str | None], ZoneInfo],
    ) -> None:
        self._dreams = dreams
        self._notebook = notebook
        self._jobs = jobs
        self._submit = submit
        self._zone = zone

    def handlers(self) -> Mapping[str, Handler]:
        """For `Commands`, by name."""
        handlers = {"dream": self.dream, "dream-log": self.log, "dream-restore": self.restore}
        return {name: or_unreadable(handler) for name, handler in handlers.items()}

    async def dream(self, context: CommandContext) -> CommandResult:
        """Start; the job says what came of it. A repeated command finds the job that it started."""
        audience, language = context.session.audience, context.language
        if not context.may_change:
            return say(Say.OWNER_ONLY, language)
        if self._dreams is None:
            return say(Say.DREAM_NEEDS_MODEL, language)
        job = dream_job(
            audience,
            job_id=f"{context.message.id}/dream",
            now=datetime.now(UTC),
            session=context.session.key,
            origin=origin_of(context.message, language=language),
            cursor=await self._dreams.cursor(audience),
        )
        if await self._dreams.oldest_news(audience) is None and await self._jobs.job(job.id) is None:
            return say(Say.DREAM_NOTHING, language)
        await self._submit(job)
        return say(Say.DREAM_STARTED, language)

    async def log(self, context: CommandContext) -> CommandResult:
        """The newest changes, each with the name that it is taken back by."""

        async def run() -> str:
            made = await self._notebook.versions.log(context.session.audience, limit=_MOST_SHOWN)
            zone = self._zone(context.message.person)
            lines = [_line(each, zone=zone, language=context.language) for each in made]
            return "\n".join(lines) or say(Say.DREAM_LOG_EMPTY, context.language)

        return Afterwards(run=run)

    async def restore(self, context: CommandContext) -> CommandResult:
        """Take one change back; a repeated command finds it taken back."""
        name, language, audience = context.argument, context.language, context.session.audience
        if not name:
            return say(Say.USAGE, language, usage=RESTORE_USAGE)
        if not context.may_change:
            return say(Say.OWNER_ONLY, language)

        async def run() -> str:
            found = await self._notebook.versions.find(audience, name)
            if isinstance(found, Refused):
                return say(Say.DREAM_UNKNOWN, language, revision=name)
            made = await self._notebook.restore(audience, found.id)
            is_done = isinstance(made, Revision) or await self._is_undone(audience, found)
            sentence = Say.DREAM_RESTORED if is_done else Say.DREAM_CONFLICT
            return say(sentence, language, revision=found.id[:_SHORT])

        return Afterwards(run=run)

    async def _is_undone(self, audience: str, revision: Revision) -> bool:
        known = await self._notebook.versions.log(audience)
        return any(each.restores == revision.id for each in known)


def _line(revision: Revision, *, zone: ZoneInfo, language: str) -> str:
    if revision.restores:
        what = say(Say.BY_UNDO, language, revision=revision.restores[:_SHORT])
    else:
        sentence = Say.BY_HAND if revision.by_hand else Say.BY_DREAM if revision.cursor else Say.BY_REMEMBER
        what = say(sentence, language, files=", ".join(revision.files))
    at = revision.at.astimezone(zone)
    return say(Say.DREAM_LOG, language, revision=revision.id[:_SHORT], at=f"{at:%Y-%m-%d %H:%M}", what=what)
