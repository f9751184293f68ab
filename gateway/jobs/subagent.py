"""A job that runs a loop of its own, and tells the session that started it what came of it."""

import asyncio
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from channels.messages import ChatKind, Entrance, InboundMessage, SessionKey, escape_part
from gateway.errors import ContextOverflow, LLMError, LLMUnavailable
from gateway.jobs.handler import JobResult
from gateway.jobs.steps import finished_steps, partial_result, shortened
from gateway.journal.base import UNFINISHED, InboxEntry, Job, JobStatus
from gateway.journal.origin import message_from
from gateway.llm.client import Completion, Prompt
from gateway.turns import restore
from gateway.turns.conversation import StoredConversation
from gateway.turns.loop import MAX_EQUAL_FAILURES, Ending, Outcome, run_loop
from gateway.turns.ports import TurnPorts
from gateway.turns.records import result_record, task_record
from gateway.turns.request import Request
from gateway.turns.turn import MAX_OVERFLOWS
from memory.errors import StoreError
from memory.sessions.session import Session

MAX_ROUNDS = 15
"""A task that needs more is better split by whoever gave it."""

FORGOTTEN = "What it found is not kept: some of it was forgotten meanwhile."

_BEYOND = 1 << 62
_LATEST = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How a subagent ended, in a word or two, and what there is to read."""

    status: JobStatus
    how: str
    text: str


class BudgetSpent(Exception):
    """The tokens of the job are used up."""


class SubagentConversation(StoredConversation):
    """A conversation with a budget in tokens (0: none); what is spent is kept in the session, so a crash resets nothing."""

    def __init__(
        self,
        session: Session,
        work: restore.Work,
        *,
        request: Request,
        ports: TurnPorts,
        budget_tokens: int,
    ) -> None:
        super().__init__(session, work, request=request, ports=ports)
        self._metadata = session.metadata
        self._budget = budget_tokens

    async def prompt(self) -> Prompt:
        """The next request; BudgetSpent when there is nothing left for it."""
        if 0 < self._budget <= self._metadata.get("spent_tokens", 0):
            raise BudgetSpent
        return await super().prompt()

    def learned(self, prompt: Prompt, completion: Completion) -> None:
        """Count as the provider does, or as we do where it says nothing."""
        super().learned(prompt, completion)
        usage = completion.usage
        spent = usage.prompt_tokens + usage.completion_tokens or prompt.estimated_tokens
        self._metadata["spent_tokens"] = self._metadata.get("spent_tokens", 0) + spent


class Subagents:
    """The handler of the kind `subagent`. `ports` are a turn's, less the tools that a subagent must not have."""

    def __init__(self, ports: TurnPorts, *, budget_tokens: int, minutes: float) -> None:
        # No parent history: what is recalled by itself would bring it in; the `recall` tool is asked on purpose.
        self._ports = replace(ports, settings=replace(ports.settings, recall_tokens=0))
        self._budget = budget_tokens
        self._minutes = minutes

    async def run(self, job: Job) -> JobResult:
        """Work on the task from where an earlier run came to. What the model raises is raised, to be tried again."""
        async with self._checkout(job) as session:
            known = await self._ports.journal.job(job.id)
            if known is not None and known.status not in UNFINISHED:
                return JobResult(status=known.status)  # cancelled or forgotten just before
            limit = asyncio.timeout(self._minutes * 60)
            try:
                async with limit:
                    end = await self._work(session, job)
            except TimeoutError:
                if not limit.expired():
                    raise
                reason = f"It was stopped after {self._minutes:g} minutes."
                end = _unfinished("timed out", session, reason)
            await self._consolidate_when_due(session, job)
        return _result(job, await self._without_forgotten(job, end))

    async def give_up(self, job: Job, error: Exception | None) -> JobResult:
        """Tell what there is; a cancelled subagent that has nothing to show says nothing, its person knows."""
        try:
            async with self._checkout(job) as session:
                steps = finished_steps(session)
                if error is None:
                    end = _unfinished("cancelled", session, "The person cancelled it.")
                    end = replace(end, status=JobStatus.CANCELLED)
                else:
                    end = _unfinished("failed", session, _reason(error))
            end = await self._without_forgotten(job, end)
        except StoreError:
            steps, end = (
                [],
                End(status=JobStatus.FAILED, how="failed", text="What it had done can't be read."),
            )
        result = _result(job, end)
        return replace(result, inbound=None) if error is None and not steps else result

    async def _without_forgotten(self, job: Job, end: End) -> End:
        """The end, less what it found where some of that was forgotten meanwhile: it may repeat it."""
        found = await self._ports.sessions.page(session_key(job), before=_BEYOND, limit=_LATEST)
        return replace(end, text=FORGOTTEN) if any(message.erased for message in found) else end

    def _checkout(self, job: Job) -> AbstractAsyncContextManager[Session]:
        return self._ports.sessions.checkout(session_key(job), audience=job.payload["audience"])

    async def _work(self, session: Session, job: Job) -> End:
        work = restore.find(session, [_entry(job)])
        if work.answer is not None:
            return _finished(session, work.answer.content)
        request = Request(session, work, ports=self._ports)
        conversation = SubagentConversation(
            session, work, request=request, ports=self._ports, budget_tokens=self._budget
        )
        await conversation.take()
        try:
            outcome = await self._loop(session, conversation, request)
        except BudgetSpent:
            reason = f"Its budget of {self._budget} tokens is used up."
            return _unfinished("not finished", session, reason)
        await conversation.save(outcome.answer())
        return _end(session, outcome)

    async def _consolidate_when_due(self, session: Session, job: Job) -> None:
        """What every turn does at its end; the job is named by what there is to do, so doing it twice changes nothing."""
        request = Request(session, restore.find(session, [_entry(job)]), ports=self._ports)
        await request.fit()
        due = self._ports.housekeeping.after_turn(
            session,
            used_tokens=request.sent_tokens,
            input_tokens=request.budget.input_tokens,
            overhead_tokens=request.overhead_tokens,
        )
        for each in due:
            await self._ports.journal.enqueue(each)

    async def _loop(self, session: Session, conversation: SubagentConversation, request: Request) -> Outcome:
        """The loop, with a smaller view when the model says that a request is too long (P7)."""
        overflows = 0
        while True:
            await request.fit()
            await request.enrich()
            try:
                return await run_loop(
                    conversation,
                    self._ports.llm,
                    pending=restore.open_calls(session, conversation.turn_id),
                    rounds=conversation.rounds,
                    max_rounds=MAX_ROUNDS,
                )
            except ContextOverflow as error:
                overflows += 1
                if overflows > MAX_OVERFLOWS:
                    raise
                request.overflowed(error)


