"""`make soak`: an hour of everything at once, with kills, and a ledger at the end.

A real daemon with a strict Telegram, a strict Slack and a strict model server; people who write, ask for reminders,
send subagents, consolidate, dream and forget, in an order that the seed decides. The first two thirds of the time
the daemon is killed again and again, at random moments and at its crash points, and comes back with another way of
treating what arrives during a turn; in the last third it lives on, so that what grows is seen.
"""

import argparse
import asyncio
import logging
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

import uvloop

from gateway.app import open_stores
from gateway.config import load
from memory.crashpoints import CrashPoint
from tests.bench.daemon import resident_mib
from tests.bench.soak_mind import think
from tests.bench.soak_world import BUSY, CHATS, SLACK, World, operator, person
from tests.helpers.daemon import Daemon, daemon
from tests.helpers.elsewhere import elsewhere
from tests.helpers.model_answers import Answer, Wire
from tests.helpers.model_server import ModelServer
from tests.helpers.slack_server import SlackServer
from tests.helpers.telegram_house import people_toml
from tests.helpers.telegram_server import TelegramServer

LIFE_SECONDS = (8.0, 25.0)
"""How long a daemon lives before it is killed."""

SETTLE_SECONDS = 120.0
"""How long the last answers may take; a reminder takes one minute."""

TOML = """
[sessions]
store = "{store}"
[memory]
dream = "every 1m"
idle_compact_minutes = 1
[access]
messages_per_minute = 600
[people.u1]
slack = "U1"
role = "member"
[people.u2]
slack = "U2"
role = "member"
"""


@asynccontextmanager
async def life(world: World, *, crash_at: str = "") -> AsyncIterator[Daemon]:
    """One daemon, from its start to its end."""
    more = {"crash_at": crash_at} if crash_at else {}
    async with daemon(world.state, **world.settings, **more) as running:
        try:
            yield running
        finally:
            world.alive.clear()


async def lives(world: World, *, until: float) -> None:
    """Let daemons live and die: killed, at a crash point or anywhere, or asked to stop."""
    points = [point.value for point in CrashPoint]
    while time.monotonic() < until:
        world.busy = world.rng.choice(BUSY)
        if world.busy == "interrupt":
            world.ledger.interrupt()
        crash_at = (
            f"{world.rng.choice(points)}:{world.rng.randint(1, 20)}" if world.rng.random() < 0.5 else ""
        )
        seconds = world.rng.uniform(*LIFE_SECONDS)
        async with life(world, crash_at=crash_at) as running:
            if await _dies(world, running, seconds=seconds):
                world.ledger.kills += 1
                continue
            if world.rng.random() < 0.25:
                code = await running.stop()
                if code == -signal.SIGKILL and crash_at:
                    world.ledger.kills += 1  # at its crash point, while it let the last turns finish
                elif code != 0 or running.complained:
                    world.faults.append(f"a stop ended so: {running.process.returncode} {running.complained}")
            else:
                running.signal(signal.SIGKILL)
                world.ledger.kills += 1


async def _dies(world: World, running: Daemon, *, seconds: float) -> bool:
    """Whether the daemon dies by itself within these seconds, at the crash point that it is armed for."""
    try:
        await running.ready()
    except AssertionError:
        return True
    world.alive.set()
    try:
        async with asyncio.timeout(seconds):
            await running.process.wait()
    except TimeoutError:
        return False
    return True


def measured(world: World, running: Daemon) -> dict[str, float]:
    """What the process holds now."""
    proc = Path(f"/proc/{running.process.pid}")
    status = (proc / "status").read_text()
    size = sum(path.stat().st_size for path in world.state.rglob("*") if path.is_file())
    return {
        "resident, MiB": resident_mib(running.process.pid),
        "open files": sum(1 for _ in (proc / "fd").iterdir()),
        "threads": int(status.partition("Threads:")[2].split()[0]),
        "state, MiB": size / 2**20,
    }


async def settled(world: World) -> None:
    """Wait until everything is answered, or it takes too long."""
    async with asyncio.timeout(SETTLE_SECONDS):
        # What is waited for happens in another process.
        while world.telegram.pending or world.ledger.open() or not _acknowledged(world):  # noqa: ASYNC110 - see above
            await asyncio.sleep(0.2)


