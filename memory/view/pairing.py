"""Calls and their results: each call is followed by exactly its own result, under an id used once (g3 to g5)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import takewhile

from memory.messages import AssistantMessage, Message, Provenance, ToolCall, ToolMessage
from memory.tokens import MESSAGE_TOKENS, RESULT_TOKENS, count
from memory.view.repairs import RepairKind, RepairLog

NO_RESULT = "[no result of this call is on record; it may or may not have run]"


def paired(messages: Sequence[Message], *, log: RepairLog) -> list[Message]:
    """The messages with each result directly after its call.

    A result belongs to the nearest assistant message before it. Where one assistant message uses an id twice, its
    first result answers the first of these calls, the second the second; what is left over is dropped.
    """
    ids = _Ids(messages)
    kept: list[Message] = []
    for assistant, followers in _stretches(messages):
        if assistant is not None:
            kept += _group(assistant, followers, ids=ids, log=log)
        for follower in followers:
            if not isinstance(follower, ToolMessage):
                kept.append(follower)
            elif assistant is None or all(call.id != follower.tool_call_id for call in assistant.tool_calls):
                log.note(RepairKind.ORPHAN_RESULT, seq=follower.seq)
    return kept


class _Ids:
    """Gives every call an id of its own: its own one where it is the first to use it, else a derived one."""

    def __init__(self, messages: Iterable[Message]) -> None:
        calls = (call for m in messages if isinstance(m, AssistantMessage) for call in m.tool_calls)
        self._reserved = {call.id for call in calls}
        self._used: set[str] = set()

    def assign(self, call: ToolCall, *, seq: int, place: int, log: RepairLog) -> ToolCall:
        """The call under its id; a new id follows from the message's number and the call's place in it."""
        if call.id.strip() and call.id not in self._used:
            self._used.add(call.id)
            return call
        log.note(RepairKind.REUSED_ID if call.id.strip() else RepairKind.EMPTY_ID, seq=seq)
        derived = f"call_{seq}_{place}"
        again = 1
        while derived in self._reserved or derived in self._used:
            again += 1
            derived = f"call_{seq}_{place}_{again}"
        self._used.add(derived)
        return replace(call, id=derived)


def _stretches(messages: Iterable[Message]) -> Iterator[tuple[AssistantMessage | None, list[Message]]]:
    """Each assistant message with everything up to the next one; before the first there is none."""
    assistant: AssistantMessage | None = None
    followers: list[Message] = []
    for message in messages:
        if isinstance(message, AssistantMessage):
            yield assistant, followers
            assistant, followers = message, []
        else:
            followers.append(message)
    yield assistant, followers


def _group(
    assistant: AssistantMessage, followers: Sequence[Message], *, ids: _Ids, log: RepairLog
) -> Iterator[Message]:
    """The assistant message and one result for each of its calls, in their order."""
    if not assistant.tool_calls:
        yield assistant
        return
    results = _results(assistant, followers, log=log)
    calls = tuple(
        ids.assign(call, seq=assistant.seq, place=place, log=log)
        for place, call in enumerate(assistant.tool_calls)
    )
    unchanged = all(new is old for new, old in zip(calls, assistant.tool_calls, strict=True))
    yield assistant if unchanged else replace(assistant, tool_calls=calls)
    for call, result in zip(calls, results, strict=True):
        if result is None:
            log.note(RepairKind.MISSING_RESULT, seq=assistant.seq)
            yield _placeholder(assistant, call=call)
        else:
            yield result if result.tool_call_id == call.id else replace(result, tool_call_id=call.id)


def _results(
    assistant: AssistantMessage, followers: Sequence[Message], *, log: RepairLog
) -> list[ToolMessage | None]:
    """The stored result of each call, or None; notes which are doubled and whether any stood elsewhere."""
    by_id: dict[str, list[ToolMessage]] = {}
    for follower in followers:
        if isinstance(follower, ToolMessage):
            by_id.setdefault(follower.tool_call_id, []).append(follower)
    results = [by_id[call.id].pop(0) if by_id.get(call.id) else None for call in assistant.tool_calls]
    for surplus in (by_id.get(id_, []) for id_ in {call.id for call in assistant.tool_calls}):
        for result in surplus:
            log.note(RepairKind.DOUBLED_RESULT, seq=result.seq)
    found = [id(result) for result in results if result is not None]
    direct = [id(follower) for follower in takewhile(_is_result, followers) if id(follower) in found]
    in_place = set(found) == set(direct) if _is_own(assistant) else found == direct
    if not in_place:
        log.note(RepairKind.MOVED_RESULT, seq=assistant.seq)
    return results


def _is_own(assistant: AssistantMessage) -> bool:
    """Whether the calls bear ids of ours: their tools ran side by side, and each result was stored when it was there."""
    return bool(assistant.turn) and all(
        call.id.startswith(f"{assistant.turn}/") for call in assistant.tool_calls
    )


def _is_result(message: Message) -> bool:
    return isinstance(message, ToolMessage)


def _placeholder(assistant: AssistantMessage, *, call: ToolCall) -> ToolMessage:
    return ToolMessage(
        content=NO_RESULT,
        at=assistant.at,
        seq=assistant.seq,
        turn=assistant.turn,
        tool_call_id=call.id,
        name=call.name,
        is_error=True,
        provenance=Provenance.TOOL,
        tokens=_placeholder_tokens(),
    )


@cache
def _placeholder_tokens() -> int:
    return MESSAGE_TOKENS + RESULT_TOKENS + count(NO_RESULT)