def session_key(job: Job) -> SessionKey:
    """The session of a subagent."""
    return SessionKey(f"subagent:{escape_part(job.id)}")


def _entry(job: Job) -> InboxEntry:
    return InboxEntry(position=0, message=_task(job))


def _task(job: Job) -> InboundMessage:
    """The task as the first message of the subagent's own session, in which nobody else speaks."""
    text = task_record(job.payload["task"])
    message = message_from(
        job.payload["origin"], message_id=job.id, entrance=Entrance.SUBAGENT, text=text, at=job.created_at
    )
    return replace(message, chat_kind=ChatKind.DIRECT, session_key=session_key(job))


def _finished(session: Session, text: str, *, cut: bool = False) -> End:
    note = "\n(It ends here: the model reached its output limit.)" if cut else ""
    return End(status=JobStatus.SUCCEEDED, how="finished", text=shortened(session, text) + note)


def _unfinished(how: str, session: Session, reason: str, *, written: str = "") -> End:
    return End(status=JobStatus.FAILED, how=how, text=partial_result(session, reason, written=written))


def _end(session: Session, outcome: Outcome) -> End:
    match outcome.ending:
        case Ending.ANSWERED:
            return _finished(session, outcome.text, cut=outcome.cut)
        case Ending.EMPTY:
            return _unfinished("failed", session, "The model gave no answer.")
        case Ending.ROUND_LIMIT:
            reason = f"It was stopped after {outcome.rounds} rounds."
            return _unfinished("not finished", session, reason, written=outcome.text)
        case Ending.EQUAL_FAILURES:
            reason = f"The same call failed {MAX_EQUAL_FAILURES} times."
            return _unfinished("failed", session, reason, written=outcome.text)


def _reason(error: Exception) -> str:
    """Why it failed, never in an exception's own words."""
    if isinstance(error, LLMUnavailable):
        return "The model could not be reached."
    if isinstance(error, ContextOverflow):
        return "What it has read is too long for the model."
    if isinstance(error, LLMError):
        return "The model refused the work."
    return "Something went wrong."


def _result(job: Job, end: End) -> JobResult:
    """The end as a message to the parent: accepted in the transaction that ends the job, so told exactly once."""
    record = result_record(end.text, label=job.label, job_id=job.id, ending=end.how)
    inbound = message_from(
        job.payload["origin"],
        message_id=job.id,
        entrance=Entrance.SUBAGENT,
        text=record,
        at=datetime.now(UTC),
    )
    error = None if end.status is JobStatus.SUCCEEDED else end.how
    return JobResult(
        status=end.status,
        data={"ending": end.how, "session": session_key(job)},
        error=error,
        inbound=inbound,
    )
