"""Long-term memory for its operator: its changes, shown and undone; where it is from; Dream by hand."""

from typing import TypeVar

from gateway.operations.memory import evidence_of, known_audience
from gateway.operations.operation import Document, OperationFailed, OperationPorts
from memory.claims.claim import claim_to_json
from memory.longterm.dream import BatchReport
from memory.longterm.progress import Aside
from memory.longterm.proposals import Edit
from memory.longterm.refusal import Refused
from memory.longterm.verdict import Accepted
from memory.longterm.versions import Revision
from memory.longterm.why import Explanation, Ground, Witness, explain
from memory.messages import split_reference
from memory.sessions.codec import format_time

Found = TypeVar("Found")


async def log(ports: OperationPorts, *, audience: str = "", limit: int = 50) -> Document:
    """The changes of the files, newest first."""
    whose = await known_audience(ports, audience)
    made = await ports.notebook.versions.log(whose, limit=limit)
    return {"audience": whose, "revisions": [_revision(each) for each in made]}


async def diff(ports: OperationPorts, *, rev: str, audience: str = "") -> Document:
    """What one change did."""
    whose = await known_audience(ports, audience)
    revision = _found(await ports.notebook.versions.find(whose, rev))
    return {**_revision(revision), "diff": _found(await ports.notebook.versions.diff(whose, revision.id))}


async def restore(ports: OperationPorts, *, rev: str, audience: str = "") -> Document:
    """Undo one change by a new one."""
    whose = await known_audience(ports, audience)
    return {"audience": whose, **_revision(_found(await ports.notebook.restore(whose, rev)))}


async def dream(
    ports: OperationPorts, *, audience: str = "", dry_run: bool = False, retry: bool = False
) -> Document:
    """Read what is new in the archive, and what was given up, and edit the files, or tell what would be edited."""
    whose = await known_audience(ports, audience)
    report = await ports.dream(whose, dry_run=dry_run, retry=retry)
    return {
        "audience": whose,
        "dry_run": dry_run,
        "batches": [_batch(each) for each in report.batches],
        "aside": [_aside(each) for each in report.aside],
        "given_up": report.given_up,
        "warnings": list(report.warnings),
    }


async def why(ports: OperationPorts, *, ref: str, audience: str = "") -> Document:
    """What rests on a message, a claim or a change, or what a line rests on; with the messages."""
    home = await _home(ports, ref)
    whose = await known_audience(ports, audience or home or "")
    found = await explain(whose, ref, history=ports.history, notebook=ports.notebook, sessions=ports.sessions)
    if home == "" and not found.witnesses:
        found = await _nobodys(ports, ref)
    if not (found.grounds or found.witnesses):
        kind = "message" if home is not None or "#" in ref else "memory"
        of_whom = "" if kind == "message" else f" of {whose}"
        raise OperationFailed(
            f'there is no {kind} "{ref}"{of_whom}; mneme memory why --help says what to ask for'
        )
    claims = list({claim.id: claim for each in found.grounds for claim in each.claims}.values())
    return {
        "ref": ref,
        **({"claim": claim_to_json(claims[0])} if len(claims) == 1 else {}),
        "reasons": [_ground(each) for each in found.grounds],
        "messages": [_witness(each) for each in found.witnesses],
    }


async def _home(ports: OperationPorts, ref: str) -> str | None:
    """The audience of the session that a reference names; None where it names none."""
    try:
        session, _ = split_reference(ref)
    except ValueError:
        return None
    return await ports.sessions.audience_of(session)


async def _nobodys(ports: OperationPorts, ref: str) -> Explanation:
    """The message of a session that has no audience yet."""
    session, seq = split_reference(ref)
    messages = await ports.sessions.read(session, from_seq=seq, to_seq=seq)
    return Explanation(witnesses=tuple(Witness(ref=ref, message=message) for message in messages))


def _found(answer: Found | Refused) -> Found:
    if isinstance(answer, Refused):
        raise OperationFailed(answer.reason)
    return answer


def _revision(made: Revision) -> Document:
    return {
        "id": made.id,
        "at": format_time(made.at),
        "by_hand": made.by_hand,
        "title": made.title,
        "files": list(made.files),
        "claims": list(made.claims),
        "restores": made.restores,
    }


def _batch(batch: BatchReport) -> Document:
    return {
        "from_cursor": batch.from_cursor,
        "to_cursor": batch.to_cursor,
        "accepted": [_accepted(each) for each in batch.accepted],
        "refused": [{**_edit(edit), "reason": refused.reason} for edit, refused in batch.refused],
        "problems": list(batch.problems),
        "revision": batch.revision.id if batch.revision else None,
        "failure": batch.failure,
    }


def _accepted(made: Accepted) -> Document:
    return {
        "action": made.edit.action.value,
        "file": made.edit.file,
        "line": made.line,
        "replaced": made.replaced,
    }


def _edit(edit: Edit) -> Document:
    return {"action": edit.action.value, "file": edit.file, "text": edit.text, "old": edit.old}


def _aside(aside: Aside) -> Document:
    return {
        "from_cursor": aside.from_cursor,
        "to_cursor": aside.to_cursor,
        "at": format_time(aside.at),
        "reason": aside.reason,
    }


def _ground(ground: Ground) -> Document:
    return {
        "file": ground.file,
        "line": ground.line,
        "refs": list(ground.refs),
        "claims": [claim_to_json(each) for each in ground.claims],
    }


def _witness(witness: Witness) -> Document:
    session, _ = split_reference(witness.ref)
    document = evidence_of(session, witness.message)
    return document | ({"quote": witness.quote} if witness.quote else {})