def _acknowledged(world: World) -> bool:
    return all(each.acknowledged or each.given_up for each in world.slack.sockets.deliveries)


async def last_life(world: World, *, until: float) -> list[dict[str, float]]:
    """A daemon that nobody kills, measured at its beginning and at its end."""
    world.busy = "collect"
    async with life(world) as running:
        await running.ready()
        world.alive.set()
        await asyncio.sleep(10)
        figures = [measured(world, running)]
        await asyncio.sleep(max(0.0, until - time.monotonic()))
        try:
            await settled(world)
        except TimeoutError:
            world.faults.append(f"not everything was answered within {SETTLE_SECONDS:.0f} s")
        figures.append(measured(world, running))
        if await running.stop() != 0 or running.complained:
            world.faults.append(f"the last stop ended so: {running.process.returncode} {running.complained}")
        errors = [line for line in running.log() if line.get("level") == "error"]
        world.faults += [f"the log has an error: {line}" for line in errors]
    return figures


async def soak(world: World, *, minutes: float) -> list[dict[str, float]]:
    """Everything at once, then the ledger; the figures of the last daemon."""
    end = time.monotonic() + minutes * 60
    async with asyncio.TaskGroup() as tasks:
        for chat in [*map(str, CHATS), *SLACK]:
            tasks.create_task(person(world, chat, until=end))
        tasks.create_task(operator(world, until=end))
        await lives(world, until=end - minutes * 20)
        figures = await last_life(world, until=end)
    # That a request is too long may be said to us; a request that is no legal one may not.
    refused = {each for each in world.model.rejected if "maximum context length" not in each}
    world.faults += [f"the model refused: {complaint}" for complaint in refused]
    world.faults += world.ledger.shown_faults()
    settings = load(state=world.state, environ={})
    async with open_stores(settings) as stores:
        world.faults += [fault async for fault in world.ledger.stored_faults(stores)]
    world.faults += world.ledger.forgotten_faults(world.state)
    return figures


async def run(*, minutes: float, seed: int, store: str, state: Path) -> int:
    """The whole soak; the exit code."""
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)  # a killed client is no news
    rng = Random(seed)
    state.mkdir(mode=0o700, exist_ok=True)
    (state / "mneme.toml").write_text(people_toml(CHATS).partition("[access]")[0] + TOML.format(store=store))

    async def answer(asked: Wire) -> Answer:
        await asyncio.sleep(rng.uniform(0.0, 0.5))
        return think(asked)

    async with (
        TelegramServer().serving() as telegram,
        SlackServer() as slack,
        ModelServer(otherwise=answer, key="sk-soak") as model,
    ):
        world = World(state, rng, telegram, slack, model)
        figures = await soak(world, minutes=minutes)
    _print(world, figures)
    return 1 if world.faults else 0


def _print(world: World, figures: list[dict[str, float]]) -> None:
    ledger, (start, end) = world.ledger, figures
    print(f"questions {len(ledger.said)}, reminders {len(ledger.reminded)}, kills {ledger.kills}")
    print(f"forgotten {sum(said.forgotten for said in ledger.said)}, repeats {ledger.repeats()}")
    print(f"requests to the model {len(world.model.requests)}, too long {len(world.model.rejected)}")
    print("of the last daemon, at its start and at its end:")
    for name in start:
        print(f"  {name:<14} {start[name]:8.1f} {end[name]:8.1f}")
    for fault in world.faults:
        print(f"✗ {fault}", file=sys.stderr)
    print(f"faults {len(world.faults)}")


def main() -> int:
    """Run for the time that is asked for; 1 where the ledger doesn't agree."""
    parser = argparse.ArgumentParser(description="Everything at once, with kills, and a ledger at the end.")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--store", choices=("sqlite", "jsonl"), default="sqlite")
    parser.add_argument("--state", type=Path, help="keep the state directory here")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mneme-soak-") as folder:
        state = (given.state or Path(folder) / "state").absolute()
        with elsewhere():
            return uvloop.run(run(minutes=given.minutes, seed=given.seed, store=given.store, state=state))


if __name__ == "__main__":
    sys.exit(main())
