"""Everything around long-term memory, wired from the settings and the ports of a turn."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from gateway.config import Settings
from gateway.jobs.documents import DocumentModel
from gateway.jobs.dream_commands import DreamCommands
from gateway.jobs.dreamer import Dreams
from gateway.jobs.dreaming import DREAM, Dreaming, DreamJobs
from gateway.jobs.handler import JobHandler
from gateway.jobs.telling import Teller
from gateway.journal.base import Job
from gateway.llm.client import LLMClient
from gateway.llm.rote import RoteLLM
from gateway.service.clock import Clock, SystemClock
from gateway.tools.remember import RememberTool
from gateway.tools.tool import Tool
from gateway.turns.commands import Handler
from gateway.turns.ports import TurnPorts
from gateway.turns.remembered import MemoryCommands
from memory.archive.record import History
from memory.longterm.notebook import Notebook


@dataclass(frozen=True, slots=True, kw_only=True)
class LongTermMemory:
    """`jobs` go to the worker, `tools` to the turns of people; `commands` and `timer` need the worker's `submit`.

    `dreams` is None where no language model answers.
    """

    settings: Settings
    ports: TurnPorts
    history: History
    notebook: Notebook
    dreams: Dreams | None
    clock: Clock

    @property
    def jobs(self) -> Mapping[str, JobHandler]:
        """What the worker does."""
        teller = Teller(self.ports.journal, split=self.ports.split, deliver=self.ports.deliver)
        return {DREAM: DreamJobs(self.dreams, self.notebook, teller)}

    @property
    def tools(self) -> Sequence[Tool]:
        """What a subagent has not: nobody's words stand in its session."""
        return [RememberTool(self.ports.sessions, self.notebook, zone=self.ports.settings.zone)]

    def commands(self, submit: Callable[[Job], Awaitable[object]]) -> Mapping[str, Handler]:
        """What people may ask of their memory."""
        zone = self.ports.settings.zone
        shown = MemoryCommands(self.ports.sessions, self.history, self.notebook, zone=zone)
        changed = DreamCommands(self.dreams, self.notebook, self.ports.journal, submit=submit, zone=zone)
        return {**shown.handlers(), **changed.handlers()}

    def timer(self, submit: Callable[[Job], Awaitable[object]]) -> Dreaming:
        """What asks for Dream by the clock."""
        return Dreaming(
            self.settings.gateway.state,
            self.dreams,
            cadence=self.settings.memory.dream_cadence,
            zone=self.settings.zone_of(None),
            enqueue=submit,
            clock=self.clock,
        )


def long_term_memory(
    settings: Settings, ports: TurnPorts, *, history: History, notebook: Notebook, clock: Clock | None = None
) -> LongTermMemory:
    """Dream by the turns' own model, or the one that `memory.summarizer` names."""
    return LongTermMemory(
        settings=settings,
        ports=ports,
        history=history,
        notebook=notebook,
        dreams=dreams_of(settings, ports.llm, history=history, notebook=notebook),
        clock=clock or SystemClock(),
    )


def dreams_of(settings: Settings, llm: LLMClient, *, history: History, notebook: Notebook) -> Dreams | None:
    """Dream with this model; None for rote, which is no language model."""
    if isinstance(llm, RoteLLM):
        return None
    model = DocumentModel(llm, model=settings.memory.summarizer)
    return Dreams(settings.gateway.state, history=history, notebook=notebook, model=model)
