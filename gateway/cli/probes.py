"""What `doctor` finds by asking: who runs, what the stores hold, whether the model answers."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from gateway.app import choose_model, embedder_for, open_stores, require_embedder
from gateway.cli.channel_probes import probe_channels
from gateway.cli.command import print_note
from gateway.cli.findings import Finding
from gateway.cli.held import probe_holder
from gateway.config import Settings
from gateway.errors import ConfigError, LLMError, LLMUnavailable
from gateway.llm.choose import Choice, Why
from gateway.llm.client import Prompt
from gateway.llm.local import INSTALL
from gateway.replies import counted
from gateway.service.lock import AlreadyRunning
from gateway.service.logs import redact
from memory.archive.embedder import Embedder
from memory.archive.record import History
from memory.atomic import read_regular
from memory.audience import audiences_in
from memory.errors import EmbedderFailed, StoreError
from memory.longterm.notebook import Notebook
from memory.messages import UserMessage
from memory.sessions.manager import SessionManager

Probe = Callable[[Settings], AsyncIterator[Finding]]

_MODEL_SECONDS = 30.0
"""A model that takes longer for one word is no partner for a chat; loading a local one takes a few."""
_WITHOUT_VECTORS = 'until then the search goes by words alone; memory.embeddings = "" says that it should'
_MANY_SESSIONS = 1000
"""Reading that many takes long enough to be announced."""
_SMALL_FILES = (".pending", ".cursor", ".dream_cursor", ".dream_attempts", ".dream_aside", "index.db")
_FEW = 5
"""Damaged sessions that are named; `sessions check` names all."""


async def probe_stores(settings: Settings) -> AsyncIterator[Finding]:
    """The database page by page and every session, unless another process has them."""
    state = settings.gateway.state
    if not any((state / name).exists() for name in ("mneme.db", "sessions")):
        yield Finding(check="store", ok=True, message="nothing is stored yet")
        return
    try:
        async with open_stores(settings) as stores:
            faults = await stores.database.check()
            damaged, known = await _damaged(stores.sessions)
            unreadable = [finding async for finding in _unreadable(stores.notebook, state)]
            torn = [finding async for finding in _torn(stores.history, audiences_in(state))]
    except AlreadyRunning as error:
        async for finding in probe_holder(settings, pid=error.pid):
            yield finding
        return
    except (StoreError, OSError) as error:
        yield Finding(check="store", ok=False, message=str(error), fix="restore a backup")
        return
    for fault in faults:
        yield Finding(check="store", ok=False, message=fault, fix="restore a backup")
    for key in damaged[:_FEW]:
        yield Finding(
            check="sessions",
            ok=False,
            message=f"a part of {key} can't be read",
            fix=f"mneme sessions check {key}, then mneme sessions repair {key}",
        )
    if len(damaged) > _FEW:
        message = f"damaged besides: {counted(len(damaged) - _FEW, 'session')}"
        yield Finding(check="sessions", ok=False, message=message, fix="mneme sessions check")
    for finding in [*unreadable, *torn]:
        yield finding
    if not faults and not damaged:
        yield Finding(check="store", ok=True, message=f"whole; every session can be read ({known})")


async def _damaged(sessions: SessionManager) -> tuple[list[str], int]:
    """The sessions of which something can't be read and isn't aside yet, and how many sessions there are."""
    heads = await sessions.heads()
    if len(heads) > _MANY_SESSIONS:
        print_note(f"reading {counted(len(heads), 'session')} …")
    found = [
        head.key for head in heads if any(not damage.is_aside for damage in await sessions.damages(head.key))
    ]
    return found, len(heads)


async def _unreadable(notebook: Notebook, state: Path) -> AsyncIterator[Finding]:
    """Where the chat goes on without what is remembered, because another thing lies in the place of a file."""
    known = audiences_in(state)
    folders = [state / "memory", *(state / "memory").glob("person-*"), *(state / "memory").glob("group-*")]
    faults = [f"{folder}: expected a folder" for folder in folders if folder.exists() and not folder.is_dir()]
    for audience in known:
        try:
            for name in _SMALL_FILES:
                await asyncio.to_thread(read_regular, state / "memory" / audience / name, limit=1)
            if (state / "memory" / audience / ".git").exists():
                await notebook.versions.log(audience, limit=1)
        except StoreError as error:
            faults.append(str(error))
    for fault in faults:
        yield Finding(check="memory", ok=False, message=fault, fix="move it away, or restore a backup")


async def _torn(history: History, audiences: Sequence[str]) -> AsyncIterator[Finding]:
    """Lines of the archive that are skipped; the messages that they were made of are all in their sessions."""
    for audience in audiences:
        for damage in await history.damage(audience):
            yield Finding(
                check="archive",
                ok=True,
                message=f"line {damage.line} of {audience}/history.jsonl is skipped: {damage.problem}",
                fix="delete the line; the messages that it was made of are untouched",
            )


async def probe_model(settings: Settings) -> AsyncIterator[Finding]:
    """One tiny question to the model that answers; a few tokens."""
    try:
        choice = await choose_model(settings)
    except ConfigError as error:
        for problem in error.problems:
            yield Finding(check="model", ok=False, message=redact(problem), fix="look at [llm] in mneme.toml")
        return
    try:
        yield await _asked(choice)
    finally:
        await choice.client.close()


async def _asked(choice: Choice) -> Finding:
    began = time.monotonic()
    try:
        async with asyncio.timeout(_MODEL_SECONDS):
            window = await choice.client.window()
            await choice.client.complete(_ping())
    except TimeoutError:
        message = f"{choice.client.name} did not answer within {_MODEL_SECONDS:.0f} s"
        return Finding(
            check="model", ok=False, message=message, fix="look at the server, or take a smaller model"
        )
    except LLMError as error:
        return Finding(check="model", ok=False, message=redact(str(error)), fix=_cure(error))
    if choice.why is Why.ROTE:
        return Finding(
            check="model",
            ok=True,
            message=f"rote answers: built in, no language model; window {window:,} tokens",
            fix="set OPENAI_API_KEY, run Ollama, set llm.base_url, or install the small local model "
            f"(make chat MODEL=small, or: {INSTALL})",
        )
    took = time.monotonic() - began
    message = f"{choice.client.name} answered in {took:.1f} s; window {window:,} tokens"
    return Finding(check="model", ok=True, message=message)


def _ping() -> Prompt:
    now = datetime.now(UTC)
    question = UserMessage(content="Say: ok", at=now, seq=1)
    return Prompt(
        session="doctor",
        system="Answer with one word.",
        messages=[question],
        newest=question.content,
        max_output=16,
        now=now,
    )


def _cure(error: LLMError) -> str:
    if isinstance(error, LLMUnavailable):
        return "see that the server runs and that llm.base_url is its address"
    return "look at llm.model and llm.api_key"


async def probe_vectors(settings: Settings) -> AsyncIterator[Finding]:
    """One word to what makes vectors, where something does."""
    embedder = embedder_for(settings)
    if embedder is None:
        return
    try:
        require_embedder(settings)
        yield await _embedded(embedder)
    except ConfigError as error:
        yield Finding(check="vectors", ok=False, message=str(error), fix=_WITHOUT_VECTORS)
    finally:
        await embedder.close()


async def _embedded(embedder: Embedder) -> Finding:
    began = time.monotonic()
    try:
        async with asyncio.timeout(_MODEL_SECONDS):
            await embedder.embed(["ok"], asked=True)
    except TimeoutError:
        message = f"{embedder.name} did not answer within {_MODEL_SECONDS:.0f} s"
        return Finding(check="vectors", ok=False, message=message, fix=_WITHOUT_VECTORS)
    except EmbedderFailed as error:
        return Finding(check="vectors", ok=False, message=redact(str(error)), fix=_WITHOUT_VECTORS)
    message = f"{embedder.name} answered in {time.monotonic() - began:.1f} s"
    return Finding(check="vectors", ok=True, message=message)


PROBES: tuple[Probe, ...] = (probe_stores, probe_model, probe_vectors, probe_channels)
