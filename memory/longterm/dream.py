"""Dream: what consolidations left in the archive becomes verified edits of the long-term files."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from memory import tokens
from memory.archive.entry import Entry
from memory.archive.record import History
from memory.crashpoints import CrashPoint, reach
from memory.errors import SummarizerFailed
from memory.longterm.batches import answer_tokens, believed, file_tokens, next_batch, shown_files
from memory.longterm.edits import Outcome, carry_out
from memory.longterm.lines import is_blank_or_heading, parse_line, short_id
from memory.longterm.notebook import Contents, Notebook
from memory.longterm.pages import NO_PAGE, Page
from memory.longterm.progress import Aside, Progress
from memory.longterm.proposals import Edit, NoProposal, proposed_edits
from memory.longterm.refusal import Refused
from memory.longterm.verdict import Accepted, Basis
from memory.longterm.versions import Change, Revision
from memory.longterm.versions.ownership import lines_of
from memory.sessions.locks import KeyedLocks

MOST_ATTEMPTS = 3
"""At one batch, before it is set aside: a model that fails so often on it will not do better tomorrow."""

_MOST_BEGUN = 10
"""Without an end, before a batch is set aside: by then it is not a restart that interrupts, but what we ask."""


class Dreamer(Protocol):
    """What Dream asks of a model; the gateway provides it."""

    async def propose(self, entries: Sequence[Entry], *, files: Mapping[str, str], max_tokens: int) -> object:
        """The answer, as a document (see `proposed_edits`), of at most `max_tokens`.

        The claims of the entries are data, whatever they say. Raises SummarizerFailed where there is no answer.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchReport:
    """What became of the entries from one cursor to another. `failure` says why nothing was even proposed."""

    from_cursor: int
    to_cursor: int
    accepted: tuple[Accepted, ...] = ()
    refused: tuple[tuple[Edit, Refused], ...] = ()
    problems: tuple[str, ...] = ()
    revision: Revision | None = None
    failure: str = ""


@dataclass(slots=True, kw_only=True)
class DreamReport:
    """What one run did; `batches` is empty when there was nothing new, and then no model was asked."""

    audience: str
    batches: list[BatchReport] = field(default_factory=list)
    aside: list[Aside] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    given_up: int = 0
    """How many batches are set aside by now, those of earlier runs included."""


class Dream:
    """Reads the archive after its cursor, asks, verifies, writes, commits, and only then moves the cursor."""

    def __init__(self, state: Path, *, history: History, notebook: Notebook, dreamer: Dreamer) -> None:
        self._state = state
        self._history = history
        self._notebook = notebook
        self._dreamer = dreamer
        self._locks = KeyedLocks()

    async def run(
        self, audience: str, *, window_tokens: int, dry_run: bool = False, retry: bool = False
    ) -> DreamReport:
        """Work through everything that is new; stop at a batch for which the model has no answer.

        With `retry`, what was given up earlier is read first, once more; what fails again stays given up. A dry run asks and verifies just so, and changes nothing. A revision that a person undoes does not bring
        the cursor back: reading the same entries again would cost tokens to propose the same lines; their claims
        are remembered as declined instead, and are not written again.
        """
        async with self._locks.hold(audience):
            run = _Run(
                audience=audience, window_tokens=window_tokens, dry_run=dry_run, report=DreamReport(audience=audience),
                history=self._history, notebook=self._notebook, dreamer=self._dreamer,
                progress=Progress(self._state, audience=audience),
            )  # fmt: skip
            if retry:
                await run.again()
            await run.work()
            run.report.given_up = len(await run.progress.aside())
            return run.report

    async def spare(self, audience: str) -> None:
        """The attempt that was just broken off doesn't count: the model could not be reached."""
        await Progress(self._state, audience=audience).spare()


