"""What a kill and the next start must leave behind, looked at in the stores and on the platform."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

from gateway.app import Stores, open_stores
from gateway.journal.base import JobStatus
from memory.messages import AssistantMessage, Message, ToolMessage, UserMessage
from tests.crash.child import answer_all, settings_of
from tests.crash.outcomes import JOBS, KEY, OUTCOMES, message_id
from tests.crash.platform import SHOWN, TOOLS, read_log


async def second_run(directory: Path, store: str, outcome: str, *, edits: bool) -> None:
    """Start again after the kill, let everything be answered, and write down what isn't as promised."""
    settings = settings_of(directory, store)
    async with open_stores(settings) as stores:
        done_before = await _results(stores)
        runs_before = _tool_runs(directory)
        await answer_all(directory, stores, settings, edits=edits)
    async with open_stores(settings) as stores:
        faults = [fault async for fault in _faults(directory, stores, outcome)]
    again = [call for call in done_before if _tool_runs(directory)[call] > runs_before[call]]
    faults += [f"{call} ran again, though its result was stored" for call in again]
    found = {"faults": faults, "repeats": repeats(directory), "left": left_empty(directory)}
    (directory / "found.json").write_text(json.dumps(found))


def repeats(directory: Path) -> int:
    """How many parts stand on the platform more than once; what is edited into one place stands there once."""
    shown = {(record["part"], record["place"]) for record in read_log(directory / SHOWN) if record["text"]}
    return len(shown) - len({part for part, _ in shown})


def left_empty(directory: Path) -> int:
    """How many placeholders never became an answer."""
    records = read_log(directory / SHOWN)
    return len(
        {record["place"] for record in records} - {record["place"] for record in records if record["text"]}
    )


def _tool_runs(directory: Path) -> Counter[str]:
    return Counter(record["call"] for record in read_log(directory / TOOLS))


async def _results(stores: Stores) -> list[str]:
    """The calls whose results are stored."""
    keys = [KEY, *(f"subagent:{job}" for job in JOBS)]
    return [
        message.tool_call_id
        for key in keys
        for message in await stores.sessions.read(key, from_seq=1, to_seq=10_000)
        if isinstance(message, ToolMessage)
    ]


async def _faults(directory: Path, stores: Stores, outcome: str) -> AsyncIterator[str]:
    """Everything that is not as promised."""
    texts = {message_id(number): text for number, text in enumerate(OUTCOMES[outcome])}
    if outcome == "subagents":
        texts |= dict.fromkeys(JOBS, "")
        async for fault in _job_faults(stores):
            yield fault
    messages = await stores.sessions.read(KEY, from_seq=1, to_seq=10_000)
    for fault in _stored_faults(messages, texts):
        yield fault
    answered = {i for record in read_log(directory / SHOWN) if record["text"] for i in record["answers"]}
    for i in texts.keys() - answered:
        yield f"{i} was never answered"
    waiting, owed = await stores.journal.waiting(), await stores.journal.due()
    if waiting or owed:
        yield f"{len(waiting)} messages wait, {len(owed)} parts are owed"


def _stored_faults(messages: Sequence[Message], texts: dict[str, str]) -> Iterator[str]:
    """What a session holds: every message once, unless it is a command; one answer a turn; no gap."""
    stored = Counter(message.source_id for message in messages if isinstance(message, UserMessage))
    for i, text in texts.items():
        expected = 0 if text.startswith("/") and text != "/retry" else 1
        if stored[i] != expected:
            yield f"{i} is stored {stored[i]} times"
    answers = Counter(m.turn for m in messages if isinstance(m, AssistantMessage) and not m.tool_calls)
    for turn, count in answers.items():
        if count > 1:
            yield f"turn {turn} has {count} answers"
    if [message.seq for message in messages] != list(range(1, len(messages) + 1)):
        yield "the numbers have gaps"


async def _job_faults(stores: Stores) -> AsyncIterator[str]:
    """What is wrong with the subagents: each ran to its end, and its own session holds task, round, result and answer."""
    jobs = {job.id: job.status for job in await stores.journal.list_jobs()}
    if jobs != dict.fromkeys(JOBS, JobStatus.SUCCEEDED):
        yield f"the jobs are {jobs}"
    for job in JOBS:
        messages = await stores.sessions.read(f"subagent:{job}", from_seq=1, to_seq=100)
        kinds = [type(message) for message in messages]
        if kinds != [UserMessage, AssistantMessage, ToolMessage, AssistantMessage]:
            yield f"the session of {job} holds {[kind.__name__ for kind in kinds]}"
