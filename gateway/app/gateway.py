"""Wiring only: what a running Mneme consists of, started in order, stopped in reverse."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from datetime import UTC, datetime
from functools import partial
from zoneinfo import ZoneInfo

import structlog

from channels.adapter import ChannelAdapter
from channels.errors import ChannelError, ChannelRefused
from channels.messages import InboundMessage, OutboundMessage
from gateway.app.background import background
from gateway.app.homes import Homes
from gateway.app.people import HouseRules, audience_of, role_of, roles_of
from gateway.app.stores import Stores, forget_for
from gateway.bus import Bus
from gateway.config import Settings
from gateway.delivery import Delivery, DeliveryOutcome
from gateway.dispatcher import Dispatcher
from gateway.intake import Intake
from gateway.jobs.compaction import AfterTurn
from gateway.llm.client import LLMClient
from gateway.llm.metered import MeteredLLM, Spending
from gateway.llm.rote import RoteLLM
from gateway.pace import Pace
from gateway.pairing.commands import pairing_handlers
from gateway.pairing.strangers import Strangers
from gateway.service.clock import SystemClock
from gateway.service.metrics import Metrics
from gateway.service.notify import Notifier, probe_loop
from gateway.service.supervisor import State, Supervisor
from gateway.service.waiting import first_of
from gateway.tools.files import FilesTool
from gateway.tools.recall import RecallTool
from gateway.tools.recollection import Recollection
from gateway.tools.registry import ToolRegistry
from gateway.tools.tool import Tool
from gateway.turns.commands import Commands, Handler
from gateway.turns.forgetting import forget_handlers
from gateway.turns.live import Live
from gateway.turns.ports import TurnPorts, TurnSettings
from gateway.turns.report import TurnReports
from gateway.turns.status import Models, status_handlers
from memory import tokens
from memory.errors import StoreError
from memory.longterm.files import LongTermFiles

log = structlog.get_logger(__name__)


class Gateway:
    """The daemon, or a terminal chat that is all of it in one process."""

    def __init__(
        self,
        settings: Settings,
        stores: Stores,
        *,
        adapters: Sequence[ChannelAdapter],
        llm: LLMClient,
        rules: HouseRules | None = None,
        tools: Sequence[Tool] = (),
        models: Models | None = None,
        metrics: Metrics | None = None,
        notifier: Notifier | None = None,
        hurry: asyncio.Event | None = None,
    ) -> None:
        self.settings = settings
        self.stores = stores
        self.adapters: Mapping[str, ChannelAdapter] = {adapter.name: adapter for adapter in adapters}
        self.rules = rules or HouseRules(settings, stores.approvals)
        self.delivery = Delivery(
            stores.journal, self.adapters, clock=SystemClock(), on_delivered=self._delivered
        )
        self.strangers = Strangers(
            stores.journal, deliver=self.delivery.deliver, language=settings.gateway.language
        )
        pace = Pace(per_minute=settings.access.messages_per_minute, clock=SystemClock())
        self.bus = Bus(stores.journal, pace=pace.wait)
        self.metrics = metrics or Metrics()
        self.reports = TurnReports(self.metrics)
        stores.database.on_commit(lambda seconds: self.metrics.fsync(seconds=seconds))
        self.supervisor = Supervisor(clock=SystemClock(), terminal=(ChannelRefused,))
        prices = settings.llm
        self.spending = Spending(self.metrics, price_in=prices.price_in, price_out=prices.price_out)
        # Rote asks nobody, and housekeeping knows it by what it is.
        self.llm = llm if isinstance(llm, RoteLLM) else MeteredLLM(llm, self.spending, budgets=stores.budgets)
        self._notifier = notifier or Notifier({})
        self._hurried = hurry or asyncio.Event()
        self.background = background(
            settings,
            stores,
            self._turn_ports(tools),
            publish=self.bus.publish,
            rules=self.rules,
            metrics=self.metrics,
            clock=SystemClock(),
            lasting=self.adapters.keys() != {"terminal"},
        )
        self.dispatcher = self._dispatcher(models)
        self.intake = self._intake()

    def _turn_ports(self, tools: Sequence[Tool]) -> TurnPorts:
        recollection = Recollection(self.stores.index, self.stores.sessions)
        files = LongTermFiles(self.settings.gateway.state)
        return TurnPorts(
            sessions=self.stores.sessions,
            journal=self.stores.journal,
            llm=self.llm,
            tools=tool_registry(self.settings, [RecallTool(recollection), FilesTool(files)], extra=tools),
            files=files,
            recall=recollection,
            settings=turn_settings(self.settings, zone=self.rules.zone_of),
            deliver=self.delivery.deliver,
            split=self._split,
            live=self._live,
            role=self._role,
            housekeeping=AfterTurn(
                trigger=self.settings.memory.trigger, max_messages=self.settings.sessions.max_messages
            ),
        )

    def _dispatcher(self, models: Models | None) -> Dispatcher:
        handlers = {
            **self._handlers(self.llm, models=models),
            **self.background.handlers,
            **forget_handlers(forget_for(self.settings, self.stores)),
        }
        return Dispatcher(
            self.bus,
            self.background.ports,
            Commands(handlers),
            audience=audience_of,
            max_turns=self.settings.gateway.max_turns,
            busy=self.settings.sessions.busy,
            finished=self.reports,
        )

    def _intake(self) -> Intake:
        return Intake(
            self.stores.journal,
            self.bus,
            self.dispatcher,
            admit=self.rules.admit,
            refused=self._refused,
            session_of=Homes(self.settings, self.stores.sessions).session_of,
            deliver=self.delivery.deliver,
            tell=self._tell,
            language=self.settings.gateway.language,
            interrupt=self.settings.sessions.busy == "interrupt",
        )

    async def _refused(self, message: InboundMessage) -> None:
        """Who isn't let in may ask to be, unless the operator wants silence."""
        if self.settings.access.pairing:
            await self.strangers.answer(message)

    def _role(self, message: InboundMessage) -> str:
        return role_of(self.stores.approvals, message)

    def reload(self, settings: Settings) -> None:
        """Go by these people, groups and roles from now on; everything else needs a restart."""
        self.settings = settings
        self.stores.approvals.configured = roles_of(settings)
        self.rules.reload(settings)

    def _delivered(self, message: OutboundMessage, outcome: DeliveryOutcome) -> None:
        self.metrics.delivery(message.channel, outcome=outcome)

    async def run(self, until: Callable[[], Awaitable[None]]) -> None:
        """Serve until `until` returns; then let what runs finish, for `drain_seconds` at most."""
        await self.bus.recover()
        self.supervisor.start("delivery", self.delivery.run)
        self.supervisor.start("index", self.stores.index.run)
        self.supervisor.start("worker", self.background.worker.run)
        self.supervisor.start("scheduler", self.background.scheduler.run)
        self.supervisor.start("idle compaction", self.background.idle.run)
        self.supervisor.start("dream", self.background.dreaming.run)
        self.supervisor.start("dispatcher", self.dispatcher.run)
        for name, adapter in self.adapters.items():
            self.supervisor.start(f"channel {name}", partial(adapter.run, self.intake.receive))
        self.supervisor.start("probe", self._probe)
        self.supervisor.start("warm-up", self._warm_up)
        async with AsyncExitStack() as closing:
            for adapter in self.adapters.values():
                closing.push_async_callback(adapter.close)
            try:
                await until()
            finally:
                await self.supervisor.stop(*(f"channel {name}" for name in self.adapters))
                await self.supervisor.stop(
                    drain=self._drain_or_hurry, seconds=self.settings.gateway.drain_seconds
                )

    async def _drain_or_hurry(self) -> None:
        """Let what runs finish, unless somebody is in a hurry or nothing can be written; the next start goes on."""
        try:
            await first_of(self.drain(), self._hurried.wait())
        except StoreError as error:
            log.error("drain_abandoned", error=str(error))

    async def _probe(self) -> None:
        await probe_loop(clock=SystemClock(), metrics=self.metrics, notifier=self._notifier)

    async def _warm_up(self) -> None:
        """Do ahead, off the loop, what the first message would wait for."""
        await asyncio.to_thread(tokens.warm)
        await self.llm.warm()

    async def serve_until_ended(self, channel: str) -> None:
        """Serve until this channel has nothing more to say (a terminal at the end of its input)."""

        async def ended() -> None:
            await self.supervisor.reached(f"channel {channel}", State.ENDED)

        await self.run(ended)

    async def drain(self) -> None:
        """Return when everything accepted is answered and everything owed that can be sent is sent."""
        await self.bus.drain()
        await self.delivery.drain()

    def _handlers(self, llm: LLMClient, *, models: Models | None) -> Mapping[str, Handler]:
        """The commands that need more than a session."""
        journal = self.stores.journal

        async def jobs(session: str) -> int:
            return len(await journal.list_jobs(session=session, unfinished=True))

        status = status_handlers(
            llm,
            models=models,
            waiting=journal.unanswered,
            jobs=jobs,
            started_at=datetime.now(UTC),
            zone=self.rules.zone_of,
        )
        return {**status, **pairing_handlers(self.stores.approvals, deliver=self.delivery.deliver)}

    async def _tell(self, message: OutboundMessage) -> None:
        """Say something past the outbox, which can't be written now; a failure is the platform's."""
        adapter = self.adapters.get(message.channel)
        if adapter is not None and adapter.abilities.asides:
            with suppress(ChannelError):
                await adapter.send(message)

    def _live(self, message: OutboundMessage) -> Live:
        """Where this reply is shown while it is written."""
        return Live(
            message,
            adapter=self.adapters.get(message.channel),
            outbox=self.stores.journal,
            clear=self.delivery.clear,
        )

    def _split(self, channel: str, text: str) -> list[str]:
        adapter = self.adapters.get(channel)
        return adapter.split(text) if adapter is not None else [text]


def tool_registry(settings: Settings, tools: Sequence[Tool], *, extra: Sequence[Tool] = ()) -> ToolRegistry:
    """The tools that are configured and exist, by role; `extra` ones are everybody's."""
    enabled = set(settings.tools.enabled) | {tool.schema.name for tool in extra}
    member = set(settings.tools.member) | {tool.schema.name for tool in extra}
    return ToolRegistry([*tools, *extra], allowed={"owner": enabled, "member": enabled & member})


def turn_settings(settings: Settings, *, zone: Callable[[str | None], ZoneInfo]) -> TurnSettings:
    """What a turn goes by."""
    return TurnSettings(
        max_output=settings.llm.max_output,
        max_messages=settings.sessions.max_messages,
        recall_tokens=settings.memory.recall_tokens,
        language=settings.gateway.language,
        zone=zone,
    )
