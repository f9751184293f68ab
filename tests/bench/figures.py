"""`make bench`: what a turn costs, in counts and processor time; ratios hold on any machine, seconds on this one."""

import argparse
import asyncio
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import uvloop

from gateway.llm.scripted import ScriptedLLM
from gateway.service import logs
from memory import tokens
from memory.messages import AssistantMessage, Message, UserMessage
from memory.sessions.session import Session
from tests.bench.beside import beside_figures
from tests.bench.daemon import client_figures, daemon_figures, latency_figures
from tests.bench.figure import Figure
from tests.helpers.elsewhere import elsewhere
from tests.helpers.house import House, house

KEY = "loopback:main"
IN_VIEW = 100
"""Messages of a stored conversation that are not consolidated yet."""

SYLLABLES = [
    "ba",
    "con",
    "der",
    "fi",
    "gal",
    "hum",
    "jo",
    "kes",
    "lin",
    "mor",
    "nu",
    "pla",
    "ri",
    "sto",
    "tem",
    "vo",
]


def word(rank: int) -> str:
    """The word of this rank in an invented language of 4,096."""
    return SYLLABLES[rank % 16] + SYLLABLES[rank // 16 % 16] + SYLLABLES[rank // 256 % 16]


def sentence(rng: random.Random, *, length: int) -> str:
    """Words as often as people use them: the second one half as often as the first, and so on (Zipf)."""
    return " ".join(word(int(4096 ** rng.random()) - 1) for _ in range(length))


def processor_ms() -> float:
    """User and system time of this process so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return (usage.ru_utime + usage.ru_stime) * 1000


def bytes_to_disk() -> int:
    """Bytes that this process caused to be written to storage so far."""
    for line in Path("/proc/self/io").read_text().splitlines():
        if line.startswith("write_bytes:"):
            return int(line.split()[1])
    return 0


def conversation(count: int) -> list[Message]:
    """`count` messages of everyday length, numbered."""
    rng, at = random.Random(7), datetime.now(UTC) - timedelta(days=30)
    made: list[Message] = []
    for seq in range(1, count + 1):
        text = sentence(rng, length=18)
        kind = UserMessage if seq % 2 else AssistantMessage
        message = kind(content=text, at=at + timedelta(seconds=seq * 30), seq=seq)
        made.append(kind(content=text, at=message.at, seq=seq, tokens=tokens.message_tokens(message)))
    return made


async def fill(inside: House, *, count: int) -> None:
    """Put a conversation of this length into the session."""
    if not count:
        return
    now = datetime.now(UTC)
    session = Session(key=KEY, audience="person-owner", created_at=now, updated_at=now)
    session.unsaved = list(conversation(count))
    session.messages = conversation(count)
    session.last_seq = count
    session.last_consolidated = max(0, count - IN_VIEW)  # a long past was consolidated while it grew
    await inside.gateway.stores.sessions.adopt(session)
    await inside.gateway.stores.index.caught_up()


@asynccontextmanager
async def filled(count: int, *, window: int = 8192, **overrides: str) -> AsyncIterator[House]:
    """A gateway whose session holds `count` messages."""
    with tempfile.TemporaryDirectory(prefix="mneme-bench-") as folder:
        answer = "A short answer of a dozen words, as assistants give them all day."
        llm = ScriptedLLM(otherwise=answer, window=window)
        logs.configure(file=Path(folder) / "log" / "mneme.jsonl")
        async with house(Path(folder), llm, overrides=overrides) as inside:
            await fill(inside, count=count)
            for number in range(20):
                await inside.ask(f"warm up {number}")
            yield inside


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one turn cost on average."""

    cpu_ms: float
    disk_bytes: float
    commits: float


async def cost_of_turns(inside: House, *, turns: int) -> Cost:
    """Ask one question after the other and divide."""
    database, rng = inside.gateway.stores.database, random.Random(11)
    cpu, disk, commits = processor_ms(), bytes_to_disk(), database.commits
    for _ in range(turns):
        await inside.ask(sentence(rng, length=8) + "?")
    await inside.calm()
    return Cost(
        cpu_ms=(processor_ms() - cpu) / turns,
        disk_bytes=(bytes_to_disk() - disk) / turns,
        commits=(database.commits - commits) / turns,
    )


async def longest_stall(inside: House, *, turns: int) -> float:
    """Milliseconds that the loop was late at worst while turns ran; apart from the cost, because probing costs."""
    rng, worst = random.Random(13), 0.0

    async def probe() -> None:
        nonlocal worst
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.001)
            worst = max(worst, time.perf_counter() - before - 0.001)

    prober = asyncio.create_task(probe())
    for _ in range(turns):
        await inside.ask(sentence(rng, length=8) + "?")
    prober.cancel()
    return worst * 1000


def reference_ms() -> float:
    """Processor time of a million steps of plain Python: what this machine's milliseconds are worth."""
    before, total = processor_ms(), 0
    for step in range(1_000_000):
        total += step * step
    return processor_ms() - before