@dataclass(slots=True, kw_only=True)
class _Run:
    audience: str
    window_tokens: int
    dry_run: bool
    report: DreamReport
    history: History
    notebook: Notebook
    dreamer: Dreamer
    progress: Progress
    # What a dry run would have written by now.
    imagined: dict[str, Page] = field(default_factory=dict)
    # What is read again lies behind the cursor, which stays where it is.
    is_again: bool = False

    async def again(self) -> None:
        """Read what was given up, batch by batch."""
        self.is_again = True
        for aside in await self.progress.aside():
            news = await self.history.entries(self.audience, after=aside.from_cursor - 1)
            entries = tuple(entry for entry in news if entry.cursor <= aside.to_cursor)
            given_up = len(self.report.aside)
            if await self._read(entries) and len(self.report.aside) == given_up and not self.dry_run:
                await self.progress.take_back(aside)
        self.is_again = False

    async def work(self) -> None:
        """Read what is new."""
        await self._read(await self._news())
        if self.report.batches:
            await self._warn()

    async def _read(self, entries: tuple[Entry, ...]) -> bool:
        """Read entries in batches that fit; False where the model has no answer to one."""
        while entries:
            contents = await self.notebook.read(self.audience)
            files = await asyncio.to_thread(
                shown_files, {**contents.pages, **self.imagined}, window_tokens=self.window_tokens
            )
            batch = await asyncio.to_thread(
                next_batch, entries, window_tokens=self.window_tokens, files=files
            )
            if not batch and files:
                # What stands in them is known to the code, which writes nothing twice.
                files = {}
                batch = await asyncio.to_thread(
                    next_batch, entries[:1], window_tokens=self.window_tokens, files=files
                )
            if not batch:
                await self._give_up(entries[:1], reason="the entry is longer than the model's window")
                entries = entries[1:]
                continue
            if not await self._try(batch, files=files):
                return False
            entries = entries[len(batch) :]
        return True

    @property
    def _counts(self) -> bool:
        """Whether the run moves the cursor, and counts attempts at what lies before it."""
        return not (self.dry_run or self.is_again)

    async def _news(self) -> tuple[Entry, ...]:
        """The entries that nothing was made of yet; a change that was committed before a crash tells how far it went."""
        cursor = await self.progress.cursor()
        entries = await self.history.entries(self.audience, after=cursor)
        if not entries:
            return ()
        committed = (await self.notebook.read(self.audience)).ownership.cursor
        if committed > entries[-1].cursor:
            return entries  # that change was made of an archive which is no longer there
        if committed > cursor and not self.dry_run:
            await self.progress.move(committed)
        return tuple(entry for entry in entries if entry.cursor > committed)

    async def _try(self, batch: tuple[Entry, ...], *, files: Mapping[str, str]) -> bool:
        """Ask and write; whether to go on with what comes next."""
        after = batch[0].cursor - 1
        if self._counts and await self.progress.begin(after=after) > _MOST_BEGUN:
            await self._give_up(batch, reason=f"{_MOST_BEGUN} attempts were broken off")
            return True
        try:
            document = await self.dreamer.propose(
                batch, files=files, max_tokens=answer_tokens(self.window_tokens)
            )
            edits, problems = proposed_edits(document)
        except (SummarizerFailed, NoProposal) as failure:
            self.report.batches.append(
                BatchReport(from_cursor=batch[0].cursor, to_cursor=batch[-1].cursor, failure=str(failure))
            )
            if not self._counts or await self.progress.fail(after=after) < MOST_ATTEMPTS:
                return False
            await self._give_up(batch, reason=f"{MOST_ATTEMPTS} attempts failed, the last: {failure}")
            return True
        await self._write(batch, edits=edits, problems=problems)
        return True

    async def _write(
        self, batch: tuple[Entry, ...], *, edits: Sequence[Edit], problems: tuple[str, ...]
    ) -> None:
        claims = believed(batch)
        outcomes: list[Outcome] = []

        def decide(contents: Contents) -> Change | None:
            basis = Basis(
                audience=self.audience,
                pages={**contents.pages, **self.imagined},
                ownership=contents.ownership,
                claims=claims,
            )
            outcome = carry_out(edits, basis=basis)
            outcomes.append(outcome)
            if self.dry_run or not outcome.files:
                return None
            title = change_title("Dream", before=contents.pages, after=outcome.files)
            cursor = contents.ownership.cursor if self.is_again else batch[-1].cursor
            return Change(files=outcome.files, title=title, claims=outcome.claims, cursor=cursor)

        revision = await self.notebook.change(self.audience, decide=decide)
        if revision is not None and await self._take_out_forgotten(batch):
            revision = None
        if self.dry_run:
            self.imagined |= {path: Page(data=data) for path, data in outcomes[-1].files.items()}
        report = BatchReport(
            from_cursor=batch[0].cursor,
            to_cursor=batch[-1].cursor,
            accepted=outcomes[-1].accepted,
            refused=outcomes[-1].refused,
            problems=problems,
            revision=revision,
        )
        self.report.batches.append(report)
        if unwritable := [refused for _, refused in report.refused if refused.is_of_file]:
            # Nobody would note it when the file is mended: the cursor would be past it.
            await self._give_up(batch, reason=unwritable[0].reason)
        elif self._counts:
            await self._move(batch[-1].cursor)

    async def _take_out_forgotten(self, batch: tuple[Entry, ...]) -> bool:
        """Erase what was written on claims that were forgotten since the batch was read; whether there were any.

        `forget` goes through the archive before it goes through the files: what it can't have found in the files, it
        has taken out of the archive by now.
        """
        now = await self.history.entries(self.audience, after=batch[0].cursor - 1)
        kept = {claim.id for entry in now for claim in entry.claims}
        gone = {short_id(claim) for claim in believed(batch) if claim not in kept}
        if gone:
            await self.notebook.erase(
                self.audience, is_erased=lambda line: not gone.isdisjoint(parse_line(line).claims)
            )
        return bool(gone)

    async def _move(self, cursor: int) -> None:
        await self.progress.move(cursor)
        reach(CrashPoint.DREAM_CURSOR_AFTER)

    async def _give_up(self, batch: tuple[Entry, ...], *, reason: str) -> None:
        aside = Aside(
            from_cursor=batch[0].cursor, to_cursor=batch[-1].cursor, at=datetime.now(UTC), reason=reason
        )
        self.report.aside.append(aside)
        if self._counts:
            await self.progress.set_aside(aside)
            await self._move(aside.to_cursor)

    async def _warn(self) -> None:
        pages = {**(await self.notebook.read(self.audience)).pages, **self.imagined}
        for path, page in pages.items():
            if page.problem:
                self.report.warnings.append(f"{path} {page.problem}")
            elif (size := await tokens.count_async(page.data.decode("utf-8", "replace"))) > file_tokens(
                self.window_tokens
            ):
                self.report.warnings.append(
                    f"{path} takes {size} tokens of a window of {self.window_tokens}; every prompt carries it"
                )


def change_title(who: str, *, before: Mapping[str, Page], after: Mapping[str, bytes]) -> str:
    """What a change does, in lines that say something, counted from the real difference: `Dream: MEMORY.md +3 -1`."""
    parts = []
    for path, data in after.items():
        old, new = (
            Counter(line for line in lines_of(each) if not is_blank_or_heading(line))
            for each in (before.get(path, NO_PAGE).data, data)
        )
        added, removed = (new - old).total(), (old - new).total()
        parts.append(f"{path}{f' +{added}' if added else ''}{f' -{removed}' if removed else ''}")
    return f"{who}: {', '.join(parts)}"
