"""Everything that works beside the replies, wired from the settings and the ports of a turn."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from gateway.config import Settings
from gateway.jobs.commands import JobCommands
from gateway.jobs.handler import JobHandler
from gateway.jobs.places import Limit
from gateway.jobs.schedule import Scheduler
from gateway.jobs.subagent import Subagents
from gateway.jobs.worker import Worker
from gateway.journal.base import InboxEntry
from gateway.service.clock import Clock, SystemClock
from gateway.tools.schedule import ScheduleTool
from gateway.tools.spawn import SUBAGENT, SpawnTool
from gateway.tools.tool import Tool
from gateway.turns.commands import Handler
from gateway.turns.ports import TurnPorts


@dataclass(frozen=True, slots=True, kw_only=True)
class Background:
    """`worker` and `scheduler` run under the supervisor; `tools` and `handlers` are what turns reach them by."""

    worker: Worker
    scheduler: Scheduler
    tools: Sequence[Tool]
    handlers: Mapping[str, Handler]


def background(
    settings: Settings,
    ports: TurnPorts,
    *,
    publish: Callable[[InboxEntry], None],
    handlers: Mapping[str, JobHandler] | None = None,
    clock: Clock | None = None,
) -> Background:
    """Subagents, reminders, and whatever other kinds of job `handlers` does (one at a time of each kind).

    `ports` are a turn's before `tools` are added to them: a subagent spawns nothing and schedules nothing. Nor has
    it a tool that needs a yes, for nobody is there to give it. `publish` puts an accepted message on the bus.
    """
    clock = clock or SystemClock()
    subagents = Subagents(
        replace(ports, tools=ports.tools.without({"spawn", "schedule", *settings.tools.approve})),
        budget_tokens=settings.budgets.job_tokens,
        minutes=settings.subagents.timeout_minutes,
    )
    limit = Limit(
        at_once=settings.subagents.max_running,
        per_session=settings.subagents.max_per_session,
    )
    worker = Worker(
        ports.journal,
        {SUBAGENT: subagents, **(handlers or {})},
        publish=publish,
        limits={SUBAGENT: limit},
        clock=clock,
    )
    scheduler = Scheduler(ports.journal, publish=publish, clock=clock)
    zone = ports.settings.zone
    return Background(
        worker=worker,
        scheduler=scheduler,
        tools=[SpawnTool(worker), ScheduleTool(scheduler, zone=zone)],
        handlers=JobCommands(ports.journal, worker, scheduler, zone=zone).handlers(),
    )
