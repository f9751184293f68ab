"""`mneme memory …`: what is remembered, searched, shown, explained, indexed anew, erased."""

import sys
from collections.abc import Iterator
from datetime import tzinfo
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.call import Call, command
from gateway.cli.command import command_group, print_error, run_async
from gateway.cli.conversation import ERASED, moment, printable
from gateway.cli.memory_batch import search_batch
from gateway.cli.memory_changes import WhoseOption, diff, dream, log, restore
from gateway.cli.operate import operate, operating
from gateway.config import Settings
from gateway.operations.operation import Document
from gateway.replies import counted
from gateway.turns.memory_page import memory_page
from memory.claims.claim import claim_from_json

app = command_group("Search and look at what is remembered.")
for change in (log, diff, restore, dream):
    command(app)(change)

AudienceOption = Annotated[
    str, typer.Option("--audience", metavar="A", help="Of this audience alone, such as person-owner.")
]
_CLAIMS = ("key_facts", "decisions", "open_questions")
_LANGUAGE = "en"
"""Of the command line; a chat is answered in its own."""
_SHOWN_CHARS = 400
"""Of a passage, in a terminal; `--json` has it whole."""


@command(app)
def search(
    call: Call,
    query: Annotated[str | None, typer.Argument(metavar="QUERY", help="What to look for.")] = None,
    *,
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
    bounds = {"limit": limit, "audience": audience, "session": session}
    if batch is not None:
        run_async(search_batch(call.settings, batch, bounds))
        return
    document = operate(call.settings, "memory-search", note="indexing what was said", query=query, **bounds)
    zone, hits = call.settings.zone_here, document["hits"]
    lines = (line for hit in hits for line in _passage(hit, hit["text"], zone=zone))
    call.report(document, lines, note="" if hits else "nothing was found")


@command(app)
def show(
    call: Call,
    audience: AudienceOption = "",
    rejected: Annotated[
        bool, typer.Option("--rejected", help="Also what was proposed and not believed.")
    ] = False,
) -> None:
    """What is remembered of each audience: claims and files."""
    document = operate(call.settings, "memory-show", audience=audience, rejected=rejected)
    audiences = document["audiences"]
    lines = (line for kept in audiences for line in _memory(kept))
    call.report(document, lines, note="" if audiences else "nothing is remembered yet")


@command(app)
def why(
    call: Call,
    ref: Annotated[
        str,
        typer.Argument(
            metavar="REF", help="A message SESSION#NUMBER, a claim c:…, a change, or words of a line."
        ),
    ],
    audience: WhoseOption = "",
) -> None:
    """What is remembered under a reference, and the messages behind it."""
    document = operate(call.settings, "memory-why", ref=ref, audience=audience)
    call.report(document, _explained(document, zone=call.settings.zone_here))


@command(app)
def reindex(
    call: Call,
    audience: AudienceOption = "",
) -> None:
    """Build the search index anew from the sessions."""
    document = run_async(_reindex(call.settings, audience))
    for key in document["unreadable"]:
        print_error(f"{key} can't be read and was left out; mneme sessions check {key} says more")
    if problem := document.get("without_vectors"):
        print_error(f"there are no vectors, so the search goes by words alone: {problem}")
    columns = ("audience", "sessions", "messages")
    call.report_table(document, document["audiences"], columns=columns, empty="Nothing was said yet.")


@command(app)
def forget(
    call: Call,
    ref: Annotated[str, typer.Argument(metavar="REF", help="A message, such as telegram:42#17.")] = "",
    *,
    person: Annotated[
        str, typer.Option("--person", metavar="NAME", help="Everything of this person instead.")
    ] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
) -> None:
    """Erase a message, or everything of a person, everywhere. It can't be taken back."""
    if bool(ref) == bool(person):
        raise typer.BadParameter("give a REF such as telegram:42#17, or --person NAME, one of them.")
    settings = call.settings
    if sys.stdin.isatty() and not yes:
        typer.confirm(f"Erase {ref or person} for good?", abort=True, err=True)
    document = operate(settings, "memory-forget", note="erasing", ref=ref, person=person)
    call.report(document, [_erased(document), *document["messages"], *document["sessions"]])


def _erased(document: Document) -> str:
    """What is gone, in one line; what there was none of is not named."""
    counts = {
        "message": len(document["messages"]),
        "whole session": len(document["sessions"]),
        "claim": document["claims"] + document["archived"],
        "line of the memory files|lines of the memory files": document["lines"],
        "entry that waited or was scheduled|entries that waited or were scheduled": document["owed"],
        "line of what was typed|lines of what was typed": document["typed"],
    }
    told = [counted(count, *noun.split("|")) for noun, count in counts.items() if count]
    return f"erased, with whatever repeats it: {', '.join(told)}" if told else "erased already"


async def _reindex(settings: Settings, audience: str) -> Document:
    """One audience after the other, so that somebody who waits sees it go on."""
    rebuilt: list[Document] = []
    unreadable: set[str] = set()
    problem = ""
    async with operating(settings) as perform:
        known = (await perform("memory-audiences"))["audiences"]
        counts: dict[str, int] = {one["audience"]: one["messages"] for one in known}
        for name in [audience] if audience else counts:
            note = f"indexing {counted(counts.get(name, 0), 'message')} of {name}"
            document = await perform("memory-reindex", note=note, audience=name)
            rebuilt += document["audiences"]
            unreadable.update(document["unreadable"])
            problem = problem or document.get("without_vectors", "")
    found = {"audiences": rebuilt, "unreadable": sorted(unreadable)}
    return {**found, "without_vectors": problem} if problem else found


def _explained(document: Document, *, zone: tzinfo) -> Iterator[str]:
    for reason in document["reasons"]:
        if reason["file"]:
            yield printable(f"{reason['file']}: {reason['line']}")
        yield from (printable(f"claim {claim['id']}: {claim['text']}") for claim in reason["claims"])
    for message in document["messages"]:
        text = ERASED if message.get("erased") else message["text"]
        yield from _passage(message, text, zone=zone, shortened=False)


def _passage(hit: Document, text: str, *, zone: tzinfo, shortened: bool = True) -> Iterator[str]:
    score = f"  {hit['score']:.2f}" if "score" in hit else ""
    beside = "  (beside a match)" if hit.get("beside") else ""
    yield printable(f"{hit['ref']}{score}  {moment(hit['at'], zone)}  {hit['sender']}{beside}")
    if shortened:
        text = " ".join(text.split())
        text = text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
    yield from (f"    {line}" for line in printable(text).splitlines())


def _memory(kept: Document) -> Iterator[str]:
    """What is remembered of an audience, in the words of `/memory`."""
    yield f"{kept['audience']}:"
    told = (claim_from_json(claim) for name in _CLAIMS for claim in kept[name])
    page = memory_page(filter(None, told), kept["files"], language=_LANGUAGE)
    yield from printable(page or "Nothing is remembered yet.").splitlines()
    if kept.get("rejected"):
        yield from ("", "Not believed:")
    for claim in kept.get("rejected", ()):
        yield printable(f"- {claim.get('text', '')} ({claim.get('reason', '')})")
    yield ""
