"""Conversations and proposals for the tests of claims."""

from datetime import UTC, datetime

from memory.claims.checks import Rejection, check
from memory.claims.claim import Claim, ClaimKind, Evidence
from memory.claims.proposal import ProposedClaim
from memory.claims.reasons import Reason
from memory.messages import AssistantMessage, Message, Provenance, ToolMessage, UserMessage

SESSION = "telegram:42"
AT = datetime(2026, 3, 12, 10, tzinfo=UTC)
"""A Thursday."""


def person(
    text: str,
    *,
    seq: int = 1,
    name: str = "Ann",
    provenance: Provenance = Provenance.OWNER,
    at: datetime = AT,
) -> UserMessage:
    """What a person said."""
    return UserMessage(
        seq=seq, content=text, at=at, sender=name.casefold(), sender_name=name, provenance=provenance
    )


def assistant(text: str, *, seq: int = 1) -> AssistantMessage:
    """What the assistant said."""
    return AssistantMessage(seq=seq, content=text, at=AT)


def tool(text: str, *, seq: int = 1) -> ToolMessage:
    """What a tool gave."""
    return ToolMessage(seq=seq, content=text, at=AT, tool_call_id="c1", name="fetch")


def proposal(
    text: str, *evidence: tuple[int, str], kind: ClaimKind = ClaimKind.FACT, supersedes: tuple[str, ...] = ()
) -> ProposedClaim:
    """A claim with its evidence as number and quote."""
    pieces = tuple(Evidence(seq=seq, quote=quote) for seq, quote in evidence)
    return ProposedClaim(kind=kind, text=text, evidence=pieces, supersedes=supersedes)


def judged(proposed: ProposedClaim, *messages: Message) -> Claim | Rejection:
    """The verdict on a proposal about these messages."""
    return check(proposed, messages={each.seq: each for each in messages}, session=SESSION, zone=UTC)


def verdict(said: str, claim: str, *, name: str = "Ann", kind: ClaimKind = ClaimKind.FACT) -> Reason | None:
    """Why a claim about one message (and a bystander's) is rejected, None where it is kept."""
    answer = judged(
        proposal(claim, (1, said), kind=kind),
        person(said, name=name),
        person("fine by me", seq=2, name="Bob"),
    )
    return answer.reason if isinstance(answer, Rejection) else None
