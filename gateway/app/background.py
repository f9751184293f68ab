"""Everything that works beside the replies, wired: consolidation, Dream, subagents, reminders."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from gateway.app.dream import dreams_of
from gateway.app.people import HouseRules
from gateway.app.stores import Stores
from gateway.config import Settings
from gateway.jobs.commands import JobCommands
from gateway.jobs.compaction import CompactionCommands, IdleCompaction
from gateway.jobs.consolidate import CONSOLIDATE, Consolidate
from gateway.jobs.dream_commands import DreamCommands
from gateway.jobs.dreamer import Dreams
from gateway.jobs.dreaming import DREAM, Dreaming, DreamJobs
from gateway.jobs.places import Limit
from gateway.jobs.schedule import Scheduler
from gateway.jobs.subagent import Subagents
from gateway.jobs.summarizer import LLMSummarizer
from gateway.jobs.telling import Teller
from gateway.jobs.worker import Worker
from gateway.journal.base import InboxEntry
from gateway.llm.rote import RoteLLM
from gateway.service.clock import Clock
from gateway.service.metrics import Metrics
from gateway.tools.remember import RememberTool
from gateway.tools.schedule import ScheduleTool
from gateway.tools.spawn import SUBAGENT, SpawnTool
from gateway.tools.tool import Tool
from gateway.turns.commands import Handler
from gateway.turns.ports import TurnPorts
from gateway.turns.remembered import MemoryCommands
from memory.consolidation import Consolidation, CoolDowns, Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Background:
    """`worker`, `scheduler`, `idle` and `dreaming` run under the supervisor.

    The turns of people reach them by `ports`, chats by `handlers`. `dreams` is None where no language model answers.
    """

    worker: Worker
    scheduler: Scheduler
    idle: IdleCompaction
    dreaming: Dreaming
    dreams: Dreams | None
    ports: TurnPorts
    handlers: Mapping[str, Handler]


def background(
    settings: Settings,
    stores: Stores,
    ports: TurnPorts,
    *,
    publish: Callable[[InboxEntry], None],
    rules: HouseRules,
    metrics: Metrics,
    clock: Clock,
    lasting: bool,
) -> Background:
    """Build it on the ports of a turn; `publish` puts an accepted message on the bus.

    `lasting` says whether the process goes on when a chat ends.
    """
    journal, notebook, zone = stores.journal, stores.notebook, ports.settings.zone
    dreams = dreams_of(settings, ports.llm, history=stores.history, notebook=notebook)
    teller = Teller(journal, split=ports.split, deliver=ports.deliver)
    consolidation = _consolidation(settings, stores, ports, rules=rules, clock=clock)
    worker = Worker(
        journal,
        {
            SUBAGENT: _subagents(settings, ports),
            CONSOLIDATE: Consolidate(consolidation, stores.sessions, teller, metrics=metrics),
            DREAM: DreamJobs(dreams, notebook, teller),
        },
        publish=publish,
        limits={SUBAGENT: _limit(settings)},
        clock=clock,
    )
    scheduler = Scheduler(journal, publish=publish, clock=clock)
    tools: list[Tool] = [
        SpawnTool(worker),
        ScheduleTool(scheduler, zone=zone, lasting=lasting),
        RememberTool(stores.sessions, notebook, zone=zone),
    ]
    return Background(
        worker=worker,
        scheduler=scheduler,
        idle=_idle_compaction(settings, stores, clock=clock),
        dreaming=_dreaming(settings, dreams, worker, clock=clock),
        dreams=dreams,
        ports=replace(ports, tools=ports.tools.plus(tools), wake=worker.wake),
        handlers={
            **JobCommands(journal, worker, scheduler, zone=zone, lasting=lasting).handlers(),
            **CompactionCommands(journal, keep_recent=settings.memory.keep_recent).handlers(),
            **MemoryCommands(stores.sessions, stores.history, notebook, zone=zone).handlers(),
            **DreamCommands(dreams, notebook, journal, submit=worker.submit, zone=zone).handlers(),
        },
    )


def _limit(settings: Settings) -> Limit:
    return Limit(at_once=settings.subagents.max_running, per_session=settings.subagents.max_per_session)


def _idle_compaction(settings: Settings, stores: Stores, *, clock: Clock) -> IdleCompaction:
    return IdleCompaction(
        stores.sessions,
        stores.journal,
        minutes=settings.memory.idle_compact_minutes,
        keep_recent=settings.memory.keep_recent,
        clock=clock,
    )


def _dreaming(settings: Settings, dreams: Dreams | None, worker: Worker, *, clock: Clock) -> Dreaming:
    return Dreaming(
        settings.gateway.state,
        dreams,
        cadence=settings.memory.dream_cadence,
        zone=settings.zone_of(None),
        enqueue=worker.submit,
        clock=clock,
    )


def _subagents(settings: Settings, ports: TurnPorts) -> Subagents:
    """With the tools of a turn before those of people are added: it spawns, schedules and notes nothing down.

    Nor has it a tool that needs a yes, for nobody is there to give it.
    """
    return Subagents(
        replace(ports, tools=ports.tools.without(settings.tools.approve)),
        budget_tokens=settings.budgets.job_tokens,
        minutes=settings.subagents.timeout_minutes,
    )


def _consolidation(
    settings: Settings, stores: Stores, ports: TurnPorts, *, rules: HouseRules, clock: Clock
) -> Consolidation:
    """By the model that `memory.summarizer` names, else by the turns' own; with rote, which is none, words are extracted."""
    memory = settings.memory
    rote = isinstance(ports.llm, RoteLLM)
    return Consolidation(
        stores.sessions,
        stores.history,
        None if rote else LLMSummarizer(ports.llm, model=memory.summarizer),
        limits=Limits(
            target=memory.target,
            rounds=memory.rounds,
            keep_recent=memory.keep_recent,
            max_messages=settings.sessions.max_messages,
            max_output=settings.llm.max_output,
        ),
        cooldowns=CoolDowns(settings.gateway.state, now=clock.now),
        window=ports.llm.window,
        zone=rules.zone_of_audience,
        now=clock.now,
    )
