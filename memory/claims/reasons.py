"""Why a claim is not believed, in words that its writer can mend it by."""

from enum import StrEnum


class Reason(StrEnum):
    """The check that a claim failed; stored beside the claim and counted."""

    OTHER_SESSION = "other_session"
    EMPTY = "empty"
    TOO_LONG = "too_long"
    NO_EVIDENCE = "no_evidence"
    OUT_OF_RANGE = "out_of_range"
    QUOTE_TOO_SHORT = "quote_too_short"
    QUOTE_SAYS_NOTHING = "quote_says_nothing"
    QUOTE_MISSING = "quote_missing"
    WRONG_SPEAKER = "wrong_speaker"
    NOT_DECIDED = "not_decided"
    ANCHOR_MISSING = "anchor_missing"
    ROLES_CHANGED = "roles_changed"
    NEGATION_CHANGED = "negation_changed"
    OPPOSITE = "opposite"
    HEDGE_LOST = "hedge_lost"
    ONLY_ASKED = "only_asked"
    PAST_LOST = "past_lost"
    SUPERSEDED = "superseded"
    OVERSTATED = "overstated"
    UNSUPPORTED = "unsupported"

    @property
    def meaning(self) -> str:
        """One sentence for whoever wrote the claim."""
        return _MEANINGS[self]


_MEANINGS = {
    Reason.OTHER_SESSION: "The claim is about another session.",
    Reason.EMPTY: "The claim says nothing.",
    Reason.TOO_LONG: "The claim is too long; a claim is one sentence.",
    Reason.NO_EVIDENCE: "The claim names no message that it rests on.",
    Reason.OUT_OF_RANGE: "There is no such message among those to be summarised.",
    Reason.QUOTE_TOO_SHORT: "The quote is too short to be evidence; quote the words that say it.",
    Reason.QUOTE_SAYS_NOTHING: "The quote is a phrase that says nothing by itself; quote the words that say it.",
    Reason.QUOTE_MISSING: "The quote does not stand in that message; quote it word for word.",
    Reason.WRONG_SPEAKER: "The record says that somebody else said it, or said it of somebody else.",
    Reason.NOT_DECIDED: "Only people decide, and no suggestion does; a decision needs their own words as evidence.",
    Reason.ANCHOR_MISSING: "The quoted sentences do not hold this number, date, name, link or identifier.",
    Reason.ROLES_CHANGED: "The quoted sentences say this of something or somebody else, or the other way round.",
    Reason.NEGATION_CHANGED: "The quoted sentences deny it, or the claim denies what they say.",
    Reason.OPPOSITE: "The quoted sentences say the opposite.",
    Reason.HEDGE_LOST: "The quoted sentences leave it open, to come, a try, a dream, a jest or on a condition; so must the claim.",
    Reason.ONLY_ASKED: "The quoted sentence asks it; nobody said that it is so.",
    Reason.PAST_LOST: "The quoted sentences say that it was so, not that it is.",
    Reason.SUPERSEDED: "The speaker corrected it later; the claim must have the later value.",
    Reason.OVERSTATED: "The quoted sentences say no such thing as always, all, only, most, exactly or because of it.",
    Reason.UNSUPPORTED: "The quoted sentences hold too few of the claim's words; keep to their words and language.",
}
