"""Why something is remembered: from a line, a claim, a message or a change to the evidence."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memory.archive.record import History
from memory.claims.claim import Claim
from memory.longterm.lines import Line, fingerprint, parse_line, references, same_claim
from memory.longterm.notebook import Contents, Notebook
from memory.longterm.refusal import Refused

_ID = re.compile(r"(?:c:)?([0-9a-f]{4,40})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One thing that is remembered, and what it rests on.

    `file` and `line` are empty for a claim that stands in the archive alone. A line without `refs` is a person's
    own. `claims` are those of `refs` that the archive still holds, with their quotes.
    """

    file: str = ""
    line: str = ""
    refs: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()


async def why(audience: str, query: str, *, history: History, notebook: Notebook) -> tuple[Reason, ...]:
    """The reasons for a reference (`telegram:42#17`), a claim (`c:7f3a09bc`), a change (`1b2c3d4e`) or words of a line."""
    contents = await notebook.read(audience)
    claims = {claim.id: claim for entry in await history.entries(audience) for claim in entry.claims}
    found = list(_in_files(query, contents, claims))
    told = {claim.id for reason in found for claim in reason.claims}
    found += [
        Reason(refs=references(claim), claims=(claim,))
        for claim in claims.values()
        if claim.id not in told and _names(query, claim)
    ]
    if not found and (id_ := _ID.fullmatch(query.strip().lower())):
        found = await _of_change(audience, id_[1], claims=claims, notebook=notebook)
    return tuple(found)


def _in_files(query: str, contents: Contents, claims: Mapping[str, Claim]) -> Iterator[Reason]:
    words = fingerprint(query)
    for path, page in contents.pages.items():
        for text in page.data.decode("utf-8", "replace").splitlines():
            line = parse_line(text)
            if _is_meant(query.strip(), line) or (words and words in fingerprint(text)):
                yield Reason(
                    file=path,
                    line=line.said,
                    refs=line.refs,
                    claims=tuple(
                        claim
                        for claim in claims.values()
                        if any(same_claim(claim.id, each) for each in line.claims)
                    ),
                )


def _is_meant(query: str, line: Line) -> bool:
    id_ = _ID.fullmatch(query.lower())
    return query in line.refs or (id_ is not None and any(same_claim(id_[1], each) for each in line.claims))


def _names(query: str, claim: Claim) -> bool:
    id_ = _ID.fullmatch(query.strip().lower())
    return query.strip() in references(claim) or (id_ is not None and claim.id.startswith(id_[1]))


async def _of_change(
    audience: str, name: str, *, claims: Mapping[str, Claim], notebook: Notebook
) -> list[Reason]:
    change = await notebook.versions.find(audience, name)
    if isinstance(change, Refused):
        return []
    return [
        Reason(refs=references(claim), claims=(claim,))
        for short in change.claims
        for claim in claims.values()
        if same_claim(claim.id, short)
    ]
