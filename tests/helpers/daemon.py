"""The daemon as a process of its own: `python -m gateway run`, told by signals, heard over the service manager's socket."""

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import aiohttp

SECONDS = 60
"""What one step of a daemon may take on a busy machine."""


@dataclass(slots=True)
class Daemon:
    """One running (or ended) process."""

    state: Path
    process: asyncio.subprocess.Process
    _notices: socket.socket
    _heard: str = ""
    said: str = ""
    complained: str = ""
    _ended: bool = field(default=False)

    async def hears(self, word: str) -> None:
        """Wait until it tells the service manager so: `READY=1`, `STOPPING=1`; an early end is an error."""
        end = asyncio.ensure_future(self.process.wait())
        try:
            async with asyncio.timeout(SECONDS):
                while word not in self._heard:
                    news = asyncio.ensure_future(asyncio.get_running_loop().sock_recv(self._notices, 4096))
                    await asyncio.wait({news, end}, return_when=asyncio.FIRST_COMPLETED)
                    if not news.done():
                        news.cancel()
                        raise AssertionError(
                            f"the daemon ended before {word}: {await self.ended()} {self.complained}"
                        )
                    self._heard += news.result().decode() + "\n"
        finally:
            end.cancel()

    async def ready(self) -> None:
        """Wait until it runs."""
        await self.hears("READY=1")

    async def takes_signals(self) -> None:
        """Wait until SIGTERM no longer simply kills it; the kernel tells when asked, and only then."""
        bit = 1 << (signal.SIGTERM - 1)
        status = Path(f"/proc/{self.process.pid}/status")
        await self.until(lambda: int(status.read_text().partition("SigCgt:")[2].split()[0], 16) & bit > 0)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for what only the machine knows, such as a file of its state directory."""
        async with asyncio.timeout(SECONDS):
            while not condition():
                if self.process.returncode is not None:
                    raise AssertionError(f"the daemon ended: {await self.ended()} {self.complained}")
                await asyncio.sleep(0.002)

    async def stop(self) -> int:
        """SIGTERM; its exit code."""
        self.signal(signal.SIGTERM)
        return await self.ended()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal, unless it ended."""
        with suppress(ProcessLookupError):
            self.process.send_signal(number)

    async def ended(self) -> int:
        """Wait for the end; the exit code, negative for the signal that killed it."""
        if not self._ended:
            async with asyncio.timeout(SECONDS):
                out, err = await self.process.communicate()
            self.said, self.complained, self._ended = out.decode(), err.decode(), True
        assert self.process.returncode is not None
        return self.process.returncode

    async def get(self, path: str) -> tuple[int, dict[str, Any]]:
        """Ask over the control socket; status and document."""
        connector = aiohttp.UnixConnector(path=str(self.state / "control.sock"))
        async with (
            aiohttp.ClientSession("http://localhost", connector=connector) as http,
            http.get(path) as answer,
        ):
            return answer.status, await answer.json()

    def log(self) -> list[dict[str, Any]]:
        """What its log file says by now."""
        lines = (self.state / "log" / "mneme.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]


@asynccontextmanager
async def daemon(state: Path, **settings: str) -> AsyncIterator[Daemon]:
    """Start one; `telegram__token="x"` sets it. What still runs at the end of the block is killed."""
    environ = {
        name: value for name, value in os.environ.items() if not name.startswith(("MNEME_", "OPENAI_"))
    }
    environ |= {"TZ": "UTC", "MNEME_LLM__PROVIDER": "rote", "MNEME_GATEWAY__HTTP": ""}
    environ["MNEME_ACCESS__MESSAGES_PER_MINUTE"] = "0"  # tests write faster than people do
    environ |= {f"MNEME_{name.upper()}": value for name, value in settings.items()}
    with TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notices:
        notices.bind(f"{folder}/notify")
        notices.setblocking(False)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "gateway", "run", "--state", str(state)),
            env=environ | {"NOTIFY_SOCKET": f"{folder}/notify"},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        running = Daemon(state, process, notices)
        try:
            yield running
        finally:
            running.signal(signal.SIGKILL)
            await running.ended()


def model_at(base_url: str, **more: str) -> Mapping[str, str]:
    """The settings for a model server."""
    return {"llm__provider": "openai", "llm__base_url": base_url, "llm__model": "model-a", **more}
