"""The web, wired: two channels without a platform, and the server that they are reached through."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import urlsplit

import structlog

from channels.adapter import ChannelAdapter
from channels.messages import Scope
from channels.web.adapter import WebAdapter
from gateway.app.gateway import Gateway
from gateway.app.stores import Stores
from gateway.config import Settings
from gateway.http.answers import StoredAnswers
from gateway.http.health import Health, Probe
from gateway.http.limits import Crowding
from gateway.http.ownership import Ownership
from gateway.http.probes import database_probe, directory_probe
from gateway.http.server import Hook, HttpPorts, HttpServer
from gateway.http.status import status_report
from gateway.http.visitors import Keys, Visitors
from gateway.journal.base import Journal
from gateway.operations.operation import Document, OperationPorts, Running
from gateway.operations.table import perform
from gateway.service.clock import Clock
from gateway.service.prometheus import PrometheusMetrics
from memory.errors import StoreUnavailable

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    """The channels of the web: `web` for browsers and API clients, `terminal` for terminals that come to the daemon."""

    web: WebAdapter
    terminal: WebAdapter
    crowded: Crowding

    @property
    def adapters(self) -> list[ChannelAdapter]:
        """Both, for the gateway."""
        return [self.web, self.terminal]


def web_channels(settings: Settings, stores: Stores, *, clock: Clock) -> Web:
    """The channels, before there is a gateway for them."""
    answers = StoredAnswers(stores.journal, stores.sessions, scope=Scope(settings.sessions.scope))
    crowded = Crowding(stores.journal, clock=clock)
    return Web(
        web=WebAdapter(answers=answers, unavailable=(StoreUnavailable,), crowded=crowded),
        terminal=WebAdapter(name="terminal", answers=answers, unavailable=(StoreUnavailable,)),
        crowded=crowded,
    )


def http_server(
    gateway: Gateway,
    channels: Web,
    *,
    operations: OperationPorts,
    visitors: Visitors,
    reload: Callable[[], Awaitable[Document]],
    metrics: PrometheusMetrics,
    clock: Clock,
) -> HttpServer:
    """The server, not yet listening. `operations` are those of the state directory, which the daemon's are added to."""
    settings, stores, adapters = gateway.settings, gateway.stores, gateway.adapters.values
    health = Health(_probes(settings, stores), channels=adapters, clock=clock)

    def model() -> str:
        return gateway.llm.name

    status = status_report(
        stores.journal,
        stores.sessions,
        health=health,
        model=model,
        spending=gateway.spending,
        repairs=lambda: gateway.reports.repairs,
        clock=clock,
    )
    running = Running(
        status=status,
        reload=reload,
        requeue=gateway.delivery.requeue,
        cancel_job=gateway.background.worker.cancel,
    )
    return HttpServer(
        HttpPorts(
            web=channels.web,
            terminal=channels.terminal,
            visitors=visitors,
            health=health,
            crowded=channels.crowded,
            perform=partial(perform, replace(operations, running=running)),
            metrics=partial(_exposition, stores.journal, metrics),
            model=model,
            clock=clock,
            webhooks=list(_webhooks(adapters())),
            names=_names(settings),
        ),
        address=settings.gateway.address,
        control=settings.gateway.state / "control.sock",
    )


async def _exposition(journal: Journal, metrics: PrometheusMetrics) -> bytes:
    """The metrics, with the gauges set to what waits now."""
    counts = await journal.counts()
    metrics.queue("inbox", length=counts.unanswered)
    metrics.queue("outbox", length=counts.due)
    metrics.queue("jobs", length=counts.todo + counts.doing)
    metrics.dead_letters(count=counts.dead)
    return metrics.exposition()


def visitors_for(settings: Settings, stores: Stores) -> Visitors:
    """Who may come in, as configured; ConfigError when the house's own token is set and can't be read."""
    ownership = Ownership(stores.sessions, scope=Scope(settings.sessions.scope))
    return Visitors(keys_of(settings), ownership=ownership)


def keys_of(settings: Settings) -> Keys:
    """The tokens, read now. A person whose token can't be read can't come in; nobody comes in without one instead."""
    token = settings.channels.web.token
    people: dict[str, str] = {}
    for name, person in settings.people.items():
        value = person.web_token.reveal_if_there()
        if value:
            people[value] = name
        elif person.web_token:
            log.warning("web_token_unreadable", person=name)
    return Keys(
        owner=settings.person_here,
        token=token.reveal() if token else "",
        people=people,
        names=frozenset({settings.person_here, *settings.people}),
        sessions={session: name for name, person in settings.people.items() for session in person.web},
    )


def _probes(settings: Settings, stores: Stores) -> dict[str, Probe]:
    probes = {"journal": database_probe(stores.database)}
    if settings.sessions.store == "jsonl":
        return {**probes, "store": directory_probe(settings.gateway.state)}
    return {**probes, "store": probes["journal"]}


def _webhooks(adapters: Iterable[ChannelAdapter]) -> Iterable[Hook]:
    """Where platforms call us, of those adapters that have such a place."""
    for adapter in adapters:
        place = getattr(adapter, "webhook", adapter)
        if isinstance(place, Hook):
            yield place


def _names(settings: Settings) -> list[str]:
    """Where the operator says we are reached from outside."""
    host = urlsplit(settings.channels.telegram.webhook_url).hostname
    return [host] if host else []
