"""Planted claims: short conversations from a seed, each with a claim of which we know whether it is true of them."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from memory.claims.claim import ClaimKind, Evidence
from memory.claims.proposal import ProposedClaim
from memory.messages import AssistantMessage, Message, Provenance, ToolMessage, UserMessage
from tests.bench.planted_scenes import CHINESE, ENGLISH
from tests.bench.planted_talk import Line, people, some_day, some_line, talk
from tests.bench.planted_turns import TURNS

SESSION = "telegram:42"
_STOP_QUOTES = ("sounds good", "Thanks", "好的", "知道了", "Good morning")
_WHOLE = "verbatim"
# Values and polarity go wrong in more ways than quotes do, so that many more of them are planted in each round.
_ALTERED = 12
_TURNED = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A conversation, a proposal, whether it is true, and in which way."""

    way: str
    is_true: bool
    proposal: ProposedClaim
    messages: Mapping[int, Message]


def true_cases(seed: int) -> Iterator[Case]:
    """True claims without end: word for word, reworded, with dates resolved, joined from two messages."""
    rng = random.Random(seed)
    while True:
        yield _verbatim(rng)
        yield _reworded(rng)
        yield _joined(rng)
        yield _turned(rng, is_true=True)


def false_cases(seed: int) -> Iterator[Case]:
    """False claims without end, all ways in turn."""
    rng = random.Random(seed)
    while True:
        for _ in range(_ALTERED):
            yield _altered(rng)
        for _ in range(_TURNED):
            yield _turned(rng, is_true=False)
        for spoil in _SPOILERS:
            yield spoil(rng)


def _proposal(kind: ClaimKind, text: str, *evidence: tuple[int, str]) -> ProposedClaim:
    return ProposedClaim(
        kind=kind, text=text, evidence=tuple(Evidence(seq=seq, quote=quote) for seq, quote in evidence)
    )


def _verbatim(rng: random.Random) -> Case:
    today = some_day(rng)
    line = some_line(rng, today)
    messages, (seq,) = talk(rng, today, line)
    quote = line.text if rng.random() < 0.5 else line.quote
    return Case(
        way=_WHOLE, is_true=True, proposal=_proposal(line.scene.kind, quote, (seq, quote)), messages=messages
    )


def _reworded(rng: random.Random) -> Case:
    today = some_day(rng)
    line = some_line(rng, today)
    messages, (seq,) = talk(rng, today, line)
    text = line.claim(rng, rng.choice(line.scene.claims))
    quote = rng.choice([line.quote, line.text, line.quote.upper() if rng.random() < 0.1 else line.quote])
    return Case(
        way="reworded",
        is_true=True,
        proposal=_proposal(line.scene.kind, text, (seq, _fitting(line, quote, text))),
        messages=messages,
    )


def _fitting(line: Line, quote: str, text: str) -> str:
    """A quote from every sentence that the claim draws on: the whole message where it has several."""
    several = line.text.count(".") + line.text.count(";") > 1
    return line.text if several and text else quote


def _joined(rng: random.Random) -> Case:
    today = some_day(rng)
    scenes = rng.sample(rng.choice([ENGLISH, CHINESE]), 2)
    first = some_line(rng, today, scene=scenes[0])
    second = some_line(rng, today, scene=scenes[1], speaker=first.speaker)
    messages, (one, two) = talk(rng, today, first, second)
    texts = [line.claim(rng, line.scene.claims[0]).rstrip(".。") for line in (first, second)]
    text = ("；" if first.scene in CHINESE else "; ").join(texts)
    proposal = _proposal(ClaimKind.FACT, text, (one, first.text), (two, second.text))
    return Case(way="joined from two messages", is_true=True, proposal=proposal, messages=messages)


def _turned(rng: random.Random, *, is_true: bool) -> Case:
    turn = rng.choice(TURNS)
    today = some_day(rng)
    is_chinese = any(char > "\u2e80" for char in turn.said)
    line = Line(
        scene=CHINESE[0] if is_chinese else ENGLISH[0],
        values={},
        speaker=rng.choice(people(is_chinese)),
        text=turn.said,
        quote=turn.said,
    )
    messages, (seq,) = talk(rng, today, line)
    text = rng.choice(turn.true if is_true else turn.false).format(who=line.speaker)
    way = f"true beside: {turn.way}" if is_true else turn.way
    return Case(
        way=way, is_true=is_true, proposal=_proposal(turn.kind, text, (seq, turn.said)), messages=messages
    )


