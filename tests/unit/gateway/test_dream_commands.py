"""Who may command what of a memory, and what a job says after a crash."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from channels.messages import InboundMessage, OutboundMessage
from gateway.errors import LLMUnavailable
from gateway.jobs.documents import DocumentModel
from gateway.jobs.dream_commands import DreamCommands
from gateway.jobs.dreamer import Dreams
from gateway.jobs.dreaming import DreamJobs
from gateway.jobs.telling import Teller
from gateway.journal.base import Job, JobStatus
from gateway.journal.in_memory import InMemoryJournal
from gateway.llm.scripted import Answer, ScriptedLLM
from gateway.turns.commands import Afterwards, CommandContext
from memory.archive.record import History
from memory.longterm.notebook import Notebook
from memory.longterm.versions import Revision
from memory.sessions.session import Session
from tests.helpers.dreaming import noting_all
from tests.helpers.longterm import AUDIENCE, claim, entry

NOW = datetime(2026, 6, 1, tzinfo=UTC)
GROUP = "group-telegram--100"
TEA = claim("Ann drinks tea without sugar.")


class Study:
    """Commands and the jobs that they start, over one archive."""

    def __init__(self, state: Path, *, model: Answer = noting_all) -> None:
        self.history = History(state)
        self.notebook = Notebook(state)
        self.journal = InMemoryJournal()
        self.dreams = Dreams(
            state,
            history=self.history,
            notebook=self.notebook,
            model=DocumentModel(ScriptedLLM(otherwise=model)),
        )
        self.said: list[str] = []
        teller = Teller(self.journal, split=lambda _channel, text: [text], deliver=self._deliver)
        self.jobs = DreamJobs(self.dreams, self.notebook, teller)
        self.commands = DreamCommands(
            self.dreams,
            self.notebook,
            self.journal,
            submit=self.journal.enqueue,
            zone=lambda _person: ZoneInfo("UTC"),
        ).handlers()

    def _deliver(self, parts: Sequence[OutboundMessage]) -> None:
        self.said += [part.text for part in parts]

    async def command(
        self, name: str, argument: str = "", *, audience: str = AUDIENCE, role: str = "owner", number: int = 1
    ) -> str:
        message = InboundMessage(
            id=f"telegram:42/{number}", channel="telegram", chat_id="42", sender_id="1001",
            text=f"/{name} {argument}", received_at=NOW, person="ann",
        )  # fmt: skip
        session = Session(key="telegram:42", audience=audience, created_at=NOW, updated_at=NOW)
        result = await self.commands[name](
            CommandContext(session=session, message=message, argument=argument, role=role, language="en")
        )
        if isinstance(result, Afterwards):
            return await result.run()
        assert isinstance(result, str)
        return result

    async def waiting(self) -> Job:
        [job] = [each for each in await self.journal.list_jobs() if each.status is JobStatus.TODO]
        return job

    async def made(self) -> Revision:
        return (await self.notebook.versions.log(AUDIENCE))[0]


@pytest.mark.parametrize(("name", "argument"), [("dream", ""), ("dream-restore", "1b2c3d4e")])
async def test_a_groups_notes_are_changed_by_its_owner_alone(
    tmp_path: Path, name: str, argument: str
) -> None:
    study = Study(tmp_path)
    await study.history.append(GROUP, entry(TEA))
    refused = await study.command(name, argument, audience=GROUP, role="member")
    listed = await study.command("dream-log", audience=GROUP, role="member")
    allowed = await study.command(name, argument, audience=GROUP)
    own = await study.command(name, argument, role="member", number=2)

    assert refused == "Only the owner can do that."
    assert listed == "My notes have never changed."
    assert refused not in {allowed, own}


async def test_a_job_that_runs_again_after_a_crash_tells_what_was_committed_before(tmp_path: Path) -> None:
    study = Study(tmp_path)
    await study.history.append(AUDIENCE, entry(TEA))
    started = await study.command("dream")
    job = await study.waiting()
    await study.dreams.run(AUDIENCE)  # and killed before a word of it was said
    repeated = await study.command("dream")
    await study.jobs.run(job)
    revision = await study.made()

    assert started == repeated == "I am going through my notes."
    assert study.said == [
        f"My notes have changed: 1 line ({revision.id[:8]}). /dream-restore {revision.id[:8]} takes it back."
    ]


async def test_a_model_that_is_away_ends_the_job_and_says_so(tmp_path: Path) -> None:
    study = Study(tmp_path, model=LLMUnavailable("down"))
    await study.history.append(AUDIENCE, entry(TEA))
    await study.command("dream")
    result = await study.jobs.run(await study.waiting())
    news = await study.dreams.oldest_news(AUDIENCE)

    assert (result.status, result.error) == (JobStatus.FAILED, "LLMUnavailable")
    assert study.said == ["I could not go through my notes this time. Nothing was changed."]
    assert news is not None


async def test_a_change_whose_lines_changed_again_is_not_taken_back_alone(tmp_path: Path) -> None:
    study = Study(tmp_path)
    place = tmp_path / "memory" / AUDIENCE / "MEMORY.md"
    place.parent.mkdir(parents=True)
    for text in ("- one\n", "- two\n", "- three\n"):
        place.write_text(text)
        await study.notebook.read(AUDIENCE)
    _, second, _ = await study.notebook.versions.log(AUDIENCE)
    said = await study.command("dream-restore", second.id[:8])
    unknown = await study.command("dream-restore", "0123456789")
    usage = await study.command("dream-restore")

    assert said.startswith(f"{second.id[:8]} can't be taken back alone")
    assert unknown == "I know no change 0123456789."
    assert "/dream-restore 1b2c3d4e" in usage
    assert place.read_text() == "- three\n"
