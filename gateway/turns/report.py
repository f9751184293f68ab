"""How turns went: a rich line for each in the log, the same in the metrics, and a word where a history was repaired."""

from collections import Counter, OrderedDict
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

import structlog

from gateway.service.metrics import Metrics, Outcome, Part
from gateway.turns.turn import Turn, TurnState

_PARTS: Final[Mapping[TurnState, Part]] = {
    TurnState.COMPACT: "compact",
    TurnState.BUILD: "recall",
    TurnState.RUN: "model",
    TurnState.SAVE: "save",
    TurnState.RESPOND: "respond",
}
_OUTCOMES: Final[Mapping[str, Outcome]] = {"answered": "answered", "stopped": "stopped"}
_SESSIONS_REMEMBERED: Final = 4096
"""Whose repairs have been told: each kind is told once a session, as far as that is remembered."""

log = structlog.get_logger(__name__)


class TurnReports:
    """Tells of every turn that ended; `repairs` counts what the grammar had to mend since the start."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._told = OrderedDict[tuple[str, str], None]()
        self.repairs = Counter[str]()

    def __call__(self, turn: Turn, *, ending: str) -> None:
        """`ending` is answered, stopped, broke, or the kind of the model's error."""
        log.info(
            "turn_finished",
            turn=turn.turn_id,
            ending=ending,
            answered=len(turn.answered),
            rounds=turn.rounds,
            prompt_tokens=turn.usage.prompt_tokens,
            completion_tokens=turn.usage.completion_tokens,
            repairs=turn.repairs,
            seconds=round(sum(turn.seconds.values()), 4),
        )
        since_acceptance = (datetime.now(UTC) - turn.newest.received_at).total_seconds()
        self._metrics.turn(_OUTCOMES.get(ending, "failed"), seconds=max(since_acceptance, 0.0))
        for state, part in _PARTS.items():
            if state in turn.seconds:
                self._metrics.latency(part, seconds=turn.seconds[state])
        for kind, count in turn.repairs.items():
            self._repaired(turn.newest.session_key, kind=kind, count=count)

    def _repaired(self, session: str, *, kind: str, count: int) -> None:
        self._metrics.repaired(kind, count=count)
        self.repairs[kind] += count
        if (session, kind) not in self._told:
            self._told[session, kind] = None
            log.warning("history_repaired", session=session, kind=kind, count=count)
        if len(self._told) > _SESSIONS_REMEMBERED:
            self._told.popitem(last=False)
