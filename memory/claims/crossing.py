"""Values that a claim gives to the wrong thing: "the bus at 9" from "the train leaves at 9 and the bus at 10"."""

from collections.abc import Sequence

from memory.claims.anchors import AnchorKind, Mention
from memory.claims.parts import Part, claim_parts, evidence_parts
from memory.claims.passages import Passage
from memory.claims.words import akin


def crossed(claim: str, *, claimed: Sequence[Mention], given: Sequence[Passage]) -> str | None:
    """The value that the evidence gives to something else than the tidy claim does, as written, or None.

    A value is crossed when a word beside it stands in the evidence only beside other values of the kind, while
    the value itself stands there beside a word that the claim has nowhere.
    """
    evidence = evidence_parts(given)
    if sum(bool(part.values) for part in evidence) < 2:
        return None
    said = claim_parts(claim, claimed=claimed, given=given)
    known = {word for part in said for word in part.words}
    for part in said:
        for mention in claimed:
            if (
                not mention.firm
                or not part.has(mention.kind, mention.reads)
                or mention.kind is AnchorKind.QUOTED
            ):
                continue
            if _is_crossed(part, mention, known, evidence):
                return claim[mention.start : mention.end]
    return None


def _is_crossed(part: Part, mention: Mention, known: set[str], evidence: Sequence[Part]) -> bool:
    holding = [each for each in evidence if each.has(mention.kind, mention.reads)]
    if not holding or not all(_has_foreign(each, known) for each in holding):
        return False
    for word in part.words:
        if word.startswith("@") and not all(each.names - known for each in holding):
            continue  # what somebody says is theirs unless it names another
        if mention.kind is AnchorKind.NAME and any(word in each.names for each in evidence):
            continue  # of two names each may stand with its own
        beside = [each for each in evidence if each.knows(word)]
        if not word.startswith("@") and not {each.source for each in beside} & {
            each.source for each in holding
        }:
            continue  # a word that another message happens to use too
        if beside and all(each.competes(mention.kind, mention.reads) for each in beside):
            return True
    return False


def _has_foreign(part: Part, known: set[str]) -> bool:
    return any(not any(akin(word, each) for each in known) for word in part.words)
