"""Wiring only: what a running Mneme consists of, started in order, stopped in reverse."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial

import structlog

from channels.access import Access, GroupPolicy, Person, Refusal, Role
from channels.adapter import ChannelAdapter
from channels.errors import ChannelError, ChannelRefused
from channels.messages import ChatKind, InboundMessage, OutboundMessage, Scope
from gateway.bus import Bus
from gateway.config import Settings
from gateway.config.settings import IMPLICIT_OWNER
from gateway.delivery import Delivery
from gateway.dispatcher import Dispatcher
from gateway.intake import Intake
from gateway.journal.base import Journal
from gateway.journal.sqlite import JOURNAL_SCHEMA, SqliteJournal
from gateway.llm.choose import Choice, choose
from gateway.llm.client import LLMClient
from gateway.llm.settings import Endpoint, LLMSettings
from gateway.operations.operation import OperationPorts
from gateway.service.clock import SystemClock
from gateway.service.lock import ProcessLock
from gateway.service.supervisor import State, Supervisor
from gateway.tools.recall import RecallTool
from gateway.tools.registry import ToolRegistry
from gateway.tools.tool import Tool
from gateway.turns.commands import Commands
from gateway.turns.live import LiveReplies
from gateway.turns.ports import TurnPorts, TurnSettings
from gateway.turns.recollection import Recollection
from memory.archive.search import SearchIndex
from memory.atomic import ensure_dir
from memory.audience import group_audience, person_audience
from memory.database import Database
from memory.longterm.files import LongTermFiles
from memory.sessions.manager import SessionManager
from memory.sessions.stores.base import SessionStore
from memory.sessions.stores.jsonl import JsonlStore
from memory.sessions.stores.sqlite import SESSIONS_SCHEMA, SqliteStore

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """What is kept on disk, opened; nobody else has this state directory meanwhile."""

    database: Database
    journal: Journal
    sessions: SessionManager
    index: SearchIndex


@asynccontextmanager
async def open_stores(settings: Settings) -> AsyncIterator[Stores]:
    """Open everything under `gateway.state`; AlreadyRunning when another process has it."""
    state = settings.gateway.state
    await ensure_dir(state)
    with ProcessLock(state / "lock"):
        database = await Database.open(state / "mneme.db", schemas=[JOURNAL_SCHEMA, SESSIONS_SCHEMA])
        try:
            store: SessionStore = SqliteStore(database)
            if settings.sessions.store == "jsonl":
                store = JsonlStore(state / "sessions")
            sessions = SessionManager(store, load_limit=settings.sessions.max_messages + 100)
            index = SearchIndex(state, sessions)
            sessions.on_saved(index.saved)
            try:
                yield Stores(
                    database=database, journal=SqliteJournal(database), sessions=sessions, index=index
                )
            finally:
                await index.close()
                await sessions.close()
        finally:
            await database.close()


def operation_ports(settings: Settings, stores: Stores) -> OperationPorts:
    """What the operator's commands work on, here or through the daemon."""
    return OperationPorts(
        sessions=stores.sessions,
        index=stores.index,
        state=settings.gateway.state,
        owner_audience=person_audience(settings.owner or IMPLICIT_OWNER),
    )


class Gateway:
    """The daemon, or a terminal chat that is all of it in one process."""

    def __init__(
        self,
        settings: Settings,
        stores: Stores,
        *,
        adapters: Sequence[ChannelAdapter],
        llm: LLMClient,
        tools: Sequence[Tool] = (),
    ) -> None:
        self.settings = settings
        self.stores = stores
        self.adapters: Mapping[str, ChannelAdapter] = {adapter.name: adapter for adapter in adapters}
        self.access = access_for(settings)
        self.delivery = Delivery(stores.journal, self.adapters)
        self.bus = Bus(stores.journal)
        recollection = Recollection(stores.index, stores.sessions)
        ports = TurnPorts(
            sessions=stores.sessions,
            journal=stores.journal,
            llm=llm,
            tools=tool_registry(settings, [RecallTool(recollection)], extra=tools),
            files=LongTermFiles(settings.gateway.state),
            recall=recollection,
            settings=turn_settings(settings),
            deliver=self.delivery.deliver,
            split=self._split,
            live=LiveReplies(self.adapters, outbox=stores.journal),
            role=role_of(settings),
        )
        self.dispatcher = Dispatcher(
            self.bus,
            ports,
            Commands({}),
            audience=audience_of,
            max_turns=settings.gateway.max_turns,
            collect=settings.sessions.busy != "queue",
        )
        self.intake = Intake(
            stores.journal,
            self.bus,
            self.dispatcher,
            gate=self.access,
            scope=Scope(settings.sessions.scope),
            deliver=self.delivery.deliver,
            tell=self._tell,
            language=settings.gateway.language,
            interrupt=settings.sessions.busy == "interrupt",
        )
        self.supervisor = Supervisor(clock=SystemClock(), terminal=(ChannelRefused,))

    async def run(self, until: Callable[[], Awaitable[None]]) -> None:
        """Serve until `until` returns; then let what runs finish, for `drain_seconds` at most."""
        await self.bus.recover()
        self.supervisor.start("delivery", self.delivery.run)
        self.supervisor.start("index", self.stores.index.run)
        self.supervisor.start("dispatcher", self.dispatcher.run)
        for name, adapter in self.adapters.items():
            self.supervisor.start(f"channel {name}", partial(adapter.run, self.intake.receive))
        try:
            await until()
        finally:
            await self.supervisor.stop(*(f"channel {name}" for name in self.adapters))
            await self.supervisor.stop(drain=self.drain, seconds=self.settings.gateway.drain_seconds)

    async def serve_until_ended(self, channel: str) -> None:
        """Serve until this channel has nothing more to say (a terminal at the end of its input)."""

        async def ended() -> None:
            await self.supervisor.reached(f"channel {channel}", State.ENDED)

        await self.run(ended)

    async def drain(self) -> None:
        """Return when everything accepted is answered and everything owed that can be sent is sent."""
        await self.bus.drain()
        await self.delivery.drain()

    async def _tell(self, message: OutboundMessage) -> None:
        """Say something past the outbox, which can't be written now; a failure is the platform's."""
        adapter = self.adapters.get(message.channel)
        if adapter is not None:
            with suppress(ChannelError):
                await adapter.send(message)

    def _split(self, channel: str, text: str) -> list[str]:
        adapter = self.adapters.get(channel)
        return adapter.split(text) if adapter is not None else [text]


