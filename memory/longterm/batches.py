"""What fits into one request of Dream: whole entries, and the files as far as there is room."""

from collections.abc import Mapping, Sequence

from memory import tokens
from memory.archive.entry import Entry
from memory.claims.claim import Claim, Status
from memory.longterm.lines import short_id
from memory.longterm.pages import Page

MOST_ENTRIES = 20
"""Of one request; more at once and a model overlooks the later ones."""

_INSTRUCTION_TOKENS = 800
"""What the request says beside entries and files."""

_LARGEST_ANSWER_TOKENS = 4096
_FRAME_TOKENS = 12
"""Brackets, commas and the word that says what is replaced, around the parts of a claim's line."""


def answer_tokens(window_tokens: int) -> int:
    """The room for the answer: a quarter of the window at most (P7)."""
    return min(_LARGEST_ANSWER_TOKENS, window_tokens // 4)


def file_tokens(window_tokens: int) -> int:
    """The room for the files: a quarter of the window; a longer file deserves a warning."""
    return window_tokens // 4


def next_batch(
    entries: Sequence[Entry], *, window_tokens: int, files: Mapping[str, str]
) -> tuple[Entry, ...]:
    """The first entries that fit beside the files, whole; none where the very first is too long. Counts, so blocks."""
    room = window_tokens - answer_tokens(window_tokens) - _INSTRUCTION_TOKENS
    room -= sum(tokens.count(f"{path}\n{text}") for path, text in files.items())
    batch: list[Entry] = []
    for entry in entries[:MOST_ENTRIES]:
        room -= _cost(entry)
        if room < 0:
            break
        batch.append(entry)
    return tuple(batch)


def _cost(entry: Entry) -> int:
    """The tokens of what a model is shown of it: a line on each claim, without those that left a summary."""
    shown = (claim for claim in entry.claims if claim.status is Status.ACTIVE)
    return sum(tokens.count(_line(claim)) + _FRAME_TOKENS for claim in shown)


def _line(claim: Claim) -> str:
    replaced = " ".join(map(short_id, claim.supersedes))
    said_by = f"{claim.kind} {claim.speaker} {claim.provenance} {claim.at:%Y-%m-%d}"
    return f"{short_id(claim.id)} {said_by} {replaced} {claim.text}"


def shown_files(pages: Mapping[str, Page], *, window_tokens: int) -> dict[str, str]:
    """What a model sees of the files: all of them, or the later lines of each where they exceed their room. Blocks.

    Code compares new lines with the whole files, so what is not shown is not written twice either.
    """
    readable = {
        path: page.data.decode("utf-8", "replace") for path, page in pages.items() if not page.problem
    }
    room = file_tokens(window_tokens)
    if sum(map(tokens.count, readable.values())) <= room:
        return readable
    share = room // len(readable)
    return {path: _last_lines(text, max_tokens=share) for path, text in readable.items()}


def believed(entries: Sequence[Entry]) -> dict[str, Claim]:
    """The claims of the entries by id, each as the last entry that tells of it has it: a later one may supersede it.

    What left a summary for room is believed as before, and was read with the entry that brought it.
    """
    return {claim.id: claim for entry in entries for claim in entry.claims if claim.status is not Status.AGED}


def _last_lines(text: str, *, max_tokens: int) -> str:
    kept: list[str] = []
    for line in reversed(text.splitlines()):
        max_tokens -= tokens.count(line) + 1
        if max_tokens < 0:
            break
        kept.append(line)
    return "\n".join(reversed(kept))
