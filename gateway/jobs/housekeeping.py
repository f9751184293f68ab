"""Everything that consolidates, wired from the settings and the ports of a turn."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import tzinfo

from gateway.config import Settings
from gateway.jobs.compaction import AfterTurn, CompactionCommands, IdleCompaction
from gateway.jobs.consolidate import CONSOLIDATE, Consolidate
from gateway.jobs.handler import JobHandler
from gateway.jobs.summarizer import LLMSummarizer
from gateway.llm.rote import RoteLLM
from gateway.service.clock import Clock, SystemClock
from gateway.service.metrics import Metrics
from gateway.turns.commands import Handler
from gateway.turns.ports import Housekeeping, TurnPorts
from memory.archive.record import History
from memory.consolidation import Consolidation, CoolDowns, Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseKeepers:
    """`jobs` go to the worker, `commands` to the chat, `housekeeping` to the turns; `idle` runs under the supervisor."""

    jobs: Mapping[str, JobHandler]
    commands: Mapping[str, Handler]
    housekeeping: Housekeeping
    idle: IdleCompaction


def housekeepers(
    settings: Settings,
    ports: TurnPorts,
    history: History,
    *,
    metrics: Metrics,
    zone: Callable[[str], tzinfo],
    clock: Clock | None = None,
) -> HouseKeepers:
    """Consolidation by the model that `memory.summarizer` names, else by the turns' own.

    `zone` gives the time zone in which the words of an audience are read. With rote, which is no language model, sessions are extracted verbatim.
    """
    clock = clock or SystemClock()
    memory = settings.memory
    handler = Consolidate(
        _consolidation(settings, ports, history, zone=zone, clock=clock),
        ports.sessions,
        ports.journal,
        split=ports.split,
        deliver=ports.deliver,
        metrics=metrics,
    )
    return HouseKeepers(
        jobs={CONSOLIDATE: handler},
        commands=CompactionCommands(ports.journal, keep_recent=memory.keep_recent).handlers(),
        housekeeping=AfterTurn(trigger=memory.trigger, max_messages=settings.sessions.max_messages),
        idle=IdleCompaction(
            ports.sessions,
            ports.journal,
            minutes=memory.idle_compact_minutes,
            keep_recent=memory.keep_recent,
            clock=clock,
        ),
    )


def _consolidation(
    settings: Settings, ports: TurnPorts, history: History, *, zone: Callable[[str], tzinfo], clock: Clock
) -> Consolidation:
    memory = settings.memory
    rote = isinstance(ports.llm, RoteLLM)
    return Consolidation(
        ports.sessions,
        history,
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
        zone=zone,
        now=clock.now,
    )