def _altered(rng: random.Random) -> Case:
    """One slot of a true claim in a wrong spelling."""
    while True:
        today = some_day(rng)
        line = some_line(rng, today)
        template = rng.choice(line.scene.claims)
        ways = [
            (name, way)
            for name, value in line.values.items()
            if f"{{{name}}}" in template
            for way in value.wrong
        ]
        if ways:
            break
    name, way = rng.choice(ways)
    messages, (seq,) = talk(rng, today, line)
    text = line.claim(rng, template, **{name: line.values[name].wrong[way]})
    if line.scene in CHINESE:
        way = f"{way} (Chinese)"
    return Case(
        way=way, is_true=False, proposal=_proposal(line.scene.kind, text, (seq, line.text)), messages=messages
    )


def _honest(rng: random.Random) -> tuple[Line, dict[int, Message], int, str]:
    today = some_day(rng)
    line = some_line(rng, today)
    messages, (seq,) = talk(rng, today, line)
    return line, messages, seq, line.claim(rng, line.scene.claims[0])


def _false(way: str, proposal: ProposedClaim, messages: Mapping[int, Message]) -> Case:
    return Case(way=way, is_true=False, proposal=proposal, messages=messages)


def _missing_quote(rng: random.Random) -> Case:
    line, messages, seq, text = _honest(rng)
    words = line.quote.replace(" the ", " that ").replace("。", "，") + rng.choice(
        [" as promised", "，没问题"]
    )
    return _false("quote not there", _proposal(line.scene.kind, text, (seq, words)), messages)


def _quote_of_another(rng: random.Random) -> Case:
    line, messages, seq, text = _honest(rng)
    return _false(
        "quote of another message", _proposal(line.scene.kind, text, (seq + 1, line.quote)), messages
    )


def _out_of_range(rng: random.Random) -> Case:
    line, messages, seq, text = _honest(rng)
    seq += rng.choice([-700, 700])
    return _false("message out of range", _proposal(line.scene.kind, text, (seq, line.quote)), messages)


def _other_session(rng: random.Random) -> Case:
    line, messages, seq, text = _honest(rng)
    proposal = replace(_proposal(line.scene.kind, text, (seq, line.quote)), session="telegram:43")
    return _false("another session", proposal, messages)


def _stop_phrase(rng: random.Random) -> Case:
    line, messages, seq, text = _honest(rng)
    quote = rng.choice(_STOP_QUOTES)
    said = replace(messages[seq - 1], content=f"{quote}! {line.text}")
    return _false(
        "stop phrase as quote",
        _proposal(line.scene.kind, text, (seq - 1, quote)),
        {**messages, seq - 1: said},
    )


def _short_quote(rng: random.Random) -> Case:
    line, messages, seq, text = _honest(rng)
    return _false("quote too short", _proposal(line.scene.kind, text, (seq, line.quote[:1])), messages)


def _swapped_speaker(rng: random.Random) -> Case:
    while True:
        line, messages, seq, _ = _honest(rng)
        templates = [each for each in line.scene.claims if each.startswith("{who}")]
        if templates:
            break
    others = [name for name in people(line.scene in CHINESE) if name != line.speaker]
    other = rng.choice(others)
    text = replace(line, speaker=other).claim(rng, rng.choice(templates))
    first = messages[min(messages)]
    present = (
        replace(first, sender=other.casefold(), sender_name=other)
        if isinstance(first, UserMessage)
        else first
    )
    return _false(
        "swapped speaker",
        _proposal(line.scene.kind, text, (seq, line.text)),
        {**messages, first.seq: present},
    )


def _tool_decision(rng: random.Random) -> Case:
    line, messages, seq, text = _honest(rng)
    old = messages[seq]
    told: Message = ToolMessage(
        seq=seq,
        content=line.text,
        at=old.at,
        tool_call_id="c1",
        name="fetch",
        provenance=rng.choice([Provenance.TOOL, Provenance.WEB]),
    )
    if rng.random() < 0.4:
        told = AssistantMessage(seq=seq, content=line.text, at=old.at)
    return _false(
        "not people's words as decision",
        _proposal(ClaimKind.DECISION, text, (seq, line.text)),
        {**messages, seq: told},
    )


def _number_of_another_sentence(rng: random.Random) -> Case:
    today = some_day(rng)
    count = rng.randrange(3, 90)
    said = f"The {rng.choice(['boiler', 'lift', 'gate'])} repair takes {count} days. We also have {count + 4} tenants."
    line = Line(scene=ENGLISH[0], values={}, speaker="Ewa", text=said, quote=said)
    messages, (seq,) = talk(rng, today, line)
    quote = said.split(". ", maxsplit=1)[0]
    text = quote.replace(str(count), str(count + 4)) + "."
    return _false("number of another sentence", _proposal(ClaimKind.FACT, text, (seq, quote)), messages)


_SPOILERS = (
    _missing_quote,
    _quote_of_another,
    _out_of_range,
    _other_session,
    _stop_phrase,
    _short_quote,
    _swapped_speaker,
    _tool_decision,
    _number_of_another_sentence,
)
