"""A reply: our language in it, its texts as the parts that the outbox keeps, what we add to an answer that isn't whole."""

from collections.abc import Sequence
from dataclasses import replace

from channels.messages import ChatKind, Entrance, InboundMessage, OutboundMessage, takes_slash
from gateway.replies import Say, choose_language, say, with_bang
from gateway.turns.loop import MAX_EQUAL_FAILURES, Ending, Outcome
from gateway.turns.restore import Work


def language_of(message: InboundMessage, *, setting: str) -> str:
    """The language that we speak to whoever wrote this; a record's words are nobody's language."""
    text = message.text if message.entrance is Entrance.USER else ""
    language = choose_language(setting, person=message.language, text=text)
    return language if takes_slash(message.channel) else with_bang(language)


def replies_to(message: InboundMessage, texts: Sequence[str]) -> list[OutboundMessage]:
    """One part per text, addressed to where the message came from; in a group the first one is a reply to it."""
    quotes = message.chat_kind is ChatKind.GROUP and message.entrance is Entrance.USER
    return [
        OutboundMessage(
            id=message.id,
            part=part,
            channel=message.channel,
            chat_id=message.chat_id,
            thread_id=message.thread_id,
            text=text,
            reply_to=message.platform_id if quotes and part == 0 else None,
            answers=(message.id,),
            session_key=message.session_key,
            chat_kind=message.chat_kind,
        )
        for part, text in enumerate(texts)
    ]


def reply_parts(
    work: Work, texts: Sequence[str], *, placeholder: str | None = None, seq: int | None = None
) -> list[OutboundMessage]:
    """The parts of a turn's reply, addressed to where its newest message came from; the first goes into the placeholder."""
    return [
        replace(
            part,
            id=work.turn_id,
            answers=work.ids,
            placeholder=placeholder if part.part == 0 else None,
            seq=seq,
        )
        for part in replies_to(work.newest, texts)
    ]


def notice(outcome: Outcome, language: str) -> str:
    """What we add to an answer that isn't whole; it is sent and never stored."""
    match outcome.ending:
        case Ending.EMPTY:
            return say(Say.EMPTY_ANSWER, language)
        case Ending.ROUND_LIMIT:
            return say(Say.ROUND_LIMIT, language, rounds=outcome.rounds)
        case Ending.EQUAL_FAILURES:
            return say(Say.EQUAL_CALLS, language, times=MAX_EQUAL_FAILURES)
        case Ending.ANSWERED:
            return say(Say.CUT_ANSWER, language) if outcome.cut else ""
