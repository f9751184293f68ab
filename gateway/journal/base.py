"""The contract of the journal; `tests/contracts/test_journals.py` is its suite."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from channels.messages import InboundMessage, OutboundMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxEntry:
    """An accepted message that no turn has answered yet; `position` is its place in the order of arrival."""

    position: int
    message: InboundMessage


class OutboxStatus(StrEnum):
    """Where a part of a reply stands."""

    DUE = "due"
    DEAD = "dead"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxEntry:
    """A part of a reply on its way; `id` is `<turn id>/<part>` as users name it. `position` orders a chat's parts."""

    id: str
    position: int
    message: OutboundMessage
    status: OutboxStatus
    attempts: int = 0
    next_at: datetime | None = None
    error: str | None = None


class JobStatus(StrEnum):
    """Where a job stands."""

    TODO = "todo"
    DOING = "doing"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


UNFINISHED = frozenset({JobStatus.TODO, JobStatus.DOING})


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Work that outlives a turn.

    `id` is derived (a subagent's is `turn/round/index`). No two jobs with the same `lock` run together; no two
    with the same `queueing_lock` wait together. `payload` and `result` are JSON objects of the job's kind; `beat_at` is when it was last claimed.
    """

    id: str
    kind: str
    session: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    label: str = ""
    lock: str | None = None
    queueing_lock: str | None = None
    status: JobStatus = JobStatus.TODO
    attempts: int = 0
    run_at: datetime
    created_at: datetime
    beat_at: datetime | None = None
    result: Mapping[str, Any] = field(default_factory=dict)
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """Something that falls due: once, or by a cron expression in a time zone."""

    id: str
    session: str
    text: str
    next_at: datetime
    cron: str | None = None
    timezone: str = "UTC"
    origin: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A platform identity that the operator approved at run time (pairing); `name` is the person."""

    channel: str
    sender_id: str
    name: str
    role: str
    approved_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PairingCode:
    """A code shown to a stranger, good until `expires_at`, in a language in which they will be welcomed."""

    code: str
    channel: str
    sender_id: str
    sender_name: str
    chat_id: str
    expires_at: datetime
    language: str = ""


class Inbox(Protocol):
    """What was accepted and not yet answered. Every method that writes is durable when it returns."""

    async def accept(self, message: InboundMessage) -> InboxEntry | None:
        """Keep the message; None when its id or its delivery_id was ever accepted before."""

    async def replace(self, message: InboundMessage) -> bool:
        """Put the text of an edit in the place of the unanswered message `edit_of`; False when it isn't waiting.

        The edit's own ids are known as accepted from then on. The caller makes sure that no turn has begun on it.
        """

    async def waiting(
        self, *, session_key: str | None = None, after: int = 0, limit: int = 1000
    ) -> list[InboxEntry]:
        """Unanswered messages with a position above `after`, in order of arrival, of one session or of all."""

    async def unanswered(self) -> int:
        """How many messages wait."""

    async def accepted(self, message_id: str) -> bool | None:
        """None: never seen. False: waiting. True: answered."""

    async def message(self, message_id: str) -> InboundMessage | None:
        """The message of this id as it waits; None when it is answered or was never seen."""

    async def withdraw(self, message_ids: Sequence[str]) -> None:
        """Take the words out of waiting messages, for `forget`: they count as answered, by nothing."""

    def on_withdrawn(self, tell: Callable[[str], None]) -> None:
        """Call this with the id of every message that is withdrawn from now on, before `withdraw` returns."""

    async def respond(
        self, *, answered: Sequence[str], replies: Sequence[OutboundMessage] = (), jobs: Sequence[Job] = ()
    ) -> None:
        """In one transaction: these messages are done, these parts are due, these jobs wait.

        Doing it twice changes nothing: parts are known by (id, part), jobs by id and queueing_lock.
        """


class Outbox(Protocol):
    """What was answered and not yet delivered."""

    async def due(self, *, limit: int = 1000, after: int = 0) -> list[OutboxEntry]:
        """Parts neither delivered nor dead, in order, also before their time; part 0 with its turn's placeholder, if any."""

    async def placeholder(self, turn_id: str, platform_id: str) -> None:
        """Remember (durably) the platform message that part 0 of this turn's reply will be edited into."""

    async def placeholder_of(self, turn_id: str) -> str | None:
        """The remembered placeholder of a turn that has not been delivered."""

    async def sent(self, entry_id: str, *, platform_ids: Sequence[str] = ()) -> None:
        """The part was delivered. Written lazily: durable with the next commit or within a few hundredths of a second."""

    async def settle(self) -> None:
        """Return when every `sent` so far is durable."""

    async def failed(self, entry_id: str, *, error: str, next_at: datetime) -> None:
        """A try failed; the next is due at `next_at`."""

    async def dead(self, entry_id: str, *, error: str) -> None:
        """It can't be delivered; it stays as a dead letter until the operator retries or drops it."""

    async def retry(self, entry_id: str) -> bool:
        """A dead letter is due again now; False when there is none of that id."""

    async def drop(self, entry_id: str) -> bool:
        """Give a dead or due part up; False when there is none of that id."""

    def on_dropped(self, tell: Callable[[str], None]) -> None:
        """Call this with the id of every part that is dropped from now on, before `drop` returns."""

    async def entries(self, *, limit: int = 1000) -> list[OutboxEntry]:
        """What is not delivered, dead letters first."""


class Jobs(Protocol):
    """Work that outlives a turn."""

    async def enqueue(self, job: Job) -> bool:
        """Keep the job; False when its id exists or its queueing_lock waits already."""

    async def claim(
        self, *, now: datetime, busy_sessions: Sequence[str] = (), kinds: Sequence[str] = ()
    ) -> Job | None:
        """The oldest due job, now DOING, whose lock no running job holds; or None.

        `busy_sessions` have as many running as they may have, and are passed over.
        """

    async def finish(
        self,
        job_id: str,
        *,
        status: JobStatus,
        result: Mapping[str, Any] | None = None,
        error: str | None = None,
        inbound: InboundMessage | None = None,
    ) -> InboxEntry | None:
        """End the job and, in the same transaction, accept its result as a message; the entry of that message.

        Ending it twice changes nothing and accepts nothing.
        """

    async def reschedule(self, job_id: str, *, run_at: datetime, error: str) -> None:
        """A running job is back to TODO with one attempt more.

        If another job of its queueing_lock waits already, that one does the work and this one is CANCELLED.
        """

    async def release(self) -> int:
        """Jobs that were DOING when the process died wait again, as in `reschedule` but with no attempt more; how many."""

    async def erase_job(self, job_id: str) -> bool:
        """Take every word out of a job, for `forget`; one that isn't finished is CANCELLED. Whether there was one."""

    async def job(self, job_id: str) -> Job | None:
        """One job, whatever its status."""

    async def list_jobs(
        self, *, session: str | None = None, unfinished: bool = False, limit: int = 200
    ) -> list[Job]:
        """Newest first, the unfinished ones before the finished ones, or alone."""


class Schedule(Protocol):
    """What falls due."""

    async def remind(self, reminder: Reminder) -> None:
        """Keep it, or replace the one of the same id."""

    async def reminders(self, *, session: str | None = None) -> list[Reminder]:
        """All of them, the next one first."""

    async def fire(
        self, reminder_id: str, *, inbound: InboundMessage, next_at: datetime | None
    ) -> InboxEntry | None:
        """In one transaction: accept the message and move the reminder to `next_at`, or end it."""

    async def forget_reminder(self, reminder_id: str) -> bool:
        """Whether there was one."""


class Roster(Protocol):
    """Who was let in at run time."""

    async def members(self) -> list[Member]:
        """Everybody who was approved; a row that can't be read stays where it is and lets nobody in."""

    async def offer(self, code: PairingCode, *, now: datetime | None = None) -> PairingCode:
        """Keep a pairing code; the unexpired one (by `now`, or the clock) that this stranger already has wins.

        Raises ValueError when somebody else holds the very same code.
        """

    async def codes(self, *, now: datetime) -> list[PairingCode]:
        """Codes that have not expired."""

    async def approve(self, code: str, *, name: str, role: str, now: datetime) -> Member | None:
        """The stranger behind the code becomes a member; None when the code is unknown or expired."""

    async def revoke(self, channel: str, sender_id: str) -> bool:
        """Whether there was such a member."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How much waits: messages for a turn, parts for delivery and for the operator, jobs to begin and begun."""

    unanswered: int = 0
    due: int = 0
    dead: int = 0
    todo: int = 0
    doing: int = 0


class Journal(Inbox, Outbox, Jobs, Schedule, Roster, Protocol):
    """Everything that was accepted and everything that is owed, in one place that commits together."""

    async def counts(self) -> Counts:
        """What waits now."""

    async def close(self) -> None:
        """Write what is due and let go."""
