"""The daemon: every configured channel, the gateway, and the server that shows and steers it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from gateway.app.channels import channel_adapters
from gateway.app.dream import running_dream
from gateway.app.gateway import Gateway
from gateway.app.model import choose_model
from gateway.app.stores import Stores, operation_ports
from gateway.app.web import DaemonPorts, Web, http_server, keys_of, visitors_for, web_channels
from gateway.config import Settings, load
from gateway.http.server import HttpServer
from gateway.http.visitors import Visitors
from gateway.llm.client import LLMClient
from gateway.operations.operation import Document
from gateway.service.clock import SystemClock
from gateway.service.notify import Notifier
from gateway.service.prometheus import PrometheusMetrics


@dataclass(frozen=True, slots=True, kw_only=True)
class Daemon:
    """A gateway whose server is listening already; `run` serves until `until` returns, and drains."""

    gateway: Gateway
    server: HttpServer
    llm: LLMClient

    async def run(self, until: Callable[[], Awaitable[None]]) -> None:
        """Serve; what isn't finished after `drain_seconds` goes on after the next start."""
        try:
            await self.gateway.run(until)
        finally:
            await self.server.close()


@asynccontextmanager
async def open_daemon(
    settings: Settings,
    stores: Stores,
    *,
    notifier: Notifier,
    hurry: asyncio.Event,
) -> AsyncIterator[Daemon]:
    """Build everything and listen; GatewayError where an address can't be had, ConfigError for a bad secret."""
    clock, metrics = SystemClock(), PrometheusMetrics()
    choice = await choose_model(settings)
    try:
        web, visitors = web_channels(settings, stores, clock=clock), visitors_for(settings, stores)
        gateway = Gateway(
            settings,
            stores,
            adapters=[*web.adapters, *channel_adapters(settings, stores)],
            llm=choice.client,
            switchable=choice.endpoint is not None,
            metrics=metrics,
            notifier=notifier,
            hurry=hurry,
        )
        server = _server(gateway, web, visitors, metrics=metrics)
        await server.open()
        yield Daemon(gateway=gateway, server=server, llm=choice.client)
    finally:
        await choice.client.close()


def _server(gateway: Gateway, web: Web, visitors: Visitors, *, metrics: PrometheusMetrics) -> HttpServer:
    settings, stores = gateway.settings, gateway.stores

    async def reload() -> Document:
        return _reloaded(gateway, visitors)

    ports = DaemonPorts(
        adapters=gateway.adapters.values,
        model=lambda: gateway.llm.name,
        requeue=gateway.delivery.requeue,
        cancel_job=gateway.background.worker.cancel,
        reload=reload,
        repairs=lambda: gateway.repairs,
        metrics=metrics,
    )
    return http_server(
        settings,
        stores,
        web,
        ports,
        operations=operation_ports(settings, stores, dream=running_dream(gateway.long_term.dreams)),
        visitors=visitors,
        clock=SystemClock(),
    )


def _reloaded(gateway: Gateway, visitors: Visitors) -> Document:
    """Read the configuration anew: people, groups, roles and tokens change at once, the rest with a restart."""
    before = gateway.settings
    after = load(before.source, state=before.gateway.state, environ=before.environ)
    visitors.keys = keys_of(after)
    gateway.reload(after)
    at_once = {"people", "access"}
    changed = {name for name in type(after).model_fields if getattr(before, name) != getattr(after, name)}
    return {"applied": sorted(changed & at_once), "needs_restart": sorted(changed - at_once)}
