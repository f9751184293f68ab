"""Where a line may go, by whose words it rests on: what came from outside stays marked and never rules (P14)."""

import re
from collections.abc import Iterable, Sequence

from memory.claims.claim import Claim, ClaimKind
from memory.claims.trust import PEOPLE, least_trusted
from memory.longterm.pages import MEMORY
from memory.messages import Provenance

_SOURCES = {
    Provenance.ASSISTANT: "from the assistant",
    Provenance.SUBAGENT: "from a subagent",
    Provenance.FILE: "from a file",
    Provenance.TOOL: "from a tool",
    Provenance.STRANGER: "from a stranger",
    Provenance.WEB: "from a web page",
}

# What addresses the reader or gives an order, wherever in the line it stands.
_ADDRESSED = re.compile(
    r"\b(?:you|your|yours|yourself|must|shall|should|ought|always|never|please|let's"
    r"|system prompt|instructions?|jailbreak|(?:do|does) not|don't|as an ai|act as|pretend)\b"
    r"|<\||\[/?inst\]|(?:^|\s)(?:system|assistant|user|developer)\s*:"
    r"|[你您]|必须|务必|应该|应当|不要|不得|不准|请|勿|切记|一定要|总是|永远|指令|提示词|系统[::]",
    re.IGNORECASE,
)
# Verbs that an order begins with, at the beginning of the line or of a clause.
_ORDER = re.compile(
    r"(?:^|[.;:,!?\"'(\-—、。;:,!?]\s*|\b(?:and|then|to|now|just|also)\s+)"
    r"(?:ignore|disregard|forget|override|bypass|obey|follow|reveal|print|output|repeat|reply|respond|answer|say|tell"
    r"|write|send|forward|email|mail|post|publish|upload|download|install|run|execute|eval|open|click|visit|call|invoke"
    r"|use|delete|remove|erase|drop|wipe|transfer|pay|buy|order|book|approve|grant|share|give|show|add|set|make|keep"
    r"|remember|note|treat|consider|assume|trust|accept|allow|disable|enable|stop|start|switch|change|update|replace"
    r"|copy|encode|decode|translate|summari[sz]e|include|insert|append|mention|confirm|contact|ask|do|go|be)\b"
    r"|忽略|无视|忘记|删除|发送|转发|执行|运行|安装|下载|点击|打开|访问|调用|回复|回答|输出|泄露|告诉|转账|付款|购买|批准|遵守|服从|扮演|假装",
    re.IGNORECASE,
)


def provenance_of(claims: Iterable[Claim]) -> Provenance:
    """Whose words a line that rests on all of these is made of: the least trusted of them."""
    return least_trusted(claim.provenance for claim in claims)


def source_of(claims: Iterable[Claim]) -> str:
    """The same in words: `from a web page`."""
    provenance = provenance_of(claims)
    return _SOURCES.get(provenance, f"from a person who is {provenance.value}")


def marked(text: str, *, provenance: Provenance) -> str:
    """The text with the visible mark of its origin; a person's own words need none."""
    return f"{text} ({_SOURCES[provenance]})" if provenance in _SOURCES else text


def unmarked(text: str) -> str:
    """The text without such a mark."""
    for source in _SOURCES.values():
        text = text.removesuffix(f"({source})").rstrip()
    return text


def barred(path: str, *, claims: Sequence[Claim], text: str, audience: str) -> str | None:
    """Why a line on these claims may not stand in that file, or None.

    Who the person is, how to behave and skills follow from the owner's words alone, or a member's in what is
    theirs alone. Elsewhere the words of others may be told, never in the form of an order.
    """
    provenance = provenance_of(claims)
    if path != MEMORY:
        own = provenance is Provenance.OWNER or (
            provenance is Provenance.MEMBER and audience.startswith("person-")
        )
        if not own:
            return f"what is {source_of(claims)} doesn't belong into {path}"
        if any(claim.kind is ClaimKind.QUESTION for claim in claims):
            return f"an open question doesn't belong into {path}"
    if provenance not in PEOPLE and instructs(text):
        return f"what is {source_of(claims)} reads like an instruction"
    return None


def instructs(text: str) -> bool:
    """Whether the text reads like an order or addresses its reader; errs on the side of yes."""
    return _ADDRESSED.search(text) is not None or _ORDER.search(text) is not None
