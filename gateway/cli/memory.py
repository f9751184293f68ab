"""`mneme memory …`: what is remembered, searched, shown, explained, indexed anew."""

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from gateway.cli.command import (
    CommandFailed,
    ConfigOption,
    JsonOption,
    StateOption,
    command_group,
    print_error,
    print_json,
    print_lines,
    print_note,
    print_table,
    read_settings,
    run_async,
)
from gateway.cli.conversation import ERASED, moment, printable
from gateway.cli.memory_changes import WhoseOption, diff, dream, log, restore
from gateway.cli.operate import operate, operating
from gateway.config import Settings
from gateway.operations.operation import Document
from gateway.turns.memory_page import memory_page
from memory.claims.claim import claim_from_json

app = command_group("Search and look at what is remembered.")
for change in (log, diff, restore, dream):
    app.command()(change)

AudienceOption = Annotated[
    str, typer.Option("--audience", metavar="A", help="Of this audience alone, such as person-owner.")
]
_CLAIMS = ("key_facts", "decisions", "open_questions")
_LANGUAGE = "en"
"""Of the command line; a chat is answered in its own."""
_SHOWN_CHARS = 400
"""Of a passage, in a terminal; `--json` has it whole."""
_CHUNK = 200
"""Queries that are sent together: enough that the way costs nothing, few enough that answers come as they go."""


