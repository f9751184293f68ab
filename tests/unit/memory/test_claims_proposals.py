"""Whatever a model answers, reading it raises nothing and is bounded."""

from datetime import UTC

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.claims.checks import Rejection, check
from memory.claims.claim import Claim, ClaimKind, claim_from_json, claim_id, claim_to_json
from memory.claims.proposal import MAX_CLAIMS, proposed_from_json
from tests.helpers.claims import SESSION, judged, person, proposal

GOOD = {"text": "Ann lives in Graz.", "evidence": [{"seq": 1, "quote": "I live in Graz"}]}
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "key_facts",
                    "decisions",
                    "open_questions",
                    "claims",
                    "text",
                    "evidence",
                    "seq",
                    "quote",
                    "kind",
                    "supersedes",
                    "session",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


def test_the_three_lists_become_claims_of_their_kinds() -> None:
    claims, problems = proposed_from_json(
        {"key_facts": [GOOD], "decisions": [GOOD], "open_questions": [GOOD]}
    )

    assert [each.kind for each in claims] == [ClaimKind.FACT, ClaimKind.DECISION, ClaimKind.QUESTION]
    assert not problems


@pytest.mark.parametrize("seq", ["1", "#1", 1.0])
def test_a_number_may_be_written_as_models_write_it(seq: object) -> None:
    ((claim,), problems) = proposed_from_json(
        {"key_facts": [{"text": "x y", "evidence": {"seq": seq, "quote": "q"}}]}
    )

    assert claim.evidence[0].seq == 1
    assert not problems


@pytest.mark.parametrize(
    "item",
    [
        None,
        "Ann lives in Graz.",
        {},
        {"text": 5, "evidence": GOOD["evidence"]},
        {"text": "", "evidence": GOOD["evidence"]},
        {"text": "x" * 5_000, "evidence": GOOD["evidence"]},
        {"text": "x", "evidence": "q"},
        {"text": "x", "evidence": ["#1"]},
        {"text": "x", "evidence": [{"seq": True, "quote": "q"}]},
        {"text": "x", "evidence": [{"seq": "9" * 40, "quote": "q"}]},
        {"text": "x", "evidence": [{"seq": float("nan"), "quote": "q"}]},
        {"text": "x", "evidence": [{"seq": 1}]},
        {"text": "x", "evidence": [{"seq": 1, "quote": "q"}] * 100},
    ],
)
def test_what_is_no_claim_is_a_problem_and_spoils_nothing_else(item: object) -> None:
    claims, problems = proposed_from_json({"key_facts": [item, GOOD]})

    assert [each.text for each in claims] == ["Ann lives in Graz."]
    assert len(problems) == 1
    assert problems[0].startswith("key_facts[0]: ")


@pytest.mark.parametrize("evidence", [{}, {"evidence": None}, {"evidence": []}])
def test_a_claim_without_evidence_is_one_that_the_checks_refuse(evidence: dict[str, object]) -> None:
    (claim,), problems = proposed_from_json({"key_facts": [{"text": "Ann lives in Graz."} | evidence]})

    assert claim.evidence == ()
    assert problems == ()


@pytest.mark.parametrize("document", [None, [], "text", 7, {}, {"summary": "prose"}, {"key_facts": "prose"}])
def test_an_answer_of_another_shape_is_a_problem(document: object) -> None:
    claims, problems = proposed_from_json(document)

    assert not claims
    assert problems


def test_of_five_hundred_claims_a_bounded_number_is_read() -> None:
    claims, problems = proposed_from_json({"key_facts": [GOOD] * 500})

    assert len(claims) == MAX_CLAIMS
    assert len(problems) == 1


@settings(deadline=None, max_examples=60)
@given(_JSON)
def test_any_json_is_read_and_checked_without_an_exception(document: object) -> None:
    claims, _ = proposed_from_json(document)

    for each in claims:
        answer = check(
            each,
            messages={1: person("I live in Graz.")},
            session=SESSION,
            zone=UTC,
        )
        assert isinstance(answer, Claim | Rejection)


@settings(deadline=None, max_examples=60)
@given(_JSON)
def test_any_json_is_a_stored_claim_or_none(document: object) -> None:
    claim = claim_from_json(document)

    assert claim is None or claim_from_json(claim_to_json(claim)) == claim


def test_a_claim_is_the_same_after_it_was_stored() -> None:
    claim = judged(
        proposal("Ann lives in Graz.", (1, "I live in Graz"), supersedes=("7f3a",)), person("I live in Graz.")
    )

    assert isinstance(claim, Claim)
    assert claim_from_json(claim_to_json(claim)) == claim
    assert claim_to_json(claim)["at"] == "2026-03-12T10:00:00Z"


def test_an_id_depends_on_session_range_and_text_alone() -> None:
    one = claim_id("telegram:42", from_seq=1, to_seq=9, text="x")

    assert one == claim_id("telegram:42", from_seq=1, to_seq=9, text="x")
    assert (
        len(
            {
                one,
                claim_id("telegram:4", from_seq=21, to_seq=9, text="x"),
                claim_id("telegram:42", from_seq=1, to_seq=9, text="y"),
            }
        )
        == 3
    )
    assert len(one) == 16
