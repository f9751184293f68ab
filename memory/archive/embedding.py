"""Gives every indexed message its vector, behind the follower and in nobody's way, and a question its own in time."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from memory.archive.embedder import Embedder, Vector
from memory.archive.files import IndexFiles
from memory.archive.index import IndexFile
from memory.archive.vectors import Made, digest, unpack
from memory.errors import EmbedderFailed, StoreCorrupt

# As many as every endpoint takes in one request.
_TOGETHER = 10
# What one audience gets before the next has its turn: a long history must not keep all others waiting.
_ROUND = 20
# A question that has no vector by then is looked up by its words; what was just asked is often asked again.
_PATIENCE_SECONDS = 1.0
# The same for the first question of a process, which loads a model or imports what reaches it.
_FIRST_PATIENCE_SECONDS = 4.0
_REMEMBERED = 100
# After a failure, so long nobody waits for another one; between tries to fill, from the first to the last.
_REST_SECONDS = 30.0
_PAUSE_SECONDS = 5.0
_LONGEST_PAUSE_SECONDS = 300.0


class Embedding:
    """What the index has of a model of meaning: vectors when it works, and nothing but words when it doesn't.

    `failed` is told once why it stopped working. `lost` is called when a damaged file was removed. `behind` says
    whether an audience's file lacks messages still.
    """

    def __init__(
        self,
        files: IndexFiles,
        embedder: Embedder,
        *,
        failed: Callable[[str], None],
        lost: Callable[[], None],
        behind: Callable[[str], bool],
        patience: float = _PATIENCE_SECONDS,
        pause: float = _PAUSE_SECONDS,
    ) -> None:
        self._files = files
        self._embedder = embedder
        self._failed = failed
        self._lost = lost
        self._behind = behind
        self._patience = patience
        self._pause = pause
        self._due: set[str] = set()
        self._woken = asyncio.Event()
        self._kept: dict[str, dict[bytes, bytes]] = {}
        self._asked: OrderedDict[str, Vector] = OrderedDict()
        self._rested_at = 0.0
        self._turn = asyncio.Lock()
        self._problem = ""
        self._worked = False
        self.running = False
        """Whether `run` gives new messages their vectors."""

    def note(self, audience: str) -> None:
        """Something of this audience was indexed; returns at once."""
        self._due.add(audience)
        self._woken.set()

    async def keep(self, audience: str) -> None:
        """Remember the vectors of an audience whose file is to be built anew: most of it will say what it said."""
        self._asked.clear()
        with suppress(StoreCorrupt):
            found = await self._files.use_if_there(audience, _by_text)
            self._kept.setdefault(audience, {}).update(found or {})

    async def of(self, question: str) -> Vector | None:
        """The question's vector, or None where it isn't there in time."""
        loop = asyncio.get_running_loop()
        if question in self._asked or not question.strip() or loop.time() < self._rested_at:
            return self._asked.get(question)
        patience = self._patience if self._worked else max(self._patience, _FIRST_PATIENCE_SECONDS)
        try:
            async with asyncio.timeout(patience):
                [vector] = await self._embedder.embed([question], asked=True)
        except (EmbedderFailed, TimeoutError) as error:
            self._rested_at = loop.time() + _REST_SECONDS
            self._fail(str(error) or f"{self._embedder.name} needs more than {patience:g} s for a question")
            return None
        self._recover()
        self._asked[question] = vector
        if len(self._asked) > _REMEMBERED:
            self._asked.popitem(last=False)
        return vector

    async def run(self) -> None:
        """Fill in what is missing, and what is indexed from now on, until cancelled."""
        self.running = True
        try:
            for audience in await self._files.audiences():
                self.note(audience)
            await self._run()
        finally:
            self.running = False

    async def _run(self) -> None:
        pause = self._pause
        while True:
            await self._woken.wait()
            self._woken.clear()
            try:
                await self.fill()
            except EmbedderFailed:
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
                self._woken.set()
            else:
                pause = self._pause

    async def fill(self, audience: str | None = None) -> None:
        """Give every message of an audience, or of all that were noted, its vector. EmbedderFailed when it can't."""
        while due := sorted(self._due) if audience is None else [audience]:
            for each in due:
                async with self._turn:
                    done = await self._filled(each)
                if done and audience is not None:
                    return

    async def _filled(self, audience: str) -> bool:
        """Take this audience's turn; whether nothing of it is missing any more."""
        self._due.discard(audience)
        done = False
        try:
            for _ in range(_ROUND):
                texts = await self._files.use_if_there(audience, _missing)
                if not texts:
                    if not self._behind(audience):
                        self._kept.pop(audience, None)
                    done = True
                    break
                await self._give(audience, texts)
        except StoreCorrupt:
            self._lost()
            done = True
        finally:
            if not done:
                self._due.add(audience)
        return done

    async def _give(self, audience: str, texts: Mapping[int, str]) -> None:
        made = self._known(audience, texts)
        if left := {id_: text for id_, text in texts.items() if id_ not in made}:
            made |= await self._made(left)

        def keep(file: IndexFile) -> None:
            file.add_vectors(made)
            for id_ in texts.keys() - made.keys():
                if file.vectors is not None:
                    file.vectors.pass_over(id_)

        await self._files.use_if_there(audience, keep)

    def _known(self, audience: str, texts: Mapping[int, str]) -> dict[int, Made]:
        kept = self._kept.get(audience, {})
        found = {id_: kept.get(digest(text)) for id_, text in texts.items()} if kept else {}
        return {id_: Made(text=texts[id_], vector=unpack(blob)) for id_, blob in found.items() if blob}

    async def _made(self, texts: Mapping[int, str]) -> dict[int, Made]:
        """The vectors; without those of texts that the model refuses while it takes others."""
        try:
            vectors = await self._embedder.embed(list(texts.values()))
        except EmbedderFailed as error:
            made = await self._one_by_one(texts) if len(texts) > 1 else {}
            if not made:
                self._fail(str(error))
                raise
            return made
        self._recover()
        return _paired(texts, vectors)

    async def _one_by_one(self, texts: Mapping[int, str]) -> dict[int, Made]:
        """Of the texts, refused together, those that are taken alone; none as soon as the first two are refused."""
        made: dict[int, Made] = {}
        for tried, (id_, text) in enumerate(texts.items(), start=1):
            try:
                [vector] = await self._embedder.embed([text])
            except EmbedderFailed:
                if tried > 1 and not made:
                    return {}
            else:
                made[id_] = Made(text=text, vector=vector)
        return made

    def _fail(self, problem: str) -> None:
        if not self._problem:
            self._failed(problem)
        self._problem = problem

    def _recover(self) -> None:
        self._problem, self._rested_at, self._worked = "", 0.0, True


def _missing(file: IndexFile) -> dict[int, str]:
    return file.vectors.missing(_TOGETHER) if file.vectors is not None else {}


def _by_text(file: IndexFile) -> dict[bytes, bytes]:
    return file.vectors.by_text() if file.vectors is not None else {}


def _paired(texts: Mapping[int, str], vectors: Sequence[Vector]) -> dict[int, Made]:
    return {
        id_: Made(text=text, vector=vector)
        for (id_, text), vector in zip(texts.items(), vectors, strict=True)
    }