@app.command()
def search(
    query: Annotated[str | None, typer.Argument(metavar="QUERY", help="What to look for.")] = None,
    *,
    config: ConfigOption = None,
    state: StateOption = None,
    as_json: JsonOption = False,
    batch: Annotated[
        Path | None,
        typer.Option(
            "--batch",
            metavar="FILE",
            help='One query a line, {"id","query","session"?,"limit"?}; - is standard input.',
        ),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many passages.")] = 10,
    audience: AudienceOption = "",
    session: Annotated[str, typer.Option("--session", metavar="KEY", help="In this session alone.")] = "",
) -> None:
    """Ranked passages of everything that was said. A batch prints one JSON line for each line read."""
    if (query is None) == (batch is None):
        raise typer.BadParameter("give a QUERY or --batch FILE, one of them.")
    settings = read_settings(config, state)
    bounds = {"limit": limit, "audience": audience, "session": session}
    if batch is not None:
        run_async(_search_batch(settings, batch, bounds))
        return
    document = operate(settings, "memory-search", note="indexing what was said", query=query, **bounds)
    if as_json:
        print_json(document)
        return
    print_lines(*(line for hit in document["hits"] for line in _passage(settings, hit, hit["text"])))
    if not document["hits"]:
        print_note("nothing was found")


@app.command()
def show(
    config: ConfigOption = None,
    state: StateOption = None,
    as_json: JsonOption = False,
    audience: AudienceOption = "",
    rejected: Annotated[
        bool, typer.Option("--rejected", help="Also what was proposed and not believed.")
    ] = False,
) -> None:
    """What is remembered of each audience: claims and files."""
    document = operate(read_settings(config, state), "memory-show", audience=audience, rejected=rejected)
    if as_json:
        print_json(document)
        return
    print_lines(*(line for kept in document["audiences"] for line in _memory(kept)))
    if not document["audiences"]:
        print_note("nothing is remembered yet")


@app.command()
def why(
    ref: Annotated[
        str,
        typer.Argument(
            metavar="REF", help="A message SESSION#NUMBER, a claim c:…, a change, or words of a line."
        ),
    ],
    config: ConfigOption = None,
    state: StateOption = None,
    as_json: JsonOption = False,
    audience: WhoseOption = "",
) -> None:
    """What is remembered under a reference, and the messages behind it."""
    settings = read_settings(config, state)
    document = operate(settings, "memory-why", ref=ref, audience=audience)
    if as_json:
        print_json(document)
        return
    for reason in document["reasons"]:
        if reason["file"]:
            print_lines(printable(f"{reason['file']}: {reason['line']}"))
        print_lines(*(printable(f"claim {claim['id']}: {claim['text']}") for claim in reason["claims"]))
    for message in document["messages"]:
        text = ERASED if message.get("erased") else message["text"]
        print_lines(*_passage(settings, message, text, shortened=False))


@app.command()
def reindex(
    config: ConfigOption = None,
    state: StateOption = None,
    as_json: JsonOption = False,
    audience: AudienceOption = "",
) -> None:
    """Build the search index anew from the sessions."""
    document = run_async(_reindex(read_settings(config, state), audience))
    for key in document["unreadable"]:
        print_error(f"{key} can't be read and was left out; mneme sessions check {key} says more")
    if problem := document.get("without_vectors"):
        print_error(f"there are no vectors, so the search goes by words alone: {problem}")
    if as_json:
        print_json(document)
        return
    print_table(
        document["audiences"], columns=("audience", "sessions", "messages"), empty="Nothing was said yet."
    )


async def _reindex(settings: Settings, audience: str) -> Document:
    """One audience after the other, so that somebody who waits sees it go on."""
    rebuilt: list[Document] = []
    unreadable: set[str] = set()
    problem = ""
    async with operating(settings) as perform:
        known = (await perform("memory-audiences"))["audiences"]
        for one in known if not audience else [{"audience": audience, "messages": 0}]:
            name = one["audience"]
            note = f"indexing {one['messages']:,} messages of {name}"
            document = await perform("memory-reindex", note=note, audience=name)
            rebuilt += document["audiences"]
            unreadable.update(document["unreadable"])
            problem = problem or document.get("without_vectors", "")
    found = {"audiences": rebuilt, "unreadable": sorted(unreadable)}
    return {**found, "without_vectors": problem} if problem else found


async def _search_batch(settings: Settings, file: Path, bounds: dict[str, Any]) -> None:
    """Answer as the queries are read, in their order; a line that is no query is named, and the others are answered."""
    faults: list[str] = []
    with ExitStack() as stack:
        lines = _lines(file, stack)
        async with operating(settings) as perform:
            queries = _queries(lines, file, faults)
            note = "indexing what was said"
            while chunk := list(islice(queries, _CHUNK)):
                document = await perform("memory-search-batch", note=note, queries=chunk, **bounds)
                note = ""
                answers = [
                    orjson.dumps(answer, option=orjson.OPT_APPEND_NEWLINE) for answer in document["results"]
                ]
                sys.stdout.write(b"".join(answers).decode())
                sys.stdout.flush()
    if faults:
        raise CommandFailed(f"{len(faults)} of the lines of {file} are no queries")


def _lines(file: Path, stack: ExitStack) -> Iterable[bytes]:
    if str(file) == "-":
        return sys.stdin.buffer
    try:
        return stack.enter_context(file.open("rb"))
    except OSError as error:
        raise CommandFailed(f"{file} can't be read: {error.strerror}") from error


def _queries(lines: Iterable[bytes], file: Path, faults: list[str]) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        query = _query(line)
        if query is not None:
            yield query
            continue
        faults.append(f'{file} line {number}: expected {{"id","query","session"?,"limit"?}}')
        print_error(faults[-1])


def _query(line: bytes) -> dict[str, Any] | None:
    """The query of a line, without fields that say nothing; None where it is none."""
    try:
        raw = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(raw, dict) or not isinstance(raw.get("query"), str):
        return None
    session, limit = raw.get("session"), raw.get("limit")
    counts = limit is None or (isinstance(limit, int) and not isinstance(limit, bool) and limit > 0)
    if not counts or not (session is None or isinstance(session, str)):
        return None
    return {name: raw[name] for name in ("id", "query", "session", "limit") if raw.get(name) is not None}


def _passage(settings: Settings, hit: Document, text: str, *, shortened: bool = True) -> Iterator[str]:
    score = f"  {hit['score']:.2f}" if "score" in hit else ""
    at = moment(hit["at"], settings.zone_of(settings.owner))
    yield printable(f"{hit['ref']}{score}  {at}  {hit['sender']}")
    if shortened:
        text = " ".join(text.split())
        text = text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
    yield from (f"    {line}" for line in printable(text).splitlines())


def _memory(kept: Document) -> Iterator[str]:
    """What is remembered of an audience, in the words of `/memory`."""
    yield f"{kept['audience']}:"
    told = (claim_from_json(claim) for name in _CLAIMS for claim in kept[name])
    page = memory_page(filter(None, told), kept["files"], language=_LANGUAGE)
    yield from printable(page).splitlines()
    if kept.get("rejected"):
        yield from ("", "Not believed:")
    for claim in kept.get("rejected", ()):
        yield printable(f"- {claim.get('text', '')} ({claim.get('reason', '')})")
    yield ""


@app.command()
def forget(
    ref: Annotated[str, typer.Argument(metavar="REF", help="A message, such as telegram:42#17.")] = "",
    *,
    config: ConfigOption = None,
    state: StateOption = None,
    as_json: JsonOption = False,
    person: Annotated[
        str, typer.Option("--person", metavar="NAME", help="Everything of this person instead.")
    ] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
) -> None:
    """Erase a message, or everything of a person, everywhere. It can't be taken back."""
    if bool(ref) == bool(person):
        raise typer.BadParameter("give a REF such as telegram:42#17, or --person NAME, one of them.")
    settings = read_settings(config, state)
    if sys.stdin.isatty() and not yes:
        typer.confirm(f"Erase {ref or person} for good?", abort=True, err=True)
    document = operate(settings, "memory-forget", note="erasing", ref=ref, person=person)
    if as_json:
        print_json(document)
        return
    print_lines(
        f"erased: {len(document['messages'])} messages, {len(document['sessions'])} whole sessions, "
        f"{document['claims'] + document['archived']} claims, {document['lines']} lines of memory, "
        f"{document['owed']} records of the journal",
        *document["messages"],
        *document["sessions"],
    )
