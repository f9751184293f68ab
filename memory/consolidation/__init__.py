"""Old messages become verified claims and an archive entry: plan, ask a summariser, verify, apply."""

from memory.consolidation.cooldown import CoolDowns
from memory.consolidation.plan import Reason, end_for_recent, shown_tokens
from memory.consolidation.ports import Chunk, Proposal, Summarizer
from memory.consolidation.rounds import Consolidation, Limits, Report

__all__ = [
    "Chunk",
    "Consolidation",
    "CoolDowns",
    "Limits",
    "Proposal",
    "Reason",
    "Report",
    "Summarizer",
    "end_for_recent",
    "shown_tokens",
]
