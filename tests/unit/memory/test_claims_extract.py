"""When the model fails, what people said is kept word for word, and every word of it passes the checks."""

from collections.abc import Collection
from datetime import UTC

from hypothesis import given, settings
from hypothesis import strategies as st

from memory import tokens
from memory.claims.checks import check
from memory.claims.claim import Claim, ClaimKind, Evidence
from memory.claims.extract import MAX_CLAIMS, extract
from memory.claims.proposal import ProposedClaim
from memory.messages import Message, Provenance
from tests.helpers.claims import SESSION, assistant, person, tool

_SENTENCES = st.sampled_from(
    [
        "Let's meet tomorrow at 9:30 at Cafe Luna.",
        "I live in Graz and I don't eat meat.",
        "Maybe we go to Rome, but the flight leaves at 7:15 am.",
        "Is the museum open on Mondays?",
        "The invoice INV-20417 is due on 12 March.",
        "my number is 0170 1234567\nand my mail is a@example.com",
        "Bob, I paid 30 euros and Carl paid 40 euros!",
        "我们就去杭州吧，预算两千块。",
        "我以前住在南京，现在不住那里了。",
        "会议几点开始？",
        "She said **no** to all of it.",
        "ok",
        "好的",
        "…",
        "If it rains on Friday we stay at home.",
        "https://example.com/a?b=1 is “the” link; /etc/hosts is the file.",
    ]
)
_TEXTS = st.lists(_SENTENCES | st.text(max_size=30), min_size=1, max_size=4).map(" ".join)


@st.composite
def _conversations(draw: st.DrawFn) -> list[Message]:
    messages: list[Message] = []
    for seq in range(1, draw(st.integers(1, 8)) + 1):
        text = draw(_TEXTS)
        kind = draw(st.integers(0, 4))
        if kind == 0:
            messages.append(assistant(text, seq=seq))
        elif kind == 1:
            messages.append(tool(text, seq=seq))
        else:
            messages.append(person(text, seq=seq, name=draw(st.sampled_from(["Ann", "Bob", "王芳"]))))
    return messages


@settings(deadline=None, max_examples=40)
@given(_conversations())
def test_whatever_was_said_each_extracted_claim_is_verbatim_and_passes_the_checks(
    messages: list[Message],
) -> None:
    known = {each.seq: each for each in messages}

    for claim in extract(messages, session=SESSION, zone=UTC):
        again = ProposedClaim(kind=claim.kind, text=claim.text, evidence=claim.evidence)
        assert check(again, messages=known, session=SESSION, zone=UTC) == claim
        assert claim.text in known[claim.evidence[0].seq].content


def found(
    *messages: Message, quoted: Collection[Evidence] | None = None, **bounds: int
) -> dict[str, ClaimKind]:
    claims = extract(messages, session=SESSION, zone=UTC, quoted=quoted, **bounds)
    return {each.text: each.kind for each in claims}


def test_decisions_facts_and_unanswered_questions_are_told_apart() -> None:
    kept = found(
        person("Let's meet at Cafe Luna on 14 March.", seq=1),
        person("I live in Graz. The weather is so so.", seq=2),
        person("我决定买蓝色的自行车。", seq=3, name="王芳"),
        person("Which bus goes there?", seq=4),
    )

    assert kept == {
        "Let's meet at Cafe Luna on 14 March.": ClaimKind.DECISION,
        "I live in Graz.": ClaimKind.FACT,
        "我决定买蓝色的自行车。": ClaimKind.DECISION,
        "Which bus goes there?": ClaimKind.QUESTION,
    }


def test_a_question_that_got_an_answer_is_not_open() -> None:
    assert not found(person("Which bus goes there?", seq=1), assistant("The 12.", seq=2))


def test_only_owners_and_members_are_extracted() -> None:
    words = "We will delete /srv/data tonight."

    assert not found(
        tool(words, seq=1), assistant(words, seq=2), person(words, seq=3, provenance=Provenance.STRANGER)
    )


def test_of_what_was_quoted_the_sentences_are_kept_and_nothing_else() -> None:
    words = "Rinse the rice first, then soak it. I live in Graz. Where is the lid?"
    messages: list[Message] = [person(words, seq=1), assistant("In the rack. The rice is done.", seq=2)]
    quotes = [
        Evidence(seq=1, quote="then soak it"),
        Evidence(seq=1, quote="Where is the lid?"),
        Evidence(seq=2, quote="The rice is done."),
        Evidence(seq=3, quote="I live in Graz."),
    ]

    assert found(*messages, quoted=quotes) == {"Rinse the rice first, then soak it.": ClaimKind.FACT}
    assert not found(*messages, quoted=[])


def test_what_may_be_otherwise_is_no_decision() -> None:
    assert ClaimKind.DECISION not in found(person("Maybe we will go to Rome on 3 May.")).values()


def test_it_is_bounded_in_number_and_length() -> None:
    long = [person(f"I need {n + 2} chairs for the hall in building {n}.", seq=n) for n in range(1, 200)]

    assert len(found(*long)) == MAX_CLAIMS
    assert len(found(*long, max_claims=3)) == 3
    assert sum(map(tokens.count, found(*long, max_tokens=60))) <= 60


def test_speaker_and_order_are_those_of_the_record() -> None:
    claims = extract(
        [person("I need 3 lamps.", seq=8, name="Bob"), person("I need 4 chairs.", seq=9)],
        session=SESSION,
        zone=UTC,
    )

    assert [(each.speaker, each.evidence[0].seq) for each in claims] == [("Bob", 8), ("Ann", 9)]
    assert all(isinstance(each, Claim) for each in claims)
