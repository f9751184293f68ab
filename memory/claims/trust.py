"""Whose words weigh how much: what a claim rests on is worth as much as the least trusted of it (P14)."""

import re
from collections.abc import Iterable

from memory.claims.text import fold, is_han
from memory.messages import Message, Provenance, ToolMessage, UserMessage

TRUST = (
    Provenance.OWNER,
    Provenance.MEMBER,
    Provenance.ASSISTANT,
    Provenance.SUBAGENT,
    Provenance.FILE,
    Provenance.TOOL,
    Provenance.STRANGER,
    Provenance.WEB,
)
"""From the most to the least trusted."""

PEOPLE = frozenset({Provenance.OWNER, Provenance.MEMBER})
"""Who may decide something and may ask for something."""

ASSISTANT = "assistant"


def least_trusted(provenances: Iterable[Provenance]) -> Provenance:
    """The provenance of what was made of all of these; of nothing, the least trusted there is."""
    return max(provenances, key=TRUST.index, default=TRUST[-1])


def is_less_trusted(provenance: Provenance, *, than: Provenance) -> bool:
    """Whether words of the one may not replace words of the other."""
    return TRUST.index(provenance) > TRUST.index(than)


def speaker_of(message: Message) -> str:
    """How a record names who said it: the person's shown name or id, `assistant`, or the tool."""
    match message:
        case UserMessage():
            return message.sender_name or message.sender or message.provenance.value
        case ToolMessage():
            return message.name
    return ASSISTANT


def is_name_of(name: str, speaker: str) -> bool:
    """Whether a text's name for somebody is the record's, or a part of it."""
    folded, known = fold(name).removesuffix("'s"), fold(speaker)
    if is_han(folded):
        return folded in known or known in folded
    return set(folded.split()) <= set(re.findall(r"[\w'-]+", known))