def access_for(settings: Settings) -> Access:
    """Who may talk, as configured; the terminal and loopback are the owner's."""
    owner = settings.owner or IMPLICIT_OWNER
    people = [Person(name=owner, role=Role.OWNER, ids={"terminal": "terminal", "loopback": owner})]
    for name, person in settings.people.items():
        for channel, ids in (("telegram", person.telegram), ("slack", person.slack)):
            people += [Person(name=name, role=Role(person.role), ids={channel: number}) for number in ids]
    policies = {"telegram": GroupPolicy(settings.channels.telegram.groups)}
    policies |= {name: GroupPolicy(workspace.groups) for name, workspace in settings.channels.slack.items()}
    return Access(
        people=tuple(people),
        groups=frozenset(settings.access.groups),
        workspaces=frozenset(settings.access.workspaces),
        policies=policies,
        report=_report_refusal,
    )


def _report_refusal(message: InboundMessage, reason: Refusal) -> None:
    """The operator reads here which id to allow; the stranger meets silence (P15)."""
    if reason is Refusal.STRANGER:
        log.warning(
            "stranger_refused", channel=message.channel, sender=message.sender_id, chat=message.chat_id
        )


def role_of(settings: Settings) -> Callable[[InboundMessage], str]:
    """What the person behind a message may command."""
    roles = {name: person.role for name, person in settings.people.items()} or {IMPLICIT_OWNER: "owner"}

    def role(message: InboundMessage) -> str:
        return roles.get(message.person or "", "member")

    return role


def audience_of(message: InboundMessage) -> str:
    """Who may see what is said here: the person behind a direct chat, or the group."""
    if message.chat_kind is ChatKind.GROUP or message.person is None:
        return group_audience(message.channel, message.chat_id)
    return person_audience(message.person)


async def choose_model(settings: Settings) -> Choice:
    """The model that answers, with the configuration's secrets read."""
    llm = settings.llm
    return await choose(
        LLMSettings(
            provider=llm.provider,
            base_url=llm.base_url,
            model=llm.model,
            api_key=llm.api_key.reveal_if_there() or "",
            context_window=llm.context_window or 0,
            max_output=llm.max_output,
            timeout=llm.timeout,
            fallback=tuple(
                Endpoint(
                    base_url=other.base_url,
                    model=other.model,
                    api_key=other.api_key.reveal_if_there() or "",
                    timeout=llm.timeout,
                )
                for other in llm.fallback
            ),
            environment_base_url=settings.environ.get("OPENAI_BASE_URL", ""),
        )
    )


def tool_registry(settings: Settings, tools: Sequence[Tool], *, extra: Sequence[Tool] = ()) -> ToolRegistry:
    """The tools that are configured and exist, by role; `extra` ones are everybody's."""
    enabled = set(settings.tools.enabled) | {tool.schema.name for tool in extra}
    member = set(settings.tools.member) | {tool.schema.name for tool in extra}
    return ToolRegistry([*tools, *extra], allowed={"owner": enabled, "member": enabled & member})


def turn_settings(settings: Settings) -> TurnSettings:
    """What a turn goes by."""
    return TurnSettings(
        max_output=settings.llm.max_output,
        max_messages=settings.sessions.max_messages,
        recall_tokens=settings.memory.recall_tokens,
        language=settings.gateway.language,
        zone=cache(settings.zone_of),
    )
