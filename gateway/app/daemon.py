"""The daemon: every configured channel, the gateway, and the server that shows and steers it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from gateway.app.channels import channel_adapters
from gateway.app.dream import running_dream
from gateway.app.gateway import Gateway
from gateway.app.model import choose_model
from gateway.app.people import HouseRules
from gateway.app.reloading import Reloading
from gateway.app.stores import Stores, operation_ports
from gateway.app.vectors import require_embedder
from gateway.app.web import http_server, visitors_for, web_channels
from gateway.config import Settings
from gateway.http.server import HttpServer
from gateway.llm.client import LLMClient
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
    require_embedder(settings)
    clock, metrics = SystemClock(), PrometheusMetrics()
    choice, rules = await choose_model(settings), HouseRules(settings, stores.approvals)
    try:
        web, visitors = web_channels(settings, stores, clock=clock), visitors_for(settings, stores)
        gateway = Gateway(
            settings,
            stores,
            adapters=[*web.adapters, *channel_adapters(settings, stores, admits=rules.admits)],
            rules=rules,
            llm=choice.client,
            models=choice.models,
            metrics=metrics,
            notifier=notifier,
            hurry=hurry,
        )
        server = http_server(
            gateway,
            web,
            operations=operation_ports(settings, stores, dream=running_dream(gateway.background.dreams)),
            visitors=visitors,
            reload=Reloading(gateway, visitors),
            metrics=metrics,
            clock=clock,
        )
        await server.open()
        yield Daemon(gateway=gateway, server=server, llm=choice.client)
    finally:
        await choice.client.close()
