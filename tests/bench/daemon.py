"""Figures of the daemon: many chats with a slow model, the real client on loopback, start, memory, idling."""

import asyncio
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from gateway.llm.client import Completion, Prompt
from gateway.llm.openai import OpenAIClient
from gateway.llm.scripted import ScriptedLLM
from gateway.llm.settings import Endpoint
from gateway.service import logs
from tests.bench.figure import Figure
from tests.helpers.house import House, house
from tests.helpers.telegram_server import TelegramServer

CHATS = 200
ANSWER = b"""data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"A short answer."}}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: {"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":4}}

data: [DONE]

"""
SERVER = f"""
from aiohttp import web
async def answer(request):
    await request.read()
    return web.Response(body={ANSWER!r}, content_type="text/event-stream")
app = web.Application(client_max_size=1 << 26)
app.router.add_post("/v1/chat/completions", answer)
web.run_app(app, host="127.0.0.1", port=int(__import__("sys").argv[1]), print=lambda *_: None)
"""


async def _rate(inside: House, *, rounds: int) -> float:
    """Turns a second over 200 chats that each ask one thing after the other."""
    await asyncio.gather(*(inside.ask("warm", chat_id=f"c{chat}") for chat in range(CHATS)))
    started = time.perf_counter()

    async def chat(number: int) -> None:
        for turn in range(rounds):
            await inside.ask(f"message {turn}", chat_id=f"c{number}")

    await asyncio.gather(*(chat(number) for number in range(CHATS)))
    return CHATS * rounds / (time.perf_counter() - started)


async def latency_figures() -> list[Figure]:
    """200 chats and a model in this process that takes 200 ms."""

    async def slow(_prompt: Prompt) -> Completion:
        await asyncio.sleep(0.2)
        return Completion(text="ok")

    with tempfile.TemporaryDirectory(prefix="mneme-bench-") as folder:
        logs.configure(file=Path(folder) / "log" / "mneme.jsonl")
        async with house(Path(folder) / "state", ScriptedLLM(otherwise=slow)) as inside:
            rate = await _rate(inside, rounds=8)
    name = f"turns a second, {CHATS} chats, model of 200 ms"
    return [Figure(name=name, value=f"{rate:.0f}", goal="≥ 250", met=rate >= 250)]


async def client_figures() -> list[Figure]:
    """The openai client against a server in a process of its own."""
    port = 18_760 + os.getpid() % 1000
    server = await asyncio.create_subprocess_exec(sys.executable, "-c", SERVER, str(port))
    llm = OpenAIClient(Endpoint(base_url=f"http://127.0.0.1:{port}/v1", model="m", context_window=8192))
    try:
        await _listening(port)
        await llm.warm()
        with tempfile.TemporaryDirectory(prefix="mneme-bench-") as folder:
            logs.configure(file=Path(folder) / "log" / "mneme.jsonl")
            async with house(Path(folder) / "state", llm) as inside:
                for number in range(30):
                    await inside.ask(f"warm up {number}")
                before = _cpu_ms()
                for number in range(200):
                    await inside.ask(f"question {number}")
                cost = (_cpu_ms() - before) / 200
                rate = await _rate(inside, rounds=4)
    finally:
        await llm.close()
        server.terminate()
        await server.wait()
    return [
        Figure(
            name="processor time a turn, openai client on loopback",
            value=f"{cost:.1f} ms",
            goal="≤ 10 ms",
            met=cost <= 10,
        ),
        Figure(
            name=f"turns a second, {CHATS} chats, openai client",
            value=f"{rate:.0f}",
            goal="≥ 80",
            met=rate >= 80,
        ),
    ]


async def _listening(port: int) -> None:
    for _ in range(200):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.05)
            continue
        writer.close()
        return
    raise TimeoutError(f"nothing listens on {port}")


def _cpu_ms() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return (usage.ru_utime + usage.ru_stime) * 1000


async def daemon_figures() -> list[Figure]:
    """The daemon as a process: start to ready, memory, and what it costs to do nothing."""
    figures = []
    server = TelegramServer()
    async with server.serving():
        telegram = f'[channels.telegram]\ntoken = "{server.token}"\nbase_url = "{server.base_url}"\n'
        model = '[llm]\nprovider = "openai"\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\ncontext_window = 8192\n'
        for what, toml, megabytes in (
            ("rote, no channel", '[llm]\nprovider = "rote"\n', 100),
            ("Telegram and a model", telegram + model, 130),
        ):
            seconds, rss, idle = await _started(toml)
            figures += [
                Figure(
                    name=f"start to ready, {what}", value=f"{seconds:.1f} s", goal="≤ 2 s", met=seconds <= 2
                ),
                Figure(
                    name=f"resident, {what}",
                    value=f"{rss:.0f} MiB",
                    goal=f"≤ {megabytes} MiB",
                    met=rss <= megabytes,
                ),
                Figure(name=f"idle, {what}", value=f"{idle:.2f} %", goal="< 0.2 %", met=idle < 0.2),
            ]
    return figures


async def _started(toml: str) -> tuple[float, float, float]:
    """Seconds until ready, resident MiB ten seconds later, and per cent of a core over the next twenty."""
    with tempfile.TemporaryDirectory(prefix="mneme-bench-") as folder:
        config = Path(folder) / "mneme.toml"
        config.write_text(f'[gateway]\nhttp = ""\nstate = "{folder}/state"\n{toml}')
        before = time.perf_counter()
        command = [sys.executable, "-m", "gateway", "run", "--config", str(config)]
        daemon = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        if daemon.stdout is None:
            raise RuntimeError("no pipe")
        await daemon.stdout.readline()
        seconds = time.perf_counter() - before
        await asyncio.sleep(10)
        rss, ticks = resident_mib(daemon.pid), _ticks(daemon.pid)
        await asyncio.sleep(20)
        idle = (_ticks(daemon.pid) - ticks) / os.sysconf("SC_CLK_TCK") / 20 * 100
        daemon.terminate()
        await daemon.wait()
    return seconds, rss, idle


def resident_mib(pid: int) -> float:
    """What a process holds in memory."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f"no memory figure for {pid}")


def _ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])
