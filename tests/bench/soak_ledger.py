"""What was said during the soak, and whether all of it is where it belongs at the end."""

import subprocess
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gateway.app import Stores
from gateway.journal.base import Job, JobStatus
from memory.messages import AssistantMessage, Message, UserMessage
from tests.bench.soak_mind import ANSWER, MARK

ALL = 1_000_000


@dataclass(slots=True, kw_only=True)
class Said:
    """One message of a person. `secret` is a word that stands in nothing else.

    What `may_be_interrupted` is closed by a notice and answered with the next message, if that still has it in view.
    """

    mark: str
    chat: str
    secret: str
    may_be_interrupted: bool
    forgotten: bool = False


@dataclass(slots=True, kw_only=True)
class Reminded:
    """A reminder that was asked for."""

    mark: str
    chat: str


@dataclass(slots=True)
class Ledger:
    """`texts` gives what the program shows in a chat now; `kills` were not announced to it."""

    texts: Callable[[str], Sequence[str]]
    said: list[Said] = field(default_factory=list)
    reminded: list[Reminded] = field(default_factory=list)
    kills: int = 0

    def open(self) -> list[str]:
        """The marks whose answer or reminder nobody has seen yet."""
        seen = self._seen()
        said = [each.mark for each in self.said if not (seen[each.mark] or each.may_be_interrupted)]
        return said + [each.mark for each in self.reminded if not seen[each.mark]]

    def interrupt(self) -> None:
        """From now on a new message takes the place of what is not answered yet."""
        waiting = set(self.open())
        for each in self.said:
            each.may_be_interrupted |= each.mark in waiting

    def repeats(self) -> int:
        """How many answers and reminders stand on a platform more than once."""
        return sum(count - 1 for count in self._seen().values() if count > 1)

    def _repeated(self) -> list[str]:
        return [f"{mark} in {chat}" for (chat, mark), count in self._seen_in().items() if count > 1]

    def shown_faults(self) -> Iterator[str]:
        """Everything answered, and no more repeated than what was in flight at a kill."""
        yield from (f"{mark} was never answered" for mark in self.open())
        if self.repeats() > self.kills:
            yield f"{self.repeats()} answers were repeated at {self.kills} kills, such as {self._repeated()[:5]}"

    async def stored_faults(self, stores: Stores) -> AsyncIterator[str]:
        """Every question once, one answer a turn, nothing waiting or owed, no number missing."""
        stored = Counter[str]()
        for head in await stores.sessions.heads():
            messages = await stores.sessions.read(head.key, from_seq=1, to_seq=ALL)
            for fault in session_faults(messages):
                yield f"{head.key}: {fault}"
            for message in messages:
                if isinstance(message, UserMessage):
                    stored.update(MARK.findall(message.content))
        for said in self.said:
            if stored[said.mark] != (0 if said.forgotten else 1):
                yield f"{said.mark} is stored {stored[said.mark]} times"
        waiting, owed = await stores.journal.unanswered(), await stores.journal.entries(limit=ALL)
        if waiting or owed:
            yield f"{waiting} messages wait, {len(owed)} parts are owed or dead"
        for job in await stores.journal.list_jobs(limit=ALL):
            if job.status in {JobStatus.FAILED, JobStatus.CANCELLED} and not _is_superseded(job):
                yield f"job {job.id} is {job.status}: {job.error}"

    def forgotten_faults(self, state: Path) -> Iterator[str]:
        """No word that was erased stands anywhere on disk, in no file and in no history of one."""
        secrets = [said.secret for said in self.said if said.forgotten]
        for path in sorted(path for path in state.rglob("*") if path.is_file()):
            data = path.read_bytes()
            yield from (f"{word} still stands in {path.name}" for word in secrets if word.encode() in data)
        for folder in state.rglob(".git"):
            command = ["git", "-C", str(folder.parent), "cat-file", "--batch-all-objects", "--batch"]
            data = subprocess.run(command, check=True, capture_output=True).stdout
            yield from (
                f"{word} still stands in the history of {folder.parent.name}"
                for word in secrets
                if word.encode() in data
            )

    def _seen(self) -> Counter[str]:
        seen = Counter[str]()
        for (_, mark), count in self._seen_in().items():
            seen[mark] += count
        return seen

    def _seen_in(self) -> Counter[tuple[str, str]]:
        seen = Counter[tuple[str, str]]()
        chats = {said.chat for said in self.said} | {reminded.chat for reminded in self.reminded}
        for chat in chats:
            for text in self.texts(chat):
                if text.startswith(ANSWER):
                    seen.update((chat, mark) for mark in MARK.findall(text))
                elif text.startswith("⏰"):
                    seen[chat, text.removeprefix("⏰ ")] += 1
        return seen


def session_faults(messages: Sequence[Message]) -> Iterator[str]:
    """One answer a turn, and no number missing."""
    if [message.seq for message in messages] != list(range(1, len(messages) + 1)):
        yield "the numbers have gaps"
    answers = Counter(m.turn for m in messages if isinstance(m, AssistantMessage) and not m.tool_calls)
    yield from (f"turn {turn} has {count} answers" for turn, count in answers.items() if count > 1)


def _is_superseded(job: Job) -> bool:
    """Another job of its queueing lock did its work."""
    return job.status is JobStatus.CANCELLED and "superseded" in (job.error or "")
