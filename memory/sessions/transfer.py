"""A session as one file or one document, and a session from a file: ours, nanobot's, or plain lines."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memory.claims.claim import CLAIM_LISTS, claim_from_json, claim_id
from memory.messages import Message
from memory.sessions.codec import encode, format_time, message_to_dict, parse_time
from memory.sessions.session import Session
from memory.sessions.state import metadata_to_dict
from memory.sessions.stores.base import Damage
from memory.sessions.stores.contents import Broken, read_contents
from memory.tokens import message_tokens

_LINE = '{"role","content","timestamp"?,"name"?}'
_SHOWN = 40
"""Characters of a value that is named as wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A session whose messages are all unsaved, ready for `SessionManager.adopt`, and what could not be read."""

    session: Session
    damages: tuple[Damage, ...]


def export_lines(session: Session, messages: Sequence[Message]) -> Iterator[bytes]:
    """The lines of a session file, each with its newline; `messages` are all of the session."""
    yield encode(metadata_to_dict(session)) + b"\n"
    for message in messages:
        yield encode(message_to_dict(message)) + b"\n"


def session_document(session: Session, messages: Sequence[Message]) -> dict[str, Any]:
    """The JSON document of `sessions show --json`."""
    empty: dict[str, Any] = {name: [] for name in CLAIM_LISTS}
    return {
        "key": session.key,
        "audience": session.audience,
        "created_at": format_time(session.created_at),
        "updated_at": format_time(session.updated_at),
        "last_consolidated": session.last_consolidated,
        "summary": empty | session.summary,
        "messages": [message_to_dict(message) for message in messages],
    }


def import_session(data: bytes, *, key: str = "", audience: str = "", otherwise: str = "") -> Imported:
    """The session of a file; blocks, since it counts tokens where the file doesn't say them.

    Reads session files of ours and of nanobot, and lines `{"role","content","timestamp"?,"name"?}`. `key` and
    `audience`, where given, replace those of the file; `otherwise` is the key of a file that names none.
    ValueError where no message can be read or there is no key.
    """
    contents = read_contents(data)
    stored = contents.metadata.get("key")
    name = key or (stored if isinstance(stored, str) else "") or otherwise
    if not name:
        raise ValueError("the file names no session key, so one has to be given")
    messages = contents.messages()
    damages = [*_damages(name, contents.broken), *_without_time(name, contents.rows)]
    if not messages:
        why = f": {damages[0].place}: {damages[0].problem}" if damages else ""
        raise ValueError(f"no message can be read{why}; expected lines {_LINE}")
    session = contents.session(name)
    session.audience = audience or session.audience
    if isinstance(stored, str) and stored != name:
        session.summary = _moved(session.summary, before=stored, key=name)
    if "last_seq" not in contents.metadata:
        messages = [_counted(message) for message in messages]
    session.tokens = sum(message.tokens for message in messages)
    session.messages = messages
    session.unsaved = list(messages)
    return Imported(session=session, damages=tuple(damages))


def _moved(summary: Mapping[str, Any], *, before: str, key: str) -> dict[str, Any]:
    """The summary with the claims of the session as those of the one that it is now: their evidence lies there."""
    moved, ids = dict(summary), dict[str, str]()
    for name in CLAIM_LISTS:
        if isinstance(kept := summary.get(name), list):
            moved[name] = [_claim_moved(one, before=before, key=key, ids=ids) for one in kept]
    for claim in (one for name in CLAIM_LISTS for one in moved.get(name) or () if isinstance(one, dict)):
        if isinstance(replaced := claim.get("supersedes"), list):
            claim["supersedes"] = [
                ids.get(each, each) if isinstance(each, str) else each for each in replaced
            ]
    return moved


def _claim_moved(stored: Any, *, before: str, key: str, ids: dict[str, str]) -> Any:
    claim = claim_from_json(stored)
    if claim is None or claim.session != before:
        return stored
    seqs = [each.seq for each in claim.evidence]
    ids[claim.id] = claim_id(key, from_seq=min(seqs), to_seq=max(seqs), text=claim.text)
    return {**stored, "session": key, "id": ids[claim.id]}


def _counted(message: Message) -> Message:
    return message if message.tokens or message.erased else replace(message, tokens=message_tokens(message))


def _damages(key: str, broken: Sequence[Broken]) -> Iterator[Damage]:
    for piece in broken:
        yield Damage(key=key, place=f"line {piece.line}", problem=piece.problem, repair="left out")


def _without_time(key: str, rows: Sequence[tuple[int, dict[str, Any]]]) -> Iterator[Damage]:
    for seq, row in rows:
        at = row.get("timestamp")
        if seq and at is not None and parse_time(at) is None:
            problem = f"timestamp {str(at)[:_SHOWN]!r}: expected a time such as 2026-03-01T10:00:00Z"
            yield Damage(key=key, place=f"message {seq}", problem=problem, repair="kept without its time")