async def turn_figures(turns: int) -> list[Figure]:
    """Processor time, bytes and commits per turn, with little and with much stored."""
    costs: dict[tuple[int, str], Cost] = {}
    stall = 0.0
    for stored in (0, 500, 50_000):
        for recall in ("800", "0"):
            async with filled(stored, memory__recall_tokens=recall, sessions__max_messages="200") as inside:
                costs[stored, recall] = await cost_of_turns(inside, turns=turns)
                stall = max(stall, await longest_stall(inside, turns=50))
    async with filled(0, window=200_000) as roomy:  # nothing is consolidated meanwhile
        commits = (await cost_of_turns(roomy, turns=turns)).commits
    few, many = costs[500, "800"], costs[50_000, "800"]
    figures = [
        Figure(
            name="reference: a million steps of Python", value=f"{reference_ms():.0f} ms", goal="", met=True
        ),
    ]
    figures += [
        Figure(
            name=f"processor time a turn, {stored:,} stored{'' if recall == '800' else ', recall off'}",
            value=f"{cost.cpu_ms:.2f} ms",
            goal="≤ 2.5 ms",
            met=cost.cpu_ms <= 2.5,
        )
        for (stored, recall), cost in costs.items()
    ]
    ratio = many.cpu_ms / few.cpu_ms
    figures += [
        Figure(name="the same, 50,000 to 500", value=f"{ratio:.2f}", goal="≤ 1.20", met=ratio <= 1.2),
        Figure(
            name="bytes to disk a turn, 500 stored",
            value=f"{few.disk_bytes:,.0f}",
            goal="≤ 65,536",
            met=few.disk_bytes <= 65_536,
        ),
        Figure(
            name="bytes to disk a turn, 50,000 stored",
            value=f"{many.disk_bytes:,.0f}",
            goal="≤ 65,536",
            met=many.disk_bytes <= 65_536,
        ),
        Figure(name="fsyncs a turn", value=f"{commits:.2f}", goal="≤ 3", met=commits <= 3.05),
        Figure(
            name="the same, with the consolidations of a window of 8,192",
            value=f"{few.commits:.2f}",
            goal="≤ 4",
            met=few.commits <= 4,
        ),
        Figure(
            name="longest stall of the loop",
            value=f"{stall:.1f} ms",
            goal="≤ 20 ms",
            met=stall <= 20,
        ),
    ]
    return figures


async def throughput_figures(chats: int, rounds: int) -> list[Figure]:
    """Many chats at once with a model that takes no time."""
    with tempfile.TemporaryDirectory(prefix="mneme-bench-") as folder:
        logs.configure(file=Path(folder) / "log" / "mneme.jsonl")
        async with house(Path(folder), ScriptedLLM(otherwise="ok")) as inside:
            await asyncio.gather(*(inside.ask("warm", chat_id=f"c{chat}") for chat in range(chats)))
            commits, started = inside.gateway.stores.database.commits, time.perf_counter()

            async def chat(number: int) -> None:
                for turn in range(rounds):
                    await inside.ask(f"message {turn}", chat_id=f"c{number}")

            await asyncio.gather(*(chat(number) for number in range(chats)))
            seconds = time.perf_counter() - started
            commits = inside.gateway.stores.database.commits - commits
    rate = chats * rounds / seconds
    return [
        Figure(name=f"turns a second, {chats} chats", value=f"{rate:.0f}", goal="≥ 300", met=rate >= 300),
        Figure(
            name="fsyncs a turn, shared",
            value=f"{commits / (chats * rounds):.3f}",
            goal="< 1",
            met=commits < chats * rounds,
        ),
    ]


async def opening_figures(count: int) -> list[Figure]:
    """Opening a long session from disk, both stores."""
    figures = []
    for store in ("sqlite", "jsonl"):
        async with filled(count, sessions__store=store) as inside:
            sessions = inside.gateway.stores.sessions
            times = []
            for number in range(9):
                for other in range(140):  # more than the cache holds, so that the session is read from disk
                    async with sessions.checkout(f"loopback:other{number}-{other}"):
                        pass
                before = time.perf_counter()
                async with sessions.checkout(KEY):
                    times.append((time.perf_counter() - before) * 1000)
        middle = statistics.median(times)
        figures.append(
            Figure(
                name=f"opening a session of {count:,} messages, {store}",
                value=f"{middle:.1f} ms",
                goal="≤ 15 ms",
                met=middle <= 15,
            )
        )
    return figures


async def start_figures() -> list[Figure]:
    """How long `mneme --version` takes as a whole process."""
    times = []
    for _ in range(5):
        before = time.perf_counter()
        await asyncio.to_thread(
            subprocess.run, [sys.executable, "-m", "gateway", "--version"], check=True, capture_output=True
        )
        times.append(time.perf_counter() - before)
    middle = statistics.median(times)
    return [Figure(name="mneme --version", value=f"{middle:.2f} s", goal="≤ 0.3 s", met=middle <= 0.3)]


SECTIONS: dict[str, Callable[[], Awaitable[list[Figure]]]] = {
    "turn": lambda: turn_figures(300),
    "throughput": lambda: throughput_figures(200, 10),
    "opening": lambda: opening_figures(10_000),
    "start": start_figures,
    "latency": latency_figures,
    "client": client_figures,
    "daemon": daemon_figures,
    "beside": beside_figures,
}


def main() -> int:
    """Print the table; the exit code says whether every goal was met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", default=[], help=f"some of {', '.join(SECTIONS)}")
    chosen = parser.parse_args().sections or list(SECTIONS)
    figures: list[Figure] = []
    for name in chosen:
        print(f"measuring {name} …", file=sys.stderr)
        with elsewhere():
            figures += uvloop.run(_section(SECTIONS[name]))
    width = max(len(figure.name) for figure in figures)
    for figure in figures:
        print(f"{'✓' if figure.met else '✗'} {figure.name:<{width}}  {figure.value:>12}  {figure.goal}")
    return 0 if all(figure.met for figure in figures) else 1


async def _section(section: Callable[[], Awaitable[list[Figure]]]) -> list[Figure]:
    return await section()


if __name__ == "__main__":
    sys.exit(main())
